#include "training_text.hpp"

#include <cmath>

#include "c_common/print.hpp"

namespace dcsvm::liblinear {

namespace {

using c_common::info;
using c_common::without_minus_zero;

/// LIBLINEAR minimises the dual problem, and reports the primal one of the solvers with |w|_1.
double reported_objective(LinearSolver solver, const LinearProblemReport& r) {
  return traits_of(solver).l1 || std::isnan(r.dual_objective) ? r.primal_objective : -r.dual_objective;
}

void print_newton(const LinearProblemReport& r) {
  info("init f %5.3e |g| %5.3e\n", r.initial_objective, r.initial_gradient_norm);
  if (r.n_iter > 0) {
    info("iter %2lld f %5.3e |g| %5.3e CG %3lld step_size %4.2e \n", static_cast<long long>(r.n_iter), r.primal_objective,
         r.gradient_norm, static_cast<long long>(r.n_inner), 1.0);
  }
  if (r.stop_reason == StopReason::stagnated) info("WARNING: actred too small\n");
  if (r.stop_reason == StopReason::max_iter) info("\nWARNING: reaching max number of Newton iterations\n");
}

void print_others(LinearSolver solver, const LinearModel& model, const LinearProblemReport& r) {
  const auto n_iter = static_cast<long long>(r.n_iter);
  if (solver == LinearSolver::l1_logistic) {
    info("iter %3lld  #CD cycles %lld\n", n_iter, static_cast<long long>(r.n_inner));
    info("=========================\noptimization finished, #iter = %lld\n", n_iter);
  } else {
    info("\noptimization finished, #iter = %lld\n", n_iter);
  }
  if (r.stop_reason != StopReason::converged) info("\nWARNING: reaching max number of iterations\n");
  info("Objective value = %f\n", without_minus_zero(reported_objective(solver, r)));
  if (traits_of(solver).l1) {
    info("#nonzeros/#features = %td/%td\n", r.n_nonzero, model.n_features() + (model.bias() >= 0 ? 1 : 0));
  } else if (solver != LinearSolver::logistic_dual) {
    info("nSV = %td\n", r.n_support);
  }
  if (solver == LinearSolver::one_class) info("rho = %f\n", without_minus_zero(model.rho()));
}

}  // namespace

void print_training(const LinearModel& model) {
  const LinearSolver solver = model.solver();
  for (const LinearProblemReport& r : model.report().problems) {
    if (traits_of(solver).primal && !std::isnan(r.gradient_norm)) {
      print_newton(r);
    } else {
      print_others(solver, model, r);
    }
  }
}

}  // namespace dcsvm::liblinear
