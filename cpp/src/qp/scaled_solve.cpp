#include "qp/scaled_solve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "qp/origins.hpp"
#include "qp/outcome.hpp"

namespace dcsvm::qp {

namespace {

constexpr double kEnough = 0.1;  // of the gap that is allowed, and at most tol: what a solve that goes on must reach
// It goes on with the tolerance at which the gap would be this share of that, were it proportional to the violation,
constexpr double kAim = 0.5;
// but within these multiples of the violation.
constexpr double kMostCut = 1e-4, kLeastCut = 0.5;
constexpr int kRounds = 24;
constexpr double kNothing = 1e-14;  // of the terms of the objective: a gain that is rounding

constexpr double kUnit = 0x1.0p-50;     // what double rounds of a sum's terms
constexpr Index kFirstRooms = 64;  // that a list has memory for before it grows

// What of the box a variable has above or below it, with the slope of the linear function there.
struct Room {
  double slope, width;
};

// max over the box of slope'(c - beta), where the sum of c over the variables of the group is that of beta: what lies below is
// moved to what lies above, the most profitable first.
double most_moved(std::vector<Room>& above, std::vector<Room>& below) {
  std::sort(above.begin(), above.end(), [](const Room& a, const Room& b) { return a.slope > b.slope; });
  std::sort(below.begin(), below.end(), [](const Room& a, const Room& b) { return a.slope < b.slope; });
  double gain = 0;
  for (std::size_t u = 0, l = 0; u < above.size() && l < below.size();) {
    const double profit = above[u].slope - below[l].slope;
    if (!(profit > 0)) break;
    const double moved = std::min(above[u].width, below[l].width);
    gain += moved * profit;
    if ((above[u].width -= moved) <= 0) ++u;
    if ((below[l].width -= moved) <= 0) ++l;
  }
  return gain;
}

// max of slope'(c - beta) over feasible c.
double largest_gain(const Problem& problem, const double* beta, const double* slope) {
  double gain = 0;
  if (!problem.equality) {
    for (Index i = 0; i < problem.n; ++i) gain += slope[i] * ((slope[i] > 0 ? problem.hi[i] : problem.lo[i]) - beta[i]);
    return gain;
  }
  const GroupBounds ends = bounds_of(problem, beta, slope);
  for (std::size_t c = 0; c < 2; ++c) {
    const auto [highest, lowest] = ends.of[c];
    if (!(highest > lowest)) continue;
    std::vector<Room> above, below;
    for (auto* rooms : {&above, &below}) rooms->reserve(static_cast<std::size_t>(std::min(problem.n, kFirstRooms)));
    for (Index i = 0; i < problem.n; ++i) {
      if (problem.group_of(i) != c) continue;
      if (beta[i] < problem.hi[i] && slope[i] > lowest) above.push_back({slope[i], problem.hi[i] - beta[i]});
      if (beta[i] > problem.lo[i] && slope[i] < highest) below.push_back({slope[i], beta[i] - problem.lo[i]});
    }
    gain += most_moved(above, below);
  }
  return gain;
}

// What rounding leaves open of a gradient in double, of coefficients whose sum is 1: each of its terms is rounded, and their sum.
template <class T>
double rounding_of_gradients(const kernel_matrix::RowSource<T>& source) {
  double largest = source.linear_rows() ? 0.0 : source.rounding().value;
  for (Index i = 0; i < source.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(source.diagonal(i))));
  return kUnit * largest;
}

double norm1(const double* beta, Index n) {
  return std::accumulate(beta, beta + n, 0.0, [](double sum, double b) { return sum + std::abs(b); });
}

// The steps that may follow a solve of `n_iter`.
std::int64_t further_steps(std::int64_t n_iter, Index n) { return 10 * n_iter + 20 * std::int64_t{n} + 10000; }

}  // namespace

Gap duality_gap(const Problem& problem, const double* beta, const double* g, double small) {
  double square = 0, terms = 0;  // b'Kb
  for (Index i = 0; i < problem.n; ++i) {
    const double image = problem.q[i] - g[i];
    square += beta[i] * image;
    terms += std::abs(beta[i]) * (std::abs(problem.q[i]) + std::abs(image));
  }
  Gap gap{largest_gain(problem, beta, g), std::max(0.0, 0.5 * square)};
  if (gap.left > small * gap.gained) gap.gained += largest_gain(problem, beta, problem.q);
  if (!(gap.gained > kNothing * terms)) gap = {};
  return gap;
}

