#include "svm/sampled/rand_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"

namespace dcsvm::sampled {

namespace {

constexpr Index kPartRows = 16384;  // least points of a part
constexpr Index kParts = 32;         // most parts

/// Points that are looked at together.
Index part_rows(const RandOptions& options, Index n) {
  return options.part_rows > 0 ? options.part_rows : std::max(kPartRows, n / kParts);
}

template <class T>
class RandSvm {
 public:
  RandSvm(const WholeProblem<T>& problem, const RandOptions& options, const std::vector<double>& beta, base::Context& context,
          const Progress& progress)
      : options_(options),
        run_(problem, options, beta, context, progress, part_rows(options, problem.rows.size())),
        support_(run_.whole.support()) {
    for (Index i = 0; i < n(); ++i) {
      if (beta[i] == 0.0) outside_.idx.push_back(i);
    }
  }

  SampledSolution run(std::vector<double>& beta) {
    do {
      run_round();
    } while (run_.total.stop_reason == StopReason::converged && (!outside_.idx.empty() || !worst_.empty()) && !cancelled());
    return run_.finish(options_, beta);
  }

 private:
  Index n() const { return run_.problem.rows.size(); }

  void run_round() {
    const auto start = base::Clock::now();
    const std::vector<Index> sample = draw_sample();
    const svm::Solution found = solve_sample(sample);
    const bool enough = run_.total.n_support >= options_.k && static_cast<Index>(sample.size()) < n();
    if (enough && run_.total.stop_reason == StopReason::converged) {  // a look at the other points would change nothing
      run_.total.stop_reason = StopReason::support_limit;
      outside_.all = false;
    } else {
      look_outside(found);
    }
    run_.total.objective = outside_.all ? run_.whole.objective() : found.objective;
    run_.total.violation = outside_.all ? run_.whole.violation() : std::numeric_limits<double>::infinity();
    run_.total.add_round(1, static_cast<Index>(sample.size()), found.n_iter, start);
  }

  /// The support vectors and random violators.
  std::vector<Index> draw_sample() {
    const Index room = options_.r - static_cast<Index>(support_.size());
    std::vector<Index> sample =
        union_of(union_of(support_, worst_), base::sample(outside_.idx, std::max<Index>(room, 0), run_.random));
    if (run_.problem.fit_intercept) add_missing_sign(run_.problem.binary, sample);
    return sample;
  }

  svm::Solution solve_sample(const std::vector<Index>& sample) {
    std::vector<double> values, gradient;
    values.reserve(sample.size());
    gradient.reserve(sample.size());
    for (const Index i : sample) {
      values.push_back(run_.whole.beta()[i]);
      if (outside_.all) gradient.push_back(run_.whole.gradient()[i]);
    }
    run_.progress.level = static_cast<int>(run_.total.rounds.size()) + 1;
    svm::Solution found = solve_on(run_.problem, sample, values, std::move(gradient), run_.solver, run_.context, run_.progress);
    if (run_.solver.max_iter > 0) run_.solver.max_iter -= std::min(run_.solver.max_iter, found.n_iter);
    run_.total.add_costs(found);
    run_.total.stop_reason = found.stop_reason;
    run_.total.bias = found.bias;
    run_.total.n_bounded = found.n_bounded;
    run_.whole.set_beta(sample, values);
    support_ = run_.whole.support();
    run_.total.n_support = static_cast<Index>(support_.size());
    return found;
  }

  /// Looks for points that violate the sample's solution: as many as the next sample takes, or all when this was the last round.
  void look_outside(const svm::Solution& found) {
    base::ThreadPool& pool = *run_.context.pool;
    const bool goes_on = run_.total.stop_reason == StopReason::converged && found.n_iter > 0;
    const Index wanted = goes_on ? std::max<Index>(1, options_.r - static_cast<Index>(support_.size())) : n();
    outside_ = run_.whole.violators(found.bias, kOutside * options_.tol, wanted, pool);
    const bool tried_worst = !worst_.empty();
    worst_.clear();
    if (!outside_.all || outside_.idx.empty()) return;
    if (run_.whole.violation() <= options_.tol) {  // optimal already: the sample's bias was not unique
      run_.total.bias = run_.whole.bias();
      outside_.idx.clear();
    } else if (found.n_iter == 0) {  // No sampled row violates; include the worst violators next time.
      if (tried_worst) run_.total.stop_reason = StopReason::stagnated;
      worst_ = run_.whole.worst_violators();
      outside_ = run_.whole.violators(run_.whole.bias(), kOutside * options_.tol, n(), pool);
    }
  }

  /// Reports the round and asks the host whether to go on (the solver asks only when it makes steps).
  bool cancelled() {
    run_.progress.violation = run_.total.violation;
    run_.progress.objective = run_.total.objective;
    run_.progress.n_support = run_.total.n_support;
    if (run_.context.monitor == nullptr || !run_.context.monitor->progress(run_.progress, true)) return false;
    run_.total.stop_reason = StopReason::cancelled;
    return true;
  }

  const RandOptions& options_;
  SampledRun<T> run_;
  std::vector<Index> support_;
  Violators outside_;         // of the last solution; at first all other points
  std::vector<Index> worst_;  // that the next sample must have
};

}  // namespace

Index support_estimate(Index n, double epsilon, double delta) {
  const double k = 16.0 / (epsilon * epsilon) * std::log(4.0 * static_cast<double>(n) / delta);
  return static_cast<Index>(std::clamp(std::ceil(k), 2.0, 9e15));
}

template <class T>
SampledSolution rand_svm(const WholeProblem<T>& problem, const RandOptions& options, std::vector<double>& beta,
                         base::Context& context, const Progress& progress) {
  return RandSvm<T>(problem, options, beta, context, progress).run(beta);
}

template SampledSolution rand_svm<float>(const WholeProblem<float>&, const RandOptions&, std::vector<double>&, base::Context&,
                                         const Progress&);
template SampledSolution rand_svm<double>(const WholeProblem<double>&, const RandOptions&, std::vector<double>&, base::Context&,
                                          const Progress&);

}  // namespace dcsvm::sampled
