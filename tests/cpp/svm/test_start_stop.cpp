// Warm starts, cancelling, interrupting, iteration limits.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "dcsvm/kernel.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::certify;
using training::Data;

namespace {

TrainInputs start(const std::vector<double>& alpha) {
  TrainInputs inputs;
  inputs.warm_start_alpha = alpha.data();
  return inputs;
}

double largest_rho_difference(const Model& a, const Model& b) {
  double worst = 0;
  for (std::size_t p = 0; p < a.rho().size(); ++p) worst = std::max(worst, std::abs(a.rho()[p] - b.rho()[p]));
  return worst;
}

}  // namespace

TEST_CASE("warm start: a solution needs no step, other C's solution fewer, in every solver and for several classes") {
  for (const int classes : {2, 3}) {
    const Data data = training::blobs(400, 3, classes, 1, 2.0);
    for (const bool bias : {true, false}) {
      TrainParams params = training::rbf(0.8, 2.0);
      params.fit_intercept = bias;
      const Model cold = training::train(data, params);
      const auto alpha = cold.alpha();
      const Model again = training::train(data, params, start(alpha));
      CHECK(again.report().n_iter == 0);
      CHECK(again.alpha() == alpha);
      CHECK(again.report().objective == doctest::Approx(cold.report().objective).epsilon(5e-6));
      CHECK(largest_rho_difference(again, cold) < 1e-6);

      TrainParams more = params;
      more.C = 2.2;
      const Model warm = training::train(data, more, start(alpha)), from_zero = training::train(data, more);
      CHECK(warm.report().n_iter < from_zero.report().n_iter);
      CHECK(warm.report().objective == doctest::Approx(from_zero.report().objective).epsilon(1e-4));

      TrainParams dc = params;
      dc.solver = SolverType::dc;
      dc.n_levels = 1;
      const Model through_levels = training::train(data, dc, start(alpha));
      CHECK(through_levels.report().objective == doctest::Approx(cold.report().objective).epsilon(1e-4));
      CHECK(through_levels.report().violation < 1e-3);
    }
  }
}

TEST_CASE("an infeasible start is refused with the pair, the row and the reason") {
  const Data data = training::blobs(60, 3, 3, 2);
  TrainParams params = training::rbf(1.0, 1.0);
  const auto good = training::train(data, params).alpha();
  const auto refused = [&](std::vector<double> alpha, const TrainInputs& more = {}) {
    TrainInputs inputs = more;
    inputs.warm_start_alpha = alpha.data();
    return training::message_of<ParameterError>([&] { training::train(data, params, inputs); });
  };
  const auto row_of = [&](double label) {
    Index i = 0;
    while (data.y[i] != label) ++i;
    return i;
  };
  CHECK(refused(good) == "");
  const Index first = row_of(10), third = row_of(12);
  const auto changed = [&](Index pair, Index row, double value) {
    auto alpha = good;
    alpha[pair * 60 + row] = value;
    return refused(alpha);
  };
  const std::string where = "warm_start_alpha [0, " + std::to_string(first) + "]";
  CHECK(changed(0, first, -0.5) == where + " is negative");
  CHECK(changed(0, first, 1.5).rfind(where + " is above", 0) == 0);
  CHECK(changed(0, first, std::nan("")) == where + " is not finite");
  CHECK(changed(0, first, HUGE_VAL) == where + " is not finite");
  CHECK(changed(0, third, 0.5).rfind("warm_start_alpha [0, " + std::to_string(third) + "] is not zero", 0) == 0);
  CHECK(changed(2, first, 0.5).rfind("warm_start_alpha [2, " + std::to_string(first) + "] is not zero", 0) == 0);
  std::vector<double> lopsided(3 * 60, 0.0);
  lopsided[first] = 0.5;
  CHECK(refused(lopsided).rfind("warm_start_alpha violates sum(y * alpha) = 0 by 0.5", 0) == 0);
  params.fit_intercept = false;
  CHECK(refused(lopsided) == "");
  std::vector<double> weight(60, 1.0);
  weight[first] = 0;
  TrainInputs inputs;
  inputs.sample_weight = weight.data();
  CHECK(refused(lopsided, inputs).find("weight 0") != std::string::npos);
}

