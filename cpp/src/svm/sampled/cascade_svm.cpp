#include "svm/sampled/cascade_svm.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/random.hpp"

namespace dcsvm::sampled {

namespace {

constexpr double kInside = 0.45, kOutside = 0.5;  // as rand_svm's
constexpr double kSlow = 0.5;    // a pass leaves less of the violation than that
constexpr Index kPatience = 10;  // passes without a lower violation: float's rounding

/// Points (ascending) with values that are feasible for their own problem.
struct Part {
  std::vector<Index> idx;
  std::vector<double> beta;
  svm::Solution solution;
};

/// The points with values other than 0.
void keep_support(Part& part) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < part.idx.size(); ++t) {
    if (part.beta[t] == 0.0) continue;
    part.idx[kept] = part.idx[t];
    part.beta[kept++] = part.beta[t];
  }
  part.idx.resize(kept);
  part.beta.resize(kept);
}

/// Both parts' points. Disjoint parts keep their values; else those of the part with the lower objective stay, the others start
/// from 0.
Part merge(Part a, Part b) {
  std::vector<Index> common;
  std::set_intersection(a.idx.begin(), a.idx.end(), b.idx.begin(), b.idx.end(), std::back_inserter(common));
  if (b.solution.objective < a.solution.objective) std::swap(a, b);
  Part all;
  std::set_union(a.idx.begin(), a.idx.end(), b.idx.begin(), b.idx.end(), std::back_inserter(all.idx));
  all.beta.assign(all.idx.size(), 0.0);
  const auto place = [&all](const Part& part) {
    auto position = all.idx.begin();
    for (std::size_t t = 0; t < part.idx.size(); ++t) {
      position = std::lower_bound(position, all.idx.end(), part.idx[t]);
      all.beta[position - all.idx.begin()] = part.beta[t];
    }
  };
  place(a);
  if (common.empty()) place(b);
  return all;
}

/// The points dealt to `leaves` parts at random, each with the whole's support vectors and their values.
template <class T>
std::vector<Part> deal(const PairData<T>& data, const WholePoint<T>& whole, Index leaves, base::Random& random) {
  const Index n = data.rows.size();
  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) order[i] = i;
  for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  const std::vector<Index> support = whole.support();
  std::vector<Part> parts(leaves);
  for (Index p = 0; p < leaves; ++p) {
    std::vector<Index> own(order.begin() + n * p / leaves, order.begin() + n * (p + 1) / leaves);
    std::sort(own.begin(), own.end());
    Part& part = parts[p];
    std::set_union(own.begin(), own.end(), support.begin(), support.end(), std::back_inserter(part.idx));
    if (data.fit_intercept) need_both_signs(data, part.idx);
    for (const Index i : part.idx) part.beta.push_back(whole.beta()[i]);
  }
  return parts;
}

/// The whole's support vectors, `outside`, and the points that violate most.
template <class T>
Part together(const PairData<T>& data, const WholePoint<T>& whole, const std::vector<Index>& outside) {
  Part part;
  const std::vector<Index> support = whole.support(), worst = whole.worst();
  std::vector<Index> some;
  std::set_union(support.begin(), support.end(), outside.begin(), outside.end(), std::back_inserter(some));
  std::set_union(some.begin(), some.end(), worst.begin(), worst.end(), std::back_inserter(part.idx));
  if (data.fit_intercept) need_both_signs(data, part.idx);
  for (const Index i : part.idx) part.beta.push_back(whole.beta()[i]);
  return part;
}

