#include "svm/sampled/rand_svm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/random.hpp"

namespace dcsvm::sampled {

namespace {

// With the samples solved to 0.45 tol and others within 0.5 tol of the margin, no pair of points violates by more than 0.95 tol.
constexpr double kInside = 0.45, kOutside = 0.5;

constexpr Index kPartRows = 16384, kParts = 32;  // what is looked at together: at least so many points, at most so many parts

/// `chosen`, `forced` and m random elements of `others`, ascending.
std::vector<Index> joined(const std::vector<Index>& chosen, const std::vector<Index>& forced, const std::vector<Index>& others,
                          Index m, base::Random& random) {
  std::vector<Index> some, all;
  std::set_union(chosen.begin(), chosen.end(), forced.begin(), forced.end(), std::back_inserter(some));
  const std::vector<Index> drawn = base::sample(others, m, random);
  std::set_union(some.begin(), some.end(), drawn.begin(), drawn.end(), std::back_inserter(all));
  return all;
}

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

}  // namespace

void SampledSolution::add_costs(const svm::Solution& of) {
  n_iter += of.n_iter;
  peak_bytes = std::max(peak_bytes, of.peak_bytes);
  seconds_rows += of.seconds_rows;
  seconds_inner += of.seconds_inner;
  seconds_select += of.seconds_select;
  seconds_update += of.seconds_update;
}

void SampledSolution::judge(double tol) {
  if (stop_reason == StopReason::cancelled) return;
  if (violation <= tol) {
    stop_reason = StopReason::converged;
  } else if (stop_reason == StopReason::converged) {
    stop_reason = StopReason::stagnated;
  }
}

Index support_estimate(Index n, double epsilon, double delta) {
  const double k = 16.0 / (epsilon * epsilon) * std::log(4.0 * static_cast<double>(n) / delta);
  return static_cast<Index>(std::clamp(std::ceil(k), 2.0, 9e15));
}

template <class T>
SampledSolution rand_svm(const PairData<T>& data, const RandOptions& options, std::vector<double>& beta, base::Context& context,
                         Progress progress) {
  base::ThreadPool& pool = *context.pool;
  base::Context own = context;  // half of the memory for the samples' problems, half for the look at all points
  own.cap_bytes = context.cap_bytes / 2;
  base::Random random(context.seed);
  const Index part_rows = options.part_rows > 0 ? options.part_rows : std::max(kPartRows, data.rows.size() / kParts);
  WholePoint<T> whole(data, beta, context.cap_bytes - own.cap_bytes, pool, part_rows, context.seed);
  qp::Options inner{kInside * options.tol, options.max_iter, options.shrinking};
  SampledSolution total;
  std::vector<Index> support = whole.support();
  Violators candidates{complement(support, data.rows.size()), true};
  std::vector<Index> forced;
  for (;;) {
    const auto start = base::Clock::now();
    const Index room = options.r - static_cast<Index>(support.size());
    std::vector<Index> idx = joined(support, forced, candidates.idx, std::max<Index>(room, 0), random);
    if (data.fit_intercept) need_both_signs(data, idx);
    std::vector<double> values, gradient;
    for (const Index i : idx) {
      values.push_back(whole.beta()[i]);
      if (candidates.all) gradient.push_back(whole.gradient()[i]);
    }
    progress.level = static_cast<int>(total.rounds.size()) + 1;
    const svm::Solution found = solve_on(data, idx, values, std::move(gradient), inner, own, progress);
    if (inner.max_iter > 0) inner.max_iter -= std::min(inner.max_iter, found.n_iter);
    total.add_costs(found);
    total.stop_reason = found.stop_reason;
    total.bias = found.bias;
    total.n_support = nonzeros(values);
    total.n_bounded = found.n_bounded;
    const bool everything = static_cast<Index>(idx.size()) == data.rows.size();
    const bool enough = total.n_support >= options.k && !everything && total.stop_reason == StopReason::converged;
    whole.place(idx, values);
    support = whole.support();
    if (enough) {  // a look at the other points would change nothing
      total.stop_reason = StopReason::support_limit;
      candidates.all = false;
    } else {  // no more points than the next sample takes, unless there is none
      const bool goes_on = total.stop_reason == StopReason::converged && found.n_iter > 0;
      const Index next = goes_on ? std::max<Index>(1, options.r - static_cast<Index>(support.size())) : data.rows.size();
      candidates = whole.violators(found.bias, kOutside * options.tol, next, pool);
    }
    const bool tried_worst = !forced.empty();
    forced.clear();
    if (candidates.all && !candidates.idx.empty()) {
      if (whole.violation() <= options.tol) {  // only the sample's bias was off: without free points it is not determined
        total.bias = whole.bias();
        candidates.idx.clear();
      } else if (found.n_iter == 0) {  // the sample had nobody who violates: the next has
        if (tried_worst) total.stop_reason = StopReason::stagnated;
        forced = whole.worst();
        candidates = whole.violators(whole.bias(), kOutside * options.tol, data.rows.size(), pool);
      }
    }
    total.objective = candidates.all ? whole.objective() : found.objective;
    total.violation = candidates.all ? whole.violation() : std::numeric_limits<double>::infinity();
    total.rounds.push_back({progress.level,
                            1,
                            {static_cast<Index>(idx.size())},
                            base::seconds_since(start),
                            0,
                            total.n_support,
                            total.objective,
                            total.violation,
                            found.n_iter});
    if (candidates.idx.empty() && forced.empty()) break;
    if (total.stop_reason != StopReason::converged) break;
    progress.violation = total.violation;
    progress.objective = total.objective;
    if (own.monitor != nullptr && own.monitor->progress(progress, true)) {  // a round without steps does not ask
      total.stop_reason = StopReason::cancelled;
      break;
    }
  }
  total.judge(options.accepted_tol);
  total.peak_bytes += static_cast<std::int64_t>(whole.bytes());
  beta = whole.beta();
  return total;
}

template SampledSolution rand_svm<float>(const PairData<float>&, const RandOptions&, std::vector<double>&, base::Context&,
                                         Progress);
template SampledSolution rand_svm<double>(const PairData<double>&, const RandOptions&, std::vector<double>&, base::Context&,
                                          Progress);

}  // namespace dcsvm::sampled
