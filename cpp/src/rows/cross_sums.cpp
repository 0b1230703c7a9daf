#include "rows/cross_sums.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "rows/plan.hpp"

namespace dcsvm::rows {

namespace {

constexpr Index kManyQueries = 1 << 16;

template <class T>
class PackedSums final : public CrossSums<T> {
 public:
  PackedSums(const DataView& x, Plan<T> plan, const double* coef)
      : plan_(std::move(plan)),
        points_(x, nullptr, 0, rows_of(x), plan_.form, shift(), {}, kManyQueries),
        coef_(coef, coef + rows_of(x)),
        d_(cols_of(x)) {}
  void sum(const DataView& queries, Index first, Index m, double* out) const override {
    std::fill(out, out + m, 0.0);
    base::ThreadPool serial(1);
    const kernels::PointSet<T> set(queries, nullptr, first, m, plan_.form, shift(), serial);
    kernels::kernel_tile_sum(plan_.map, points_, set, 0, m, coef_.data(), out);
    for (Index r = 0; r < m; ++r) {
      if (overflows(plan_, set.norms()[r])) out[r] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  Index grain() const override {
    constexpr Index kPanelBytes = 24 * 1024;
    const Index panel = simd::ops<T>().nr;
    return panel * std::clamp<Index>(kPanelBytes / (panel * std::max<Index>(d_, 1) * static_cast<Index>(sizeof(T))), 1, 8);
  }

 private:
  const double* shift() const { return plan_.shift.empty() ? nullptr : plan_.shift.data(); }

  Plan<T> plan_;
  kernels::QuerySet<T> points_;  // the rows of the tiles: each has one coefficient
  std::vector<double> coef_;
  Index d_;
};

}  // namespace

template <class T>
std::unique_ptr<CrossSums<T>> make_cross_sums(const DataView& x, const KernelParams& kernel, const double* coef,
                                              base::ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed || rows_of(x) == 0) return nullptr;
  Plan<T> plan = make_plan<T>(x, nullptr, rows_of(x), kernel, 0.0, pool);
  if (plan.form != kernels::Form::dense) return nullptr;
  take_differences(plan, cols_of(x));
  return std::make_unique<PackedSums<T>>(x, std::move(plan), coef);
}

template std::unique_ptr<CrossSums<float>> make_cross_sums<float>(const DataView&, const KernelParams&, const double*,
                                                                  base::ThreadPool&);
template std::unique_ptr<CrossSums<double>> make_cross_sums<double>(const DataView&, const KernelParams&, const double*,
                                                                    base::ThreadPool&);

}  // namespace dcsvm::rows
