#include "low_rank/nystrom_map.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "base/vectors.hpp"
#include "kernels/product.hpp"
#include "low_rank/symmetric_eigen.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kPanel = 64;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

/// Pivoted Cholesky factorisation by panels, as LAPACK's dpstrf (Higham 1990); both triangles of the matrix are kept.
class PivotedCholesky {
 public:
  PivotedCholesky(base::Buffer<double>& a, Index k, base::ThreadPool& pool)
      : a_(a), k_(k), pool_(pool), order_(base::index_range(k)) {
    for (Index i = 0; i < k; ++i) largest_ = std::max(largest_, std::abs(a_[i * k + i]));
  }
  /// The rank, or -1: not positive semi-definite.
  Index factor() {
    residual_.resize(k_);
    for (Index begin = 0; begin < k_; begin += kPanel) {
      pool_.poll();
      for (Index i = begin; i < k_; ++i) residual_[i] = element(i, i);
      const Index end = std::min(k_, begin + kPanel);
      const Index done = panel(begin, end);
      if (done < 0) return -1;
      if (done < end) return done;
      if (end < k_) {
        double* corner = a_.data() + end * k_;
        kernels::subtract_outer(corner + begin, k_, k_ - end, kPanel, corner + end, k_, pool_);
      }
    }
    return k_;
  }
  const std::vector<Index>& order() const { return order_; }

 private:
  double& element(Index i, Index j) { return a_[i * k_ + j]; }

  // Columns [begin, end) of L; returns the first that has no pivot.
  Index panel(Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const auto from = residual_.begin() + j;
      if (*std::min_element(from, residual_.end()) < -kPivotCut * largest_) return -1;
      const Index pivot = std::max_element(from, residual_.end()) - residual_.begin();
      const double d = residual_[pivot];
      if (!(d > kPivotCut * largest_)) return j;
      swap(j, pivot);
      const double root = std::sqrt(d);
      element(j, j) = root;
      for (Index i = j + 1; i < k_; ++i) {
        double sum = element(i, j);
        for (Index t = begin; t < j; ++t) sum -= element(i, t) * element(j, t);
        sum /= root;
        element(i, j) = sum;
        residual_[i] -= sum * sum;
      }
    }
    return end;
  }
  void swap(Index i, Index j) {
    if (i == j) return;
    std::swap_ranges(&element(i, 0), &element(i, 0) + k_, &element(j, 0));
    for (Index r = 0; r < k_; ++r) std::swap(element(r, i), element(r, j));
    std::swap(residual_[i], residual_[j]);
    std::swap(order_[i], order_[j]);
  }

  base::Buffer<double>& a_;
  Index k_;
  base::ThreadPool& pool_;
  std::vector<Index> order_;
  std::vector<double> residual_;
  double largest_ = 0;
};

}  // namespace

NystromMap cholesky_map(base::Buffer<double>& k_zz, Index k, base::ThreadPool& pool) {
  PivotedCholesky cholesky(k_zz, k, pool);
  const Index rank = cholesky.factor();
  NystromMap map;
  if (rank <= 0) return map;
  map.used.assign(cholesky.order().begin(), cholesky.order().begin() + rank);
  map.cols = rank;
  map.values.assign(rank * rank, 0.0);
  const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> l(k_zz.data(), rank, rank, Eigen::OuterStride<>(k));
  pool.for_range(rank, kPanel, [&](Index begin, Index end, int) {  // columns [begin, end) of L^-1 are rows of M
    const Index m = rank - begin;
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(m, end - begin);
    x.topRows(end - begin).setIdentity();
    l.bottomRightCorner(m, m).triangularView<Eigen::Lower>().solveInPlace(x);
    for (Index c = begin; c < end; ++c) {
      for (Index j = c; j < rank; ++j) map.values[c * rank + j] = x(j - begin, c - begin);
    }
  });
  return map;
}

NystromMap no_map(Index k) {
  NystromMap m;
  m.used = base::index_range(k);
  m.cols = k;
  return m;
}

Spectrum spectrum_of(const base::Buffer<double>& k_zz, Index k, const base::ThreadPool& pool) {
  const EigenPairs pairs = symmetric_eigen(Eigen::Map<const RowMajor>(k_zz.data(), k, k), pool);
  const auto& values = pairs.values;
  std::vector<Index> order = base::index_range(k);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] > values[b]; });
  Spectrum spectrum;
  double total = 0, negative = 0;
  for (Index i = 0; i < k; ++i) {
    total += std::abs(values[i]);
    negative += std::max(0.0, -values[i]);
  }
  spectrum.negative_share = total > 0 ? negative / total : 0.0;
  Index kept = 0;
  while (kept < k && values[order[kept]] > 0 && values[order[kept]] > kEigenCut * values[order[0]]) ++kept;
  spectrum.vectors.resize(k * kept);
  for (Index j = 0; j < kept; ++j) spectrum.values.push_back(values[order[j]]);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < kept; ++j) spectrum.vectors[i * kept + j] = pairs.vectors(i, order[j]);
  }
  return spectrum;
}

NystromMap spectral_map(const Spectrum& spectrum, const std::vector<double>& mu) {
  const auto all = static_cast<Index>(spectrum.values.size());
  const Index k = all > 0 ? static_cast<Index>(spectrum.vectors.size()) / all : 0;
  std::vector<Index> kept;
  for (Index j = 0; j < all; ++j) {
    if (mu[j] > 0) kept.push_back(j);
  }
  NystromMap map;
  map.used = base::index_range(k);
  map.cols = static_cast<Index>(kept.size());
  map.negative_share = spectrum.negative_share;
  map.values.reserve(k * map.cols);
  for (Index i = 0; i < k; ++i) {
    for (const Index j : kept) map.values.push_back(spectrum.vectors[i * all + j] * std::sqrt(mu[j]));
  }
  return map;
}

}  // namespace dcsvm::low_rank