/// One way down: solve all parts, join neighbours, until one is left and solved.
template <class T>
Part run_pass(const PairData<T>& data, std::vector<Part> parts, const qp::Options& inner, const RunSideBySide& run,
              base::Context& context, const Progress& progress, SampledSolution& total) {
  for (;;) {
    std::vector<Index> sizes;
    for (Part& part : parts) {
      if (part.idx.empty()) need_both_signs(data, part.idx), part.beta.assign(part.idx.size(), 0.0);
      sizes.push_back(static_cast<Index>(part.idx.size()));
    }
    const bool finished = run(sizes, progress, context, [&](Index p, base::Context& own, const Progress& now) {
      Part& part = parts[p];
      part.solution = solve_on(data, part.idx, part.beta, {}, inner, own, now);
    });
    for (const Part& part : parts) {
      total.add_costs(part.solution);
      if (part.solution.stop_reason != StopReason::converged) total.stop_reason = part.solution.stop_reason;
    }
    if (!finished) total.stop_reason = StopReason::cancelled;
    if (parts.size() == 1 || !finished) return std::move(parts[0]);
    for (Part& part : parts) keep_support(part);
    std::vector<Part> next;
    for (std::size_t p = 0; p < parts.size(); p += 2) next.push_back(merge(std::move(parts[p]), std::move(parts[p + 1])));
    parts = std::move(next);
  }
}

}  // namespace

template <class T>
SampledSolution cascade_svm(const PairData<T>& data, const CascadeOptions& options, std::vector<double>& beta,
                            const RunSideBySide& run, base::Context& context, Progress progress) {
  base::Context own = context;  // half of the memory for the parts, half for the look at all points
  own.cap_bytes = context.cap_bytes / 2;
  base::Random random(context.seed);
  WholePoint<T> whole(data, beta, context.cap_bytes - own.cap_bytes, *context.pool);
  SampledSolution total;
  const qp::Options inner{kInside * options.tol, options.max_iter, options.shrinking};
  const auto outside_of = [&](const Part& part) {
    whole.look(*context.pool);
    return whole.violators(part.solution.bias, kOutside * options.tol, whole.size(), *context.pool).idx;
  };
  double least = std::numeric_limits<double>::infinity();  // violation so far
  Index without = 0;                                       // passes since it fell
  for (Index pass = 1; total.stop_reason == StopReason::converged; ++pass) {
    const auto start = base::Clock::now();
    const std::int64_t before = total.n_iter;
    progress.level = static_cast<int>(pass);
    Part last = run_pass(data, deal(data, whole, options.leaves, random), inner, run, own, progress, total);
    // Every leaf starts from the whole's point, so a finished root is not above it; objectives in float would not tell.
    const bool finished = total.stop_reason != StopReason::cancelled;
    if (finished || last.solution.objective < whole.objective()) whole.place(last.idx, last.beta);
    std::vector<Index> outside = outside_of(last);
    const auto goes_on = [&] {
      return !outside.empty() && whole.violation() > options.tol && total.stop_reason == StopReason::converged;
    };
    if (goes_on() && whole.violation() > kSlow * least) {  // who violate are in different leaves again: all together
      last = together(data, whole, outside);
      last.solution = solve_on(data, last.idx, last.beta, {}, inner, own, progress);
      total.add_costs(last.solution);
      total.stop_reason = last.solution.stop_reason;
      whole.place(last.idx, last.beta);
      outside = outside_of(last);
    }
    // without free points the bias of a part may be any of many
    total.bias = !outside.empty() && whole.violation() <= options.tol ? whole.bias() : last.solution.bias;
    total.n_bounded = last.solution.n_bounded;
    total.n_support = static_cast<Index>(whole.support().size());
    total.objective = whole.objective();
    total.violation = whole.violation();
    total.rounds.push_back({progress.level,
                            options.leaves,
                            {static_cast<Index>(last.idx.size())},
                            base::seconds_since(start),
                            0,
                            total.n_support,
                            total.objective,
                            total.violation,
                            total.n_iter - before});
    if (!goes_on()) break;
    without = total.violation < least ? 0 : without + 1;
    least = std::min(least, total.violation);
    if (without == kPatience) total.stop_reason = StopReason::stagnated;
    if (pass == options.passes) total.stop_reason = StopReason::max_iter;
  }
  total.judge(options.accepted_tol);
  total.peak_bytes += static_cast<std::int64_t>(whole.bytes());
  beta = whole.beta();
  return total;
}

template SampledSolution cascade_svm<float>(const PairData<float>&, const CascadeOptions&, std::vector<double>&,
                                            const RunSideBySide&, base::Context&, Progress);
template SampledSolution cascade_svm<double>(const PairData<double>&, const CascadeOptions&, std::vector<double>&,
                                             const RunSideBySide&, base::Context&, Progress);

}  // namespace dcsvm::sampled