template <class T>
Result solve_to_scale(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
                      double* gradient, base::Context& context, const Progress& progress) {
  const double accepted = std::max(options.tol, options.accepted_tol), allowed_gap = options.allowed_gap * accepted;
  const double wanted_gap = std::min(accepted, kEnough * allowed_gap);
  const bool judged = options.verify == Verify::violation || options.verify == Verify::solution;
  std::vector<double> own_gradient;
  if (gradient == nullptr && judged) {
    own_gradient.resize(static_cast<std::size_t>(problem.n));
    gradient = own_gradient.data();
  }
  Options own = options;
  const double rounding_of_one = judged ? rounding_of_gradients(source) : 0.0;
  const double rounding = options.absolute ? 0.0 : rounding_of_one * norm1(beta, problem.n);
  if (rounding > accepted) {
    own.accepted_tol = rounding;
    own.tol = rounding * (options.tol / accepted);
  }
  std::optional<Origins> origins;
  if (std::is_same_v<T, float> && judged && own.origins == nullptr) {  // of a gradient in double it makes no difference
    origins = own.gradient_given ? Origins::of_caller(beta, problem.n) : Origins();
    own.origins = &*origins;
  }
  Result result = solve(source, problem, own, beta, gradient, context, progress);
  result.tol = std::max(accepted, rounding);
  // Where w = 0 is nearly a solution, what was gained and what is left may both be rounding.
  const auto gap_now = [&](double small) {
    Gap gap = duality_gap(problem, beta, gradient, small);
    const double sum = norm1(beta, problem.n);
    double rounded = rounding_of_one * sum * sum;
    for (Index i = 0; i < problem.n; ++i) rounded += kUnit * std::abs(problem.q[i] * beta[i]);
    result.gap = std::max(gap.left, rounded);  // a bound, also of what rounding hides
    if (gap.left <= rounded) gap.left = 0;
    return gap;
  };
  if (!judged) return result;
  Gap gap = gap_now(allowed_gap);
  if (result.stop_reason != StopReason::converged) return result;
  const auto rate = [&] { result.relative_gap = gap.relative() > allowed_gap ? gap.relative() : 0.0; };
  rate();
  if (options.absolute) return result;
  // Whether a violation below a smaller or larger tolerance than the one that was judged is known: of gradients in double alone
  // (judge.hpp).
  const auto in_double = [&](const Result& r) { return std::is_same_v<T, double> || r.in_double || source.linear_rows(); };
  if (rounding > accepted) {
    // What was reached is all that double tells: a solution only where it meets the tolerance that was given.
    if (result.relative_gap > 0 || !in_double(result) || !result.is_below(accepted)) result.stop_reason = StopReason::stagnated;
    return result;
  }

  own.gradient_given = true;
  std::int64_t left = std::min(further_steps(result.n_iter, problem.n), step_limit(options, problem.n) - result.n_iter);
  const auto n = static_cast<std::size_t>(problem.n);
  for (int round = 0; gap.relative() > (round == 0 ? allowed_gap : wanted_gap) && round < kRounds && left > 0; ++round) {
    own.accepted_tol =
        std::min(result.tol, result.violation) * std::clamp(kAim * wanted_gap / gap.relative(), kMostCut, kLeastCut);
    own.tol = own.accepted_tol * (options.tol / accepted);
    if (!(own.tol > 0)) break;
    own.max_iter = left;
    own.left_out = result.left_out;
    Progress now = progress;
    now.n_iter += result.n_iter;
    const std::vector<double> last_beta(beta, beta + n), last_gradient(gradient, gradient + n);
    const Origins last_origins = own.origins != nullptr ? *own.origins : Origins();
    const Result last = solve(source, problem, own, beta, gradient, context, now);
    const Result next = joined(result, last);
    left -= last.n_iter;
    const bool reached = next.stop_reason == StopReason::converged, cancelled = next.stop_reason == StopReason::cancelled;
    if (cancelled || reached || (in_double(last) && next.is_below(result.tol))) {
      const double tol = reached ? own.accepted_tol : result.tol;
      result = next;
      result.tol = tol;
      gap = gap_now(wanted_gap);
    } else {  // on the way to a better one: the last one is
      std::copy(last_beta.begin(), last_beta.end(), beta);
      std::copy(last_gradient.begin(), last_gradient.end(), gradient);
      if (own.origins != nullptr) *own.origins = last_origins;
      result.n_iter = next.n_iter;
    }
    rate();
    if (cancelled) break;
    result.stop_reason = StopReason::converged;
    if (!reached) break;
  }
  return result;
}

template Result solve_to_scale<float>(const kernel_matrix::RowSource<float>&, const Problem&, const Options&, double*, double*,
                                      base::Context&, const Progress&);
template Result solve_to_scale<double>(const kernel_matrix::RowSource<double>&, const Problem&, const Options&, double*, double*,
                                       base::Context&, const Progress&);

}  // namespace dcsvm::qp
