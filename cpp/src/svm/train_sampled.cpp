#include "svm/train_sampled.hpp"

#include <algorithm>
#include <cmath>

#include "dcsvm/parameters.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/sampled/cascade_svm.hpp"
#include "svm/sampled/rand_svm.hpp"
#include "svm/training_record.hpp"

namespace dcsvm::svm {

namespace {

constexpr Index kLeastPart = 50;  // rows: parts of the cascade that would be smaller are joined

sampled::RandOptions rand_options(const sampled::SampledOptions& common, const TrainParams& params, Index n) {
  sampled::RandOptions options{common};
  options.k = params.n_support_estimate;
  if (options.k == 0) options.k = sampled::support_estimate(n, params.rand_epsilon, params.rand_delta);
  // A sample of all rows is the largest there is.
  const double wanted = std::ceil(params.sample_factor * static_cast<double>(options.k));
  options.r = wanted < static_cast<double>(n) ? static_cast<Index>(wanted) : n;
  return options;
}

sampled::CascadeOptions cascade_options(const sampled::SampledOptions& common, const TrainParams& params, Index n) {
  sampled::CascadeOptions options{common};
  options.n_parts = params.cascade_leaves;
  while (options.n_parts > 1 && n / options.n_parts < kLeastPart) options.n_parts /= 2;
  options.passes = params.cascade_passes;
  return options;
}

/// What the solutions mean, in words, for the report.
std::string outcome_of(const std::vector<sampled::SampledSolution>& found) {
  std::size_t optimal = 0, near_optimal = 0, solves = 0;
  for (const auto& s : found) {
    optimal += s.stop_reason == StopReason::converged ? 1 : 0;
    near_optimal += s.stop_reason == StopReason::support_limit ? 1 : 0;
    solves += s.rounds.size();
  }
  std::string text = "after " + std::to_string(solves) + (solves == 1 ? " round " : " rounds ");
  if (optimal == found.size()) return text + "no row violates: optimal";
  if (near_optimal > 0)
    text += "as many support vectors as estimated in " + std::to_string(near_optimal) + " of ";
  else
    text += "rows still violate in " + std::to_string(found.size() - optimal) + " of ";
  return text + std::to_string(found.size()) + (near_optimal > 0 ? " problems: near-optimal" : " problems");
}

/// Whether a bound of the duality gap is not small beside what the training gained (qp/scaled_solve.hpp). It needs no gradient.
bool may_be_far(const BinaryProblem& pair, const TrainParams& params, const Solution& solution) {
  double above = 0, below = 0, positive = 0, negative = 0;
  for (std::size_t i = 0; i < pair.beta.size(); ++i) {
    above += pair.hi[i] - pair.beta[i];
    below += pair.beta[i] - pair.lo[i];
    positive += pair.hi[i];
    negative -= pair.lo[i];
  }
  const double at_zero = params.fit_intercept ? 2 * std::min(positive, negative) : positive + negative;
  const double width = params.fit_intercept ? std::min(above, below) : above + below;
  return solution.violation * width > qp::Options().allowed_gap * params.tol * (at_zero + solution.objective);
}

/// The exact solver goes on from what the rounds found.
template <class T>
void go_on(const kernel_matrix::RowSource<T>& rows, BinaryProblem& pair, const TrainingProblem& problem,
           const TrainParams& params, base::Context& context, const Progress& progress, sampled::SampledSolution& found) {
  qp::Options options = solver_options(problem, params);
  options.accepted_tol = params.tol;
  const Solution better = solve_c_svc(rows, pair, params.fit_intercept, options, context, progress);
  found.add_costs(better);
  found.stop_reason = better.stop_reason;
  found.objective = better.objective;
  found.violation = better.violation;
  found.bias = better.bias;
  found.n_support = better.n_support;
  found.n_bounded = better.n_bounded;
  found.in_double = found.in_double || better.in_double;
  found.tol = better.tol;
  found.relative_gap = better.relative_gap;
  found.gap = better.gap;
}

/// Solves every pair, one after another. coef: (k - 1) x n, the start on entry and the solution on return. In LIBSVM's order.
template <class T>
std::vector<sampled::SampledSolution> solve_each(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem,
                                                 const TrainParams& params, std::vector<double>& coef, base::Context& context) {
  const auto k = static_cast<int>(problem.n_classes());
  const auto members = points_by_class(problem.class_of, k);
  sampled::SampledOptions options{solver_tol(problem, params), params.tol, params.max_iter, params.shrinking};
  std::vector<sampled::SampledSolution> found;
  Progress progress;
  progress.phase = "solve";
  progress.total = Index{k} * (k - 1) / 2;
  for (int a = 0; a < k; ++a) {
    for (int b = a + 1; b < k; ++b, ++progress.done) {
      BinaryProblem pair = make_pair_problem(a, members[a], b, members[b], problem.upper, coef.data());
      const auto subset = kernel_matrix::make_subset(rows, pair.points);
      const sampled::WholeProblem<T> whole{*subset, pair, params.fit_intercept};
      const bool cancelled = context.monitor != nullptr && context.monitor->cancelled();
      if (cancelled) options.max_iter = 0;
      found.push_back(
          params.solver == SolverType::rand
              ? sampled::rand_svm(whole, rand_options(options, params, pair.size()), pair.beta, context, progress)
              : sampled::cascade_svm(whole, cascade_options(options, params, pair.size()), pair.beta, context, progress));
      if (cancelled) found.back().stop_reason = StopReason::cancelled;
      found.back().tol = params.tol;
      if (!params.absolute_tol && found.back().stop_reason == StopReason::converged && may_be_far(pair, params, found.back()))
        go_on(*subset, pair, problem, params, context, progress, found.back());
      pair.store(problem.n, coef.data());
    }
  }
  return found;
}

}  // namespace

template <class T>
Model train_sampled(const TrainingProblem& problem, const TrainParams& params, base::Context& context) {
  TrainingRecord record(problem, params);
  auto start = base::Clock::now();
  const auto rows = kernel_matrix::make_summable_rows<T>(*problem.x, problem.kernel, context.cap_bytes / 2, *context.pool);
  context.cap_bytes -= std::min(rows->bytes(), context.cap_bytes / 2);
  std::vector<double> coef = problem.start;
  if (coef.empty()) coef.assign((problem.n_classes() - 1) * problem.n, 0.0);
  record.report.seconds["prepare"] = base::seconds_since(start);
  start = base::Clock::now();
  const auto found = solve_each(*rows, problem, params, coef, context);
  for (const auto& pair : found) {
    record.report.levels.insert(record.report.levels.end(), pair.rounds.begin(), pair.rounds.end());
    record.add(pair);
  }
  record.report.solver = dcsvm::name_of(params.solver);
  record.report.solver_reason = "asked for; " + outcome_of(found);
  record.report.seconds["solve"] = base::seconds_since(start);
  return record.finish(record.expansion(coef), rows->n_values(), rows->bytes(), context);
}

template Model train_sampled<float>(const TrainingProblem&, const TrainParams&, base::Context&);
template Model train_sampled<double>(const TrainingProblem&, const TrainParams&, base::Context&);

}  // namespace dcsvm::svm
