#include "svm/problems/training_problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>

#include "base/table_cap.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "data/one_vs_one.hpp"
#include "data/symmetry.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "kernels/byte_points.hpp"
#include "kernels/precision.hpp"
#include "kernels/resolve_kernel.hpp"

namespace dcsvm::svm {

namespace {

// One-class and regression have no classes: all rows are of the first.
void set_bounds(const TrainParams& params, const double* sample_weight, TrainingProblem& problem) {
  const auto factor = is_classifier(params.formulation)
                          ? data::class_factors(params.class_weight, params.balanced, problem.classes, problem.class_of)
                          : std::vector<double>(1, 1.0);
  const double C = uses_C(params.formulation) ? params.C : 1.0;
  std::vector<bool> alive(factor.size(), false);
  problem.upper.resize(problem.n);
  for (Index i = 0; i < problem.n; ++i) {
    const auto c = static_cast<std::size_t>(problem.class_of[i]);
    const double upper = data::row_weight(C * factor[c], sample_weight, i);
    if (!std::isfinite(upper)) throw ParameterError("C times weights overflows at row " + std::to_string(i));
    problem.upper[i] = upper;
    if (upper > 0) {
      alive[c] = true;
    } else {
      problem.class_of[i] = -1;
    }
  }
  if (!problem.classes.empty()) {
    data::check_alive(problem.classes, alive);
  } else if (!alive[0]) {
    throw DataError("all sample weights are zero");
  }
}

/// One against one keeps a coefficient of each row for each of its k - 1 pairs (in training and in the model), and for each pair
/// a solution, its report and its job.
void check_pairs(const TrainParams& params, const TrainingProblem& problem) {
  constexpr double kPerPair = 320.0;
  const auto k = static_cast<double>(problem.n_classes()), pairs = k * (k - 1) / 2;
  base::check_tables(2.0 * sizeof(double) * (k - 1) * static_cast<double>(problem.n) + kPerPair * pairs,
                     base::cap_of(params.cache_size),
                     "the coefficients of " + std::to_string(problem.n_classes()) + " classes, one against one,");
}

// LIBSVM's condition, for every pair and with weights: half of nu sum w fits below the bounds of either class.
void check_nu(const TrainParams& params, const TrainingProblem& problem) {
  if (!finds_margin(params.formulation)) return;
  std::vector<double> weight(problem.classes.size(), 0.0);
  for (Index i = 0; i < problem.n; ++i) {
    if (problem.class_of[i] >= 0) weight[problem.class_of[i]] += problem.upper[i];
  }
  for (std::size_t a = 0; a < weight.size(); ++a) {
    for (std::size_t b = a + 1; b < weight.size(); ++b) {
      const double least = std::min(weight[a], weight[b]), both = weight[a] + weight[b];
      if (params.nu * both / 2 <= least) continue;
      std::ostringstream text;
      text << "nu: specified nu is infeasible: " << params.nu << " is above " << 2 * least / both << ", the most that classes "
           << problem.classes[a] << " and " << problem.classes[b] << " allow";
      throw ParameterError(text.str());
    }
  }
}

[[noreturn]] void infeasible(const std::string& why) { throw ParameterError("warm_start_alpha " + why); }

std::string where(Index pair, Index i) { return "[" + std::to_string(pair) + ", " + std::to_string(i) + "]"; }

// nu_svc keeps alpha / r, so its scale says nothing, nor does one sign of all: solve_nu_svc brings it to the constraints.
// `balanced`: the start must satisfy the equality constraint; rows that are held fixed have the rest of the sum.
void set_start(const double* alpha, const TrainParams& params, bool balanced, TrainingProblem& problem) {
  const bool any_scale = finds_margin(params.formulation);
  const auto k = static_cast<Index>(problem.classes.size());
  problem.start.assign((k - 1) * problem.n, 0.0);
  for (Index a = 0; a < k; ++a) {
    for (Index b = a + 1; b < k; ++b) {
      const Index pair = data::pair_index(a, b, k);
      const double* of_pair = alpha + pair * problem.n;
      const bool turned = any_scale && std::none_of(of_pair, of_pair + problem.n, [](double value) { return value > 0; });
      double balance = 0, total = 0;
      for (Index i = 0; i < problem.n; ++i) {
        const double value = turned ? 0.0 - of_pair[i] : of_pair[i];
        const int own = problem.class_of[i];
        if (!std::isfinite(value)) infeasible(where(pair, i) + " is not finite");
        if (value == 0.0) continue;
        if (value < 0) infeasible(where(pair, i) + " is negative");
        if (own != a && own != b) infeasible(where(pair, i) + " is not zero, but the row is not of this pair (or has weight 0)");
        const double upper = any_scale ? value : problem.upper[i];
        if (value > upper * (1 + 1e-9)) infeasible(where(pair, i) + " is above the row's C of " + std::to_string(upper));
        const double sign = own == a ? 1.0 : -1.0, clipped = std::min(value, upper);
        balance += sign * clipped;
        total += clipped;
        problem.start[data::coef_row(own, own == a ? b : a) * problem.n + i] = sign * clipped;
      }
      if (params.fit_intercept && balanced && !any_scale && std::abs(balance) > 1e-7 * std::max(1.0, total)) {
        infeasible("violates sum(y * alpha) = 0 by " + std::to_string(balance) + " in pair " + std::to_string(pair) +
                   " (required with fit_intercept)");
      }
    }
  }
}

// One-class and regression: one coefficient for each row.
void set_single_start(const double* start, const TrainParams& params, bool balanced, TrainingProblem& problem) {
  const bool of_nu = sum_is_nu(params.formulation);
  problem.start.assign(problem.n, 0.0);
  double sum = 0, total = 0, bounds = 0;
  for (Index i = 0; i < problem.n; ++i) {
    const double value = start[i], t = params.quantile;
    const double bound = problem.upper[i] * (t == 0 ? 1 : value > 0 ? t : 1 - t);
    if (!std::isfinite(value)) infeasible(where(0, i) + " is not finite");
    if (of_nu && value < 0) infeasible(where(0, i) + " is negative");
    if (std::abs(value) > bound * (1 + 1e-9)) infeasible(where(0, i) + " is beyond the row's bound of " + std::to_string(bound));
    problem.start[i] = std::clamp(value, -bound, bound);
    sum += problem.start[i];
    total += std::abs(problem.start[i]);
    bounds += problem.upper[i];
  }
  const double wanted = of_nu ? params.nu * bounds : 0.0;
  if ((of_nu || (params.fit_intercept && balanced)) && std::abs(sum - wanted) > 1e-7 * std::max(1.0, total)) {
    infeasible(std::string(of_nu ? "violates sum(alpha) = nu * sum(sample_weight)" : "violates sum(alpha - alpha*) = 0") +
               " by " + std::to_string(sum - wanted));
  }
}

void check_sums(const char* name, const double* sums, const TrainingProblem& problem) {
  for (Index pair = 0; pair < problem.n_pairs(); ++pair) {
    for (Index i = 0; i < problem.n; ++i) {
      if (!std::isfinite(sums[pair * problem.n + i])) throw ParameterError(name + where(pair, i) + " is not finite");
    }
  }
}

void set_start_sums(const TrainInputs& inputs, TrainingProblem& problem) {
  if (inputs.warm_start_sums == nullptr) return;
  if (inputs.warm_start_alpha == nullptr) throw ParameterError("warm_start_sums needs the warm_start_alpha that it is of");
  check_sums("warm_start_sums", inputs.warm_start_sums, problem);
  problem.start_sums = inputs.warm_start_sums;
}

void set_fixed_sums(const TrainInputs& inputs, const TrainParams& params, TrainingProblem& problem) {
  if (inputs.fixed_row_sums == nullptr) return;
  const auto refuse = [](const std::string& what) {
    throw ParameterError("fixed_row_sums is for one exact solve of c_svc, epsilon_svr or one_class, not with " + what);
  };
  if (uses_nu(params.formulation) && !sum_is_nu(params.formulation))
    refuse(std::string("formulation \"") + name_of(params.formulation) + '"');
  if (params.probability) refuse("probability");
  if (params.early_level) refuse("early_level");
  if (params.solver != SolverType::automatic && params.solver != SolverType::smo)
    refuse(std::string("solver \"") + name_of(params.solver) + '"');
  check_sums("fixed_row_sums", inputs.fixed_row_sums, problem);
  problem.fixed_sums = inputs.fixed_row_sums;
}

void set_y(const double* y, const TrainParams& params, TrainingProblem& problem) {
  const Formulation formulation = params.formulation;
  if (is_classifier(formulation)) {
    data::check_labels(y, problem.n);
    return data::find_classes(y, problem.n, problem.classes, problem.class_of);
  }
  problem.class_of.assign(problem.n, 0);
  if (!is_regression(formulation)) return;
  data::check_targets(y, problem.n);
  problem.targets = {y, params.quantile};
}

/// Points of the two largest classes.
Index largest_pair(const TrainingProblem& problem) {
  std::vector<Index> counts(static_cast<std::size_t>(problem.n_classes()), 0);
  for (const int c : problem.class_of) {
    if (c >= 0) ++counts[c];
  }
  std::partial_sort(counts.begin(), counts.begin() + 2, counts.end(), std::greater<>());
  return counts[0] + counts[1];
}

}  // namespace

double solver_tol(const TrainingProblem& problem, const TrainParams& params) {
  return problem.solved_in == Precision::double_ ? params.tol : 0.9 * params.tol;
}

qp::Options solver_options(const TrainingProblem& problem, const TrainParams& params) {
  qp::Options options{solver_tol(problem, params), params.max_iter, params.shrinking};
  options.absolute = params.absolute_tol;
  return options;
}

TrainingProblem make_problem(const data::Summary& x, const double* y, const TrainParams& params, const TrainInputs& inputs,
                             base::ThreadPool& pool) {
  TrainingProblem problem;
  problem.x = &x;
  problem.n = rows_of(x);
  x.check(pool, params.kernel.type != KernelType::precomputed);
  if (params.kernel.type == KernelType::precomputed && rows_of(x) != cols_of(x)) {
    throw DataError("X: a precomputed kernel matrix must be square, got " + std::to_string(rows_of(x)) + " x " +
                    std::to_string(cols_of(x)));
  }
  if (params.kernel.type == KernelType::precomputed) data::check_symmetric(x, pool);
  if (cols_of(x) > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 columns");
  set_y(y, params, problem);
  check_pairs(params, problem);
  if (inputs.sample_weight != nullptr) data::check_weights(inputs.sample_weight, problem.n);
  set_bounds(params, inputs.sample_weight, problem);
  check_nu(params, problem);
  problem.kernel = kernels::resolve_kernel(x, params.kernel, params.gamma_rule, pool);
  problem.precision = kernels::choose_precision(x, problem.kernel, params.precision, pool);
  // The certificate of a small problem takes all of its values in double: a solve in float would compute them twice. Of one_class
  // the bias depends on how exact decisions are, which the solve tells.
  constexpr Index kSmall = 512;
  const bool small = params.formulation != Formulation::one_class && largest_pair(problem) <= kSmall;
  problem.solved_in = small ? Precision::double_ : problem.precision;
  if (inputs.warm_start_alpha != nullptr) {
    const bool balanced = inputs.fixed_row_sums == nullptr;
    if (problem.classes.empty()) {
      set_single_start(inputs.warm_start_alpha, params, balanced, problem);
    } else {
      set_start(inputs.warm_start_alpha, params, balanced, problem);
    }
  }
  set_start_sums(inputs, problem);
  set_fixed_sums(inputs, params, problem);
  return problem;
}

}  // namespace dcsvm::svm
