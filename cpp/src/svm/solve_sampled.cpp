#include "svm/solve_sampled.hpp"

#include <algorithm>
#include <cmath>

#include "base/jobs.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/problems/class_pairs.hpp"
#include "svm/sampled/cascade_svm.hpp"

namespace dcsvm::svm {

namespace {

constexpr Index kLeafRows = 50;  // fewer than that in a leaf of the cascade are no problem of their own

sampled::RandOptions rand_options(const TrainParams& params, Index n) {
  sampled::RandOptions options;
  options.k = params.n_support_estimate;
  if (options.k == 0) options.k = sampled::support_estimate(n, params.rand_epsilon, params.rand_delta);
  // A sample of all rows is the largest there is.
  const double wanted = std::ceil(params.sample_factor * static_cast<double>(options.k));
  options.r = wanted < static_cast<double>(n) ? static_cast<Index>(wanted) : n;
  return options;
}

sampled::CascadeOptions cascade_options(const TrainParams& params, Index n) {
  sampled::CascadeOptions options;
  options.leaves = params.cascade_leaves;
  while (options.leaves > 1 && n / options.leaves < kLeafRows) options.leaves /= 2;
  options.passes = params.cascade_passes;
  return options;
}

template <class T>
sampled::RunSideBySide side_by_side() {
  return [](const std::vector<Index>& sizes, const Progress& progress, base::Context& context, const auto& fn) {
    std::vector<base::Job> jobs;
    jobs.reserve(sizes.size());
    for (const Index n : sizes) {
      jobs.push_back({static_cast<double>(n) * static_cast<double>(n), base::job_cap(n, sizeof(T), context.cap_bytes)});
    }
    return base::run_jobs(jobs, progress, context, fn);
  };
}

/// What the outcome means.
std::string meaning(const std::vector<sampled::SampledSolution>& found) {
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

}  // namespace

template <class T>
std::vector<sampled::SampledSolution> solve_sampled(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem,
                                                    const TrainParams& params, std::vector<double>& coef, base::Context& context,
                                                    std::string& how) {
  const auto k = static_cast<int>(problem.n_classes());
  const auto members = members_of(problem.class_of, k);
  std::vector<sampled::SampledSolution> found;
  Progress progress;
  progress.phase = "solve";
  progress.total = Index{k} * (k - 1) / 2;
  for (int a = 0; a < k; ++a) {
    for (int b = a + 1; b < k; ++b) {
      auto pair = cut_pair(a, b, members, problem.upper, coef.data());
      const auto n = static_cast<Index>(pair.idx.size());
      const auto subset = kernel_matrix::make_subset(rows, pair.idx);
      const sampled::PairData<T> data{*subset, pair.sign.data(), pair.upper.data(), params.fit_intercept};
      const bool cancelled = context.monitor != nullptr && context.monitor->cancelled();
      const std::int64_t steps = cancelled ? 0 : params.max_iter;
      if (params.solver == SolverType::rand) {
        auto options = rand_options(params, n);
        options.tol = solver_tol(problem, params);
        options.accepted_tol = params.tol;
        options.max_iter = steps;
        options.shrinking = params.shrinking;
        found.push_back(sampled::rand_svm(data, options, pair.beta, context, progress));
      } else {
        auto options = cascade_options(params, n);
        options.tol = solver_tol(problem, params);
        options.accepted_tol = params.tol;
        options.max_iter = steps;
        options.shrinking = params.shrinking;
        found.push_back(sampled::cascade_svm(data, options, pair.beta, side_by_side<T>(), context, progress));
      }
      if (cancelled) found.back().stop_reason = StopReason::cancelled;
      put_pair(pair, problem.n, coef.data());
      ++progress.done;
    }
  }
  how = meaning(found);
  return found;
}

template std::vector<sampled::SampledSolution> solve_sampled<float>(const kernel_matrix::RowSource<float>&,
                                                                    const TrainingProblem&, const TrainParams&,
                                                                    std::vector<double>&, base::Context&, std::string&);
template std::vector<sampled::SampledSolution> solve_sampled<double>(const kernel_matrix::RowSource<double>&,
                                                                     const TrainingProblem&, const TrainParams&,
                                                                     std::vector<double>&, base::Context&, std::string&);

}  // namespace dcsvm::svm
