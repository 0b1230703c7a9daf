#include "svm/sampled/rand_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"

namespace dcsvm::sampled {

namespace {

constexpr Index kPartRows = 16384, kParts = 32;  // parts that are looked at together: at least so many points, at most so many

Index nonzeros(const std::vector<double>& values) {
  return static_cast<Index>(std::count_if(values.begin(), values.end(), [](double v) { return v != 0.0; }));
}

std::vector<Index> complement(const std::vector<Index>& chosen, Index n) {
  std::vector<Index> rest;
  auto next = chosen.begin();
  for (Index i = 0; i < n; ++i) {
    if (next != chosen.end() && *next == i) {
      ++next;
    } else {
      rest.push_back(i);
    }
  }
  return rest;
}

/// A run in progress.
template <class T>
class RandSvm {
 public:
  RandSvm(const WholeProblem<T>& problem, const RandOptions& options, const std::vector<double>& beta, base::Context& context,
          const Progress& progress)
      : problem_(problem),
        options_(options),
        context_(context),
        progress_(progress),
        random_(context.seed),
        solver_{kInside * options.tol, options.max_iter, options.shrinking},
        whole_(problem, beta, context.cap_bytes - context.cap_bytes / 2, *context.pool,
               options.part_rows > 0 ? options.part_rows : std::max(kPartRows, n() / kParts), context.seed),
        support_(whole_.support()),
        outside_{complement(support_, n()), true} {
    context_.cap_bytes /= 2;
  }

  SampledSolution run(std::vector<double>& beta) {
    do {
      run_round();
    } while (total_.stop_reason == StopReason::converged && (!outside_.idx.empty() || !worst_.empty()) && !cancelled());
    total_.check_convergence(options_.accepted_tol);
    total_.peak_bytes += static_cast<std::int64_t>(whole_.bytes());
    beta = whole_.beta();
    return std::move(total_);
  }

 private:
  Index n() const { return problem_.rows.size(); }

  void run_round() {
    const auto start = base::Clock::now();
    const std::vector<Index> sample = draw_sample();
    const svm::Solution found = solve_sample(sample);
    const bool enough = total_.n_support >= options_.k && static_cast<Index>(sample.size()) < n();
    if (enough && total_.stop_reason == StopReason::converged) {  // a look at the other points would change nothing
      total_.stop_reason = StopReason::support_limit;
      outside_.all = false;
    } else {
      look_outside(found);
    }
    total_.objective = outside_.all ? whole_.objective() : found.objective;
    total_.violation = outside_.all ? whole_.violation() : std::numeric_limits<double>::infinity();
    total_.add_round(1, static_cast<Index>(sample.size()), found.n_iter, start);
  }

  /// The support vectors and random violators.
  std::vector<Index> draw_sample() {
    const Index room = options_.r - static_cast<Index>(support_.size());
    std::vector<Index> sample =
        union_of(union_of(support_, worst_), base::sample(outside_.idx, std::max<Index>(room, 0), random_));
    if (problem_.fit_intercept) add_missing_sign(problem_.binary, sample);
    return sample;
  }

  svm::Solution solve_sample(const std::vector<Index>& sample) {
    std::vector<double> values, gradient;
    for (const Index i : sample) {
      values.push_back(whole_.beta()[i]);
      if (outside_.all) gradient.push_back(whole_.gradient()[i]);
    }
    progress_.level = static_cast<int>(total_.rounds.size()) + 1;
    svm::Solution found = solve_on(problem_, sample, values, std::move(gradient), solver_, context_, progress_);
    if (solver_.max_iter > 0) solver_.max_iter -= std::min(solver_.max_iter, found.n_iter);
    total_.add_costs(found);
    total_.stop_reason = found.stop_reason;
    total_.bias = found.bias;
    total_.n_support = nonzeros(values);
    total_.n_bounded = found.n_bounded;
    whole_.set_beta(sample, values);
    support_ = whole_.support();
    return found;
  }

  /// Looks for points that violate the sample's solution: as many as the next sample takes, or all when this was the last round.
  void look_outside(const svm::Solution& found) {
    base::ThreadPool& pool = *context_.pool;
    const bool goes_on = total_.stop_reason == StopReason::converged && found.n_iter > 0;
    const Index wanted = goes_on ? std::max<Index>(1, options_.r - static_cast<Index>(support_.size())) : n();
    outside_ = whole_.violators(found.bias, kOutside * options_.tol, wanted, pool);
    const bool tried_worst = !worst_.empty();
    worst_.clear();
    if (!outside_.all || outside_.idx.empty()) return;
    if (whole_.violation() <= options_.tol) {  // only the sample's bias was off: without free points it is not determined
      total_.bias = whole_.bias();
      outside_.idx.clear();
    } else if (found.n_iter == 0) {  // No sampled row violates; include the worst violators next time.
      if (tried_worst) total_.stop_reason = StopReason::stagnated;
      worst_ = whole_.worst_violators();
      outside_ = whole_.violators(whole_.bias(), kOutside * options_.tol, n(), pool);
    }
  }

  /// Reports the round and asks the host: a round without steps has not asked.
  bool cancelled() {
    progress_.violation = total_.violation;
    progress_.objective = total_.objective;
    if (context_.monitor == nullptr || !context_.monitor->progress(progress_, true)) return false;
    total_.stop_reason = StopReason::cancelled;
    return true;
  }

  const WholeProblem<T>& problem_;
  const RandOptions& options_;
  base::Context context_;  // half of the memory for the samples' problems, half for whole_
  Progress progress_;
  base::Random random_;
  qp::Options solver_;
  WholeSolution<T> whole_;
  std::vector<Index> support_;
  Violators outside_;         // of the last solution; at first all other points
  std::vector<Index> worst_;  // that the next sample must have
  SampledSolution total_;
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