TEST_CASE("sums of the start are taken for its gradient: the same solution without computing them; bad ones are refused") {
  for (const Formulation formulation : {Formulation::c_svc, Formulation::epsilon_svr, Formulation::one_class}) {
    const int classes = formulation == Formulation::c_svc ? 3 : 2;
    const Data data = training::blobs(300, 3, classes, 5, 2.0);
    TrainParams params = training::rbf(0.8, 2.0);
    params.formulation = formulation;
    params.precision = Precision::double_;
    params.nu = 0.3;
    const Model before = training::train(data, params);
    const std::vector<double> alpha = before.alpha();
    std::vector<double> beta = alpha, sums(alpha.size());
    const auto n_sums = static_cast<Index>(alpha.size()) / 300;
    for (Index pair = 0, a = 0; a < classes && formulation == Formulation::c_svc; ++a) {
      for (Index b = a + 1; b < classes; ++b, ++pair) {
        for (Index i = 0; i < 300; ++i) beta[pair * 300 + i] *= data.y[i] == 10.0 + static_cast<double>(a) ? 1.0 : -1.0;
      }
    }
    std::vector<double> by_row(sums.size());
    kernel_sums(data.view(), data.view(), beta.data(), n_sums, params.kernel, Precision::double_, by_row.data());
    for (Index i = 0; i < 300; ++i) {
      for (Index s = 0; s < n_sums; ++s) sums[s * 300 + i] = by_row[i * n_sums + s];
    }
    TrainInputs computed = start(alpha), given = start(alpha);
    given.warm_start_sums = sums.data();
    const Model again = training::train(data, params, given);
    CHECK(again.report().n_iter == 0);
    CHECK(again.alpha() == alpha);
    CHECK(again.report().objective == doctest::Approx(before.report().objective).epsilon(1e-12));
    CHECK(again.report().n_kernel_values < training::train(data, params, computed).report().n_kernel_values);

    TrainParams closer = params;
    closer.tol = 1e-8;
    const Model one = training::train(data, closer, computed), two = training::train(data, closer, given);
    CHECK(two.report().violation < 1e-8);
    CHECK(two.report().objective == doctest::Approx(one.report().objective).epsilon(1e-12));

    std::vector<double> wrong(sums.size(), 0.0);
    given.warm_start_sums = wrong.data();
    const Model found = training::train(data, closer, given);  // they are noticed, and computed
    CHECK(found.alpha() == one.alpha());
    CHECK(found.report().violation == one.report().violation);
    given.warm_start_sums = sums.data();

    const auto refused = [&] { return training::message_of<ParameterError>([&] { training::train(data, params, given); }); };
    sums[7] = std::nan("");
    CHECK(refused() == "warm_start_sums[0, 7] is not finite");
    given.warm_start_alpha = nullptr;
    CHECK(refused() == "warm_start_sums needs the warm_start_alpha that it is of");
  }
}

TEST_CASE("max_iter: a named reason, a feasible alpha, the violation as it is") {
  const Data data = training::blobs(500, 3, 2, 3, 2.0);
  const std::vector<double> upper(500, 10.0);
  for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
    for (const std::int64_t limit : {0, 5, 60}) {
      TrainParams params = training::rbf(2.0, 10.0);
      params.solver = solver;
      params.n_levels = 1;
      params.tol = 1e-6;
      params.max_iter = limit;
      params.precision = Precision::double_;
      const Model model = training::train(data, params);
      const auto c = certify(data, model, 0, 10, 11, upper, true);
      CAPTURE(limit);
      if (solver == SolverType::smo) CHECK(model.report().stop_reason == StopReason::max_iter);
      if (solver == SolverType::smo) CHECK(model.report().n_iter == limit);
      CHECK(c.feasible);
      CHECK(std::abs(c.balance) < 1e-9);
      CHECK(model.report().violation == doctest::Approx(c.violation).epsilon(1e-5));
      CHECK(model.report().objective == doctest::Approx(c.objective).epsilon(1e-7));
    }
  }
}

