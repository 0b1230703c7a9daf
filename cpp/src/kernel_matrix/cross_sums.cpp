#include "kernel_matrix/cross_sums.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "data/read.hpp"
#include "kernel_matrix/folded_columns.hpp"
#include "kernel_matrix/plan.hpp"

namespace dcsvm::kernel_matrix {

namespace {

/// Spreads coefficients of both signs evenly, so that what is added up in T stays small.
std::vector<Index> mix_signs(const std::vector<Index>& points, const double* coef) {
  std::vector<Index> positive, other, mixed;
  for (const Index i : points) (coef[i] > 0 ? positive : other).push_back(i);
  mixed.reserve(points.size());
  for (std::size_t p = 0, o = 0; mixed.size() < points.size();) {
    const bool next = o == other.size() || (p < positive.size() && (2 * p + 1) * other.size() <= (2 * o + 1) * positive.size());
    mixed.push_back(next ? positive[p++] : other[o++]);
  }
  return mixed;
}

/// Points that share the factor of the folded columns, as the rows of tiles: each has one coefficient.
template <class T>
struct Group {
  kernels::QuerySet<T> points;
  std::vector<double> coef;
};

template <class T>
class PackedSums final : public CrossSums<T> {
 public:
  PackedSums(const DataView& x, Plan<T> plan, FoldedColumns columns, const double* coef)
      : plan_(std::move(plan)), columns_(std::move(columns)), factor_(plan_.map) {
    factor_.near_below = std::numeric_limits<T>::infinity();
    const auto d = static_cast<Index>(columns_.kept.size()), folded = static_cast<Index>(columns_.folded.size());
    std::vector<double> patterns;
    for (const auto& members : columns_.groups) {
      const std::vector<Index> order = mix_signs(members, coef);
      const auto n = static_cast<Index>(order.size());
      const std::vector<double> rows = copy_columns(x, order.data(), 0, n, columns_.kept);
      Group<T> group{kernels::QuerySet<T>(dense(rows.data(), n, d), nullptr, 0, n, plan_.form, shift()), {}};
      for (const Index i : order) group.coef.push_back(coef[i]);
      groups_.push_back(std::move(group));
      const std::vector<double> pattern = copy_columns(x, order.data(), 0, 1, columns_.folded);
      patterns.insert(patterns.end(), pattern.begin(), pattern.end());
    }
    if (folded == 0) return;
    const auto n = static_cast<Index>(groups_.size());
    patterns_ = std::make_unique<kernels::QuerySet<T>>(dense(patterns.data(), n, folded), nullptr, 0, n, plan_.form, nullptr);
  }

  void sum(const DataView& queries, Index first, Index m, double* out) const override {
    base::ThreadPool serial(1);
    std::fill(out, out + m, 0.0);
    if (columns_.folded.empty()) {
      const kernels::PointSet<T> set(queries, nullptr, first, m, plan_.form, shift(), serial);
      add(groups_[0], set, m, out);
      return refuse(plan_.map, set, m, out);
    }
    const auto set_of = [&](const std::vector<Index>& which, const double* shift) {
      const std::vector<double> rows = copy_columns(queries, nullptr, first, m, which);
      return kernels::PointSet<T>(dense(rows.data(), m, static_cast<Index>(which.size())), nullptr, 0, m, plan_.form, shift,
                                  serial);
    };
    const kernels::PointSet<T> set = set_of(columns_.kept, shift()), folded = set_of(columns_.folded, nullptr);
    const std::vector<T> factors = factors_of(folded, m);
    std::vector<double> part(m);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::fill(part.begin(), part.end(), 0.0);
      add(groups_[g], set, m, part.data());
      const T* factor = factors.data() + g * static_cast<std::size_t>(m);
      for (Index r = 0; r < m; ++r) out[r] += static_cast<double>(factor[r]) * part[r];
    }
    refuse(plan_.map, set, m, out);
    refuse(factor_, folded, m, out);
  }

  Index grain() const override {
    constexpr Index kPanelBytes = 24 * 1024;
    const Index panel = simd::ops<T>().nr, d = std::max<Index>(static_cast<Index>(columns_.kept.size()), 1);
    return panel * std::clamp<Index>(kPanelBytes / (panel * d * static_cast<Index>(sizeof(T))), 1, 8);
  }

 private:
  const double* shift() const { return plan_.shift.empty() ? nullptr : plan_.shift.data(); }

  void add(const Group<T>& group, const kernels::PointSet<T>& set, Index m, double* out) const {
    kernels::kernel_tile_sum(plan_.map, group.points, set, 0, m, group.coef.data(), out);
  }
  /// groups x m: each group's exp(-gamma |x_A - y_A|^2).
  std::vector<T> factors_of(const kernels::PointSet<T>& folded, Index m) const {
    std::vector<T> factors(groups_.size() * static_cast<std::size_t>(m));
    std::vector<T*> rows;
    rows.reserve(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) rows.push_back(factors.data() + g * static_cast<std::size_t>(m));
    kernels::kernel_tile(factor_, *patterns_, folded, 0, m, rows.data());
    return factors;
  }
  /// NaN where a query's distances overflow.
  static void refuse(const simd::MapParams<T>& map, const kernels::PointSet<T>& set, Index m, double* out) {
    for (Index r = 0; r < m; ++r) {
      if (overflows(map, set.norms()[r])) out[r] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  Plan<T> plan_;  // of the columns that are kept
  FoldedColumns columns_;
  simd::MapParams<T> factor_;
  std::vector<Group<T>> groups_;
  std::unique_ptr<kernels::QuerySet<T>> patterns_;  // each group's folded columns
};

/// All columns kept, all points in one group.
FoldedColumns unfolded(const DataView& x) {
  FoldedColumns out;
  out.groups.resize(1);
  for (Index i = 0; i < rows_of(x); ++i) out.groups[0].push_back(i);
  for (Index j = 0; j < cols_of(x); ++j) out.kept.push_back(j);
  return out;
}

}  // namespace

template <class T>
std::unique_ptr<CrossSums<T>> make_cross_sums(const DataView& x, const KernelParams& kernel, const double* coef,
                                              base::ThreadPool& pool) {
  const Index n = rows_of(x);
  if (kernel.type == KernelType::precomputed || n == 0) return nullptr;
  Plan<T> plan = make_plan<T>(x, nullptr, n, kernel, 0.0, pool);
  if (plan.form != kernels::Form::dense) return nullptr;
  FoldedColumns columns = kernel.type == KernelType::rbf ? fold_columns(x) : unfolded(x);
  const auto d = static_cast<Index>(columns.kept.size());
  if (!columns.folded.empty()) {
    const std::vector<double> kept = copy_columns(x, nullptr, 0, n, columns.kept);
    plan = make_plan<T>(dense(kept.data(), n, d), nullptr, n, kernel, 0.0, pool, false);
  }
  take_differences(plan, d);
  return std::make_unique<PackedSums<T>>(x, std::move(plan), std::move(columns), coef);
}

template std::unique_ptr<CrossSums<float>> make_cross_sums<float>(const DataView&, const KernelParams&, const double*,
                                                                  base::ThreadPool&);
template std::unique_ptr<CrossSums<double>> make_cross_sums<double>(const DataView&, const KernelParams&, const double*,
                                                                    base::ThreadPool&);

}  // namespace dcsvm::kernel_matrix
