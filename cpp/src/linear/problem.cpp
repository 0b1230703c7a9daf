#include "linear/problem.hpp"

#include <algorithm>
#include <numeric>

namespace dcsvm::linear {

namespace {

constexpr Index kGrain = 2048;

/// visit(i, loss of row i) for rows [begin, end), the kind of loss a constant.
template <Loss L, class Visit>
void each_row(const Problem& p, Index begin, Index end, const Visit& visit) {
  const double* shift = p.shift.empty() ? nullptr : p.shift.data();
  const double inverse_sigma = 1.0 / p.sigma;
  for (Index i = begin; i < end; ++i) {
    visit(i, RowLoss{L, p.y[i], p.C[i], p.width, shift != nullptr ? shift[i] : 0.0, p.sigma, inverse_sigma});
  }
}

}  // namespace

namespace {

/// Sum of term(i, loss of row i), in fixed blocks.
template <class Term>
double sum_rows(const Problem& p, base::ThreadPool& pool, const Term& term) {
  const Index n = p.rows();
  std::vector<double> part((n + kGrain - 1) / kGrain, 0.0);
  pool.for_range(n, kGrain, [&](Index begin, Index end, int) {
    double sum = 0;
    with_loss(p.loss, [&](auto kind) {
      each_row<decltype(kind)::value>(p, begin, end, [&](Index i, const RowLoss& row) { sum += term(i, row); });
    });
    part[begin / kGrain] = sum;
  });
  return std::accumulate(part.begin(), part.end(), 0.0);
}

}  // namespace

double Problem::losses(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const {
  return sum_rows(*this, pool, [&](Index i, const auto& row) { return row.value(z[i] + t * s[i]); });
}

double Problem::slope_along(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const {
  return sum_rows(*this, pool, [&](Index i, const auto& row) { return s[i] * row.slope(z[i] + t * s[i]); });
}

void Problem::derivatives(const std::vector<double>& z, std::vector<double>& slope, std::vector<double>& curvature,
                          base::ThreadPool& pool) const {
  pool.for_range(rows(), kGrain, [&](Index begin, Index end, int) {
    with_loss(loss, [&](auto kind) {
      each_row<decltype(kind)::value>(*this, begin, end, [&](Index i, const RowLoss& row) {
        slope[i] = row.slope(z[i]);
        curvature[i] = row.C > 0 ? row.curvature(z[i]) : 0.0;
      });
    });
  });
}

double class_balance(const Problem& p) {
  if (p.loss == Loss::squared_tube || p.loss == Loss::tube) return 1.0;
  Index pos = 0, all = 0;
  for (Index i = 0; i < p.rows(); ++i) {
    if (p.C[i] == 0) continue;
    ++all;
    if (p.y[i] > 0) ++pos;
  }
  if (all == 0) return 1.0;
  return static_cast<double>(std::max<Index>(std::min(pos, all - pos), 1)) / static_cast<double>(all);
}

}  // namespace dcsvm::linear