TEST_CASE("cancelling at any call of progress: reason, feasible alpha, true violation") {
  for (const int classes : {2, 3}) {
    const Data data = classes == 2 ? training::checkerboard(2000, 4, 0.1) : training::blobs(2000, 3, 3, 4, 3.0);
    const double first = classes == 2 ? -1 : 10, second = classes == 2 ? 1 : 11;
    const std::vector<double> upper(2000, 200.0);
    for (const int kind : {0, 1, 2}) {
      for (const int when : {1, 2, 4}) {
        TrainParams params = training::rbf(4.0, 200.0);
        params.solver = kind == 0 ? SolverType::smo : SolverType::dc;
        params.n_levels = 2;
        params.sample_size = 200;
        params.tol = 1e-6;
        params.precision = Precision::double_;
        if (kind == 2) params.early_level = 1;
        Hooks hooks;
        int calls = 0;
        hooks.progress_interval = 0;
        hooks.progress = [&](const Progress&) { return ++calls == when; };
        const Model model = training::train(data, params, {}, hooks);
        CAPTURE(classes);
        CAPTURE(kind);
        CAPTURE(when);
        if (calls < when) continue;  // done before
        CHECK(calls == when);        // not asked again
        // Asked for the last time when all is solved, the host cannot stop anything any more.
        if (model.report().stop_reason == StopReason::converged && model.report().violation < params.tol &&
            model.report().n_iter > 0)
          continue;
        CHECK(model.report().stop_reason == StopReason::cancelled);
        const auto c = certify(data, model, 0, first, second, upper, true);
        CHECK(c.feasible);
        if (kind < 2) CHECK(std::abs(c.balance) < 1e-6);
        if (kind < 2 && classes == 2) CHECK(model.report().violation == doctest::Approx(c.violation).epsilon(1e-4));
        CHECK(training::decisions(model, data.view()).size() == static_cast<std::size_t>(2000 * classes * (classes - 1) / 2));
        if (kind < 2)
          CHECK(training::message_of<Error>([&] {
                  const auto alpha = model.alpha();
                  training::train(data, training::rbf(4.0, 200.0), start(alpha));
                }) == "");
      }
    }
  }
}

TEST_CASE("reported steps are counted through all solves of a problem") {
  TrainParams params = training::rbf(4.0, 300.0);  // at this C the solution in single precision is corrected and solved on
  params.precision = Precision::single_;
  std::vector<std::int64_t> steps;
  Hooks hooks;
  hooks.progress_interval = 0;
  hooks.progress = [&](const Progress& p) {
    steps.push_back(p.n_iter);
    return false;
  };
  const Model model = training::train(training::checkerboard(1000, 4, 0.1), params, {}, hooks);
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  CHECK(steps.back() == model.report().n_iter);
}

TEST_CASE("an interrupt ends training and prediction by Interrupted, whatever runs") {
  const Data data = training::checkerboard(4000, 5, 0.2);
  for (const int kind : {0, 1, 2}) {
    for (const int threads : {1, 3}) {
      TrainParams params = training::rbf(8.0, 1e4);
      params.solver = kind == 0 ? SolverType::smo : SolverType::dc;
      params.n_levels = 1;
      params.sample_size = 200;
      params.tol = 1e-8;
      params.precision = Precision::double_;
      params.n_threads = threads;
      params.cache_size = 20;
      if (kind == 2) params.early_level = 1;
      for (const int when : {1, 3}) {
        Hooks hooks;
        int calls = 0;
        hooks.interrupted = [&] { return ++calls == when; };
        CAPTURE(kind);
        CHECK_THROWS_AS(training::train(data, params, {}, hooks), Interrupted);
        CHECK(calls == when);
      }
    }
  }
}

TEST_CASE("exceptions thrown by the host's hooks come out unchanged") {
  const Data data = training::blobs(300, 3, 2, 6);
  Hooks hooks;
  hooks.progress = [](const Progress&) -> bool { throw std::domain_error("host"); };
  CHECK_THROWS_WITH_AS(training::train(data, training::rbf(1, 1), {}, hooks), "host", std::domain_error);
  TrainParams dc = training::rbf(1, 1);
  dc.solver = SolverType::dc;
  dc.n_levels = 1;
  CHECK_THROWS_WITH_AS(training::train(data, dc, {}, hooks), "host", std::domain_error);
}
