#include "qp/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "dcsvm/errors.hpp"
#include "qp/exact_products.hpp"
#include "qp/inner_smo.hpp"

namespace dcsvm::qp {

namespace {

// A variable that rounding left just beside its bound is not free: its gradient does not determine the bias.
double rounding(const Problem& p, Index i) { return 1e-12 * (p.hi[i] - p.lo[i]); }
bool below_high(const Problem& p, const double* beta, Index i) { return beta[i] < p.hi[i] - rounding(p, i); }
bool above_low(const Problem& p, const double* beta, Index i) { return beta[i] > p.lo[i] + rounding(p, i); }

// The constraint's multiplier: the mean gradient of a group's free variables, or between its bounds.
double bias_of(const Problem& problem, const double* beta, const double* g, std::size_t group) {
  double sum = 0;
  Index free = 0;
  Bounds b = kNoBounds.of[0];
  for (Index i = 0; i < problem.n; ++i) {
    if (problem.group_of(i) != group) continue;
    const bool up = below_high(problem, beta, i), low = above_low(problem, beta, i);
    b.see(g[i], up, low);
    if (up && low) sum += g[i], ++free;
  }
  if (free > 0) return sum / static_cast<double>(free);
  if (std::isfinite(b.up) && std::isfinite(b.low)) return 0.5 * (b.up + b.low);
  return std::isfinite(b.up) ? b.up : std::isfinite(b.low) ? b.low : 0.0;
}

}  // namespace

template <class T>
double gradient_at(const kernel_matrix::RowSource<T>& source, const Problem& problem, const double* beta, std::size_t budget,
                   base::ThreadPool& pool, double* gradient) {
  std::copy(problem.q, problem.q + problem.n, gradient);
  std::vector<Index> start;
  std::vector<double> minus;
  double sum = 0.0;
  for (Index i = 0; i < problem.n; ++i) {
    if (beta[i] == 0.0) continue;
    start.push_back(i);
    minus.push_back(-beta[i]);
    sum += std::abs(beta[i]);
  }
  if (start.empty()) return sum;
  if constexpr (std::is_same_v<T, double>) {
    // Row by row, as sums of few roundings: what a column is added to at a time, n times, would be rounded n times.
    if (!source.linear_rows()) {
      const auto columns = source.columns(start.data(), static_cast<Index>(start.size()), budget, pool);
      const Index per_point = source.variables_per_point();
      std::vector<Index> first;
      for (Index i = 0; i < problem.n; i += per_point) first.push_back(i);
      const std::vector<double> sums = exact_products(source, {start, minus, *columns}, first, budget / 2, pool);
      for (Index i = 0; i < problem.n; ++i) gradient[i] += sums[i / per_point];
      return sum;
    }
  }
  std::vector<Index> everyone(static_cast<std::size_t>(problem.n));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  source.multiply(everyone.data(), problem.n, start.data(), minus.data(), static_cast<Index>(start.size()), gradient, budget,
                  pool);
  return sum;
}

GroupBounds bounds_of(const Problem& problem, const double* beta, const double* g) {
  GroupBounds all = kNoBounds;
  for (Index i = 0; i < problem.n; ++i) {
    all.of[problem.group_of(i)].see(g[i], beta[i]<problem.hi[i], beta[i]> problem.lo[i]);
  }
  return all;
}

double largest_gradient(const Problem& problem, const double* g) {
  double largest = 0;
  for (Index i = 0; i < problem.n; ++i) largest = std::max({largest, std::abs(problem.q[i]), std::abs(g[i])});
  return largest;
}
// A step moves at most two variables. A round that makes a walk may move all variables of its tile, where the walk counts few
// steps; but steps of the SMO come before.
static_assert(2 * InnerSmo<float>::kLookEvery >= kWholeTile && 2 * InnerSmo<double>::kLookEvery >= kWholeTile,
              "the steps of a round that makes a walk, counted twice, are no fewer than the variables that it moves");
double most_additions(const Result& result, Index n) { return 2.0 * static_cast<double>(result.n_iter) + static_cast<double>(n); }

double objective_of(const Problem& problem, const double* beta, const double* g) {
  double twice = 0;
  for (Index i = 0; i < problem.n; ++i) twice -= beta[i] * (problem.q[i] + g[i]);
  return 0.5 * twice;
}

template <class T>
void describe(const Problem& problem, const double* beta, const double* g, Result& result) {
  result.n_support = result.n_bounded = 0;
  for (Index i = 0; i < problem.n; ++i) {
    if (beta[i] == 0.0) continue;
    ++result.n_support;
    if (!above_low(problem, beta, i) || !below_high(problem, beta, i)) ++result.n_bounded;
  }
  result.objective = objective_of(problem, beta, g);
  // An infinite or NaN kernel value makes gradients NaN, which comparisons do not notice.
  if (!std::isfinite(result.objective))
    throw DataError(std::string("X: kernel values overflow (infinity or NaN); scale the features") +
                    (std::is_same_v<T, float> ? " or use precision \"double\"" : ""));
  if (!problem.equality) return;
  result.bias = bias_of(problem, beta, g, 0);
  if (problem.group != nullptr) result.bias1 = bias_of(problem, beta, g, 1);
}

Result joined(const Result& before, Result after) {
  after.n_iter += before.n_iter;
  after.renewed = after.renewed || before.renewed;
  after.in_double = after.in_double || before.in_double;
  after.peak_bytes = std::max(after.peak_bytes, before.peak_bytes);
  after.seconds_rows += before.seconds_rows;
  after.seconds_inner += before.seconds_inner;
  after.seconds_select += before.seconds_select;
  after.seconds_update += before.seconds_update;
  return after;
}

template void describe<float>(const Problem&, const double*, const double*, Result&);
template void describe<double>(const Problem&, const double*, const double*, Result&);
template double gradient_at<float>(const kernel_matrix::RowSource<float>&, const Problem&, const double*, std::size_t,
                                   base::ThreadPool&, double*);
template double gradient_at<double>(const kernel_matrix::RowSource<double>&, const Problem&, const double*, std::size_t,
                                    base::ThreadPool&, double*);

}  // namespace dcsvm::qp
