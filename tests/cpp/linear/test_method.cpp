// Which method solves what, and how a report says why it ended.
#include "linear/method.hpp"

#include <string>
#include <vector>

#include "dcsvm/parameters.hpp"
#include "doctest/doctest.h"
#include "linear/model_data.hpp"
#include "linear/stop_detail.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear::Form;
using linear::Method;

namespace {

Method method(LinearSolver solver, const products::Matrix& x, double l1_ratio = 0) {
  LinearParams params;
  params.solver = solver;
  params.l1_ratio = l1_ratio;
  return linear::method_of(params, x);
}

LinearProblemReport problem(StopReason reason, double violation, double limit, std::int64_t steps) {
  LinearProblemReport r;
  r.stop_reason = reason;
  r.violation = violation;
  r.limit = limit;
  r.n_iter = steps;
  return r;
}

}  // namespace

TEST_CASE("linear methods: each solver has one on narrow and on wide data") {
  base::ThreadPool pool(1);
  const HandmadeMatrix narrow(60, 5, 1.0, 1.0, pool), sparse(600, 500, 0.01, 1.0, pool), wide(20, 50, 0.1, 1.0, pool);
  const products::Matrix &few = narrow.matrix, &apart = sparse.matrix, &many = wide.matrix;
  for (const LinearSolver s : {LinearSolver::logistic, LinearSolver::squared_hinge, LinearSolver::svr_squared}) {
    CHECK(method(s, few) == Method::newton);
    CHECK(method(s, many) == Method::newton);
    CHECK(method(s, many, 0.5) == Method::l1_newton);
  }
  for (const LinearSolver s : {LinearSolver::logistic_dual, LinearSolver::squared_hinge_dual, LinearSolver::svr_squared_dual}) {
    CHECK(method(s, few) == Method::newton);
    CHECK(method(s, many) == Method::dual_descent);
  }
  for (const LinearSolver s : {LinearSolver::hinge_dual, LinearSolver::svr_dual}) {
    CHECK(method(s, few) == Method::augmented_lagrangian);
    CHECK(method(s, apart) == Method::dual_descent);  // rows have little in common
    CHECK(method(s, many) == Method::dual_descent);
  }
  for (const LinearSolver s : {LinearSolver::l1_logistic, LinearSolver::l1_squared_hinge})
    CHECK(method(s, few) == Method::l1_newton);
  CHECK(method(LinearSolver::crammer_singer, few) == Method::sequential_dual);
  CHECK(method(LinearSolver::one_class, few) == Method::greedy_pairs);
  CHECK(linear::forms_hessian(LinearSolver::l1_squared_hinge, apart));
  CHECK(!linear::forms_hessian(LinearSolver::l1_logistic, apart));
}

TEST_CASE("linear methods: the penalty follows from C and l1_ratio, and two classes of the multinomial model are logistic") {
  LinearParams params;
  params.solver = LinearSolver::logistic;
  CHECK(linear::penalty_of(params).l2 == 1.0);
  params.l1_ratio = 0.25;
  CHECK(linear::penalty_of(params).l1 == 0.25);
  CHECK(linear::penalty_of(params).l2 == 0.75);
  params.l1_ratio = 0;
  params.C = linear_fit::kInfinity;
  CHECK(linear::penalty_of(params).none());
  CHECK(linear::price_of(params) == 1.0);
  params.C = 2.0;
  params.solver = LinearSolver::l1_logistic;
  CHECK(linear::penalty_of(params).l1 == 1.0);
  CHECK(linear::penalty_of(params).l2 == 0.0);
  CHECK(linear::form_of(LinearSolver::multinomial, 2) == Form::rows);
  CHECK(linear::form_of(LinearSolver::multinomial, 3) == Form::softmax);
  CHECK(linear::form_of(LinearSolver::crammer_singer, 2) == Form::crammer_singer);
  CHECK(linear::form_of(LinearSolver::one_class, 0) == Form::one_class);
  for (std::size_t i = 0; i < names_of(LinearSolver{}).size(); ++i) {
    const auto solver = static_cast<LinearSolver>(i);
    CHECK(traits_of(solver).softmax == (linear::form_of(solver, 3) == Form::softmax));
  }
  CHECK(linear::loss_of(LinearSolver::multinomial) == linear::Loss::logistic);
}

TEST_CASE("linear: the detail of a stop is of the problem that decides, in numbers") {
  linear::LinearData model;
  CHECK(linear::stop_detail(model, Method::newton).empty());
  model.classes = {1, 3, 7};
  model.report.problems = {problem(StopReason::converged, 9e-4, 1e-3, 12), problem(StopReason::max_iter, 2e-3, 1e-3, 1000),
                           problem(StopReason::stagnated, 5e-2, 1e-3, 40)};
  CHECK(linear::stop_detail(model, Method::newton) == "class 3: 1000 Newton steps, violation 2e-03, above 1e-03");
  model.report.problems.pop_back();
  model.report.problems[1].stop_reason = StopReason::converged;
  model.report.problems[1].violation = 1e-5;
  CHECK(linear::stop_detail(model, Method::dual_descent) == "class 1: 12 passes, violation 9e-04, not above 1e-03");
  model.report.problems = {problem(StopReason::stagnated, 4e7, 1e16, 9)};  // the certificate's word, whatever its rule says
  CHECK(linear::stop_detail(model, Method::newton) ==
        "9 Newton steps, violation 4e+07, not above 1e+16, but rounding hides how far the optimum is");
  model.report.problems = {problem(StopReason::max_iter, 0.5, 1.0, 9)};
  CHECK(linear::stop_detail(model, Method::dual_descent) ==
        "9 passes, violation 5e-01, not above 1e+00, but no step was left to confirm it");
  model.report.problems = {problem(StopReason::cancelled, 0.5, 0.0, 3)};
  CHECK(linear::stop_detail(model, Method::greedy_pairs) == "3 passes, violation 5e-01");
}

TEST_CASE("linear vectors of weights: one for two classes but Crammer and Singer's, else one for each class") {
  for (std::size_t s = 0; s < names_of(LinearSolver{}).size(); ++s) {
    const auto solver = static_cast<LinearSolver>(s);
    CAPTURE(name_of(solver));
    for (std::size_t classes = 0; classes < 8; ++classes) {
      const bool one = !is_classifier(solver) || (classes == 2 && solver != LinearSolver::crammer_singer);
      CHECK(linear::vectors_of(solver, classes) == (one ? 1 : static_cast<Index>(classes)));
    }
  }
}
