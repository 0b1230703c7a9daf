#include "kernel_matrix/cross_sums.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kernel_matrix/plan.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernel_matrix {

namespace {

/// An order of the n points in which coefficients of both signs alternate, so that partial sums in T stay small.
std::vector<Index> mix_signs(const double* coef, Index n) {
  std::vector<Index> positive, other, mixed;
  for (Index i = 0; i < n; ++i) (coef[i] > 0 ? positive : other).push_back(i);
  mixed.reserve(n);
  for (std::size_t p = 0, o = 0; static_cast<Index>(mixed.size()) < n;) {
    const bool next = o == other.size() || (p < positive.size() && (2 * p + 1) * other.size() <= (2 * o + 1) * positive.size());
    mixed.push_back(next ? positive[p++] : other[o++]);
  }
  return mixed;
}

template <class T>
class PackedSums final : public CrossSums<T> {
 public:
  PackedSums(const DataView& x, Plan<T> plan, const double* coef, base::ThreadPool& pool)
      : PackedSums(x, std::move(plan), coef, mix_signs(coef, rows_of(x)), pool) {}

  void sum(const DataView& queries, Index first, Index m, double* out) const override {
    const kernels::PointSet<T> set(queries, nullptr, first, m, plan_.form, term(), shift(), base::ThreadPool::serial());
    std::fill(out, out + m, 0.0);
    kernels::kernel_tile_sum(plan_.map, points_, set, 0, m, coef_.data(), out);
    for (Index r = 0; r < m; ++r) {
      if (overflows(plan_.map, set.norms()[r])) out[r] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  Index grain() const override {
    constexpr Index kPanelBytes = 24 * 1024;
    const Index panel = simd::ops<T>().nr;
    return panel * std::clamp<Index>(kPanelBytes / (panel * d_ * static_cast<Index>(sizeof(T))), 1, 8);
  }

 private:
  PackedSums(const DataView& x, Plan<T> plan, const double* coef, const std::vector<Index>& order, base::ThreadPool& pool)
      : plan_(std::move(plan)),
        d_(std::max<Index>(cols_of(x), 1)),
        points_(x, order.data(), 0, static_cast<Index>(order.size()), plan_.form, term(), shift(), pool) {
    coef_.reserve(order.size());
    for (const Index i : order) coef_.push_back(coef[i]);
  }
  kernels::Term term() const { return kernels::term_of(plan_.map.kind); }
  const double* shift() const { return plan_.shift.empty() ? nullptr : plan_.shift.data(); }

  Plan<T> plan_;
  Index d_;
  kernels::QuerySet<T> points_;  // the rows of tiles: each has one coefficient
  std::vector<double> coef_;
};

}  // namespace

template <class T>
std::unique_ptr<CrossSums<T>> make_cross_sums(const DataView& x, const KernelParams& kernel, const double* coef,
                                              base::ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed || rows_of(x) == 0) return nullptr;
  Plan<T> plan = make_plan<T>(x, nullptr, rows_of(x), kernel, 0.0, pool, std::is_same_v<T, float>);
  if (plan.form != kernels::Form::dense) return nullptr;
  take_differences(plan, cols_of(x));
  return std::make_unique<PackedSums<T>>(x, std::move(plan), coef, pool);
}

template std::unique_ptr<CrossSums<float>> make_cross_sums<float>(const DataView&, const KernelParams&, const double*,
                                                                  base::ThreadPool&);
template std::unique_ptr<CrossSums<double>> make_cross_sums<double>(const DataView&, const KernelParams&, const double*,
                                                                    base::ThreadPool&);

}  // namespace dcsvm::kernel_matrix
