// Kernel values between queries and a packed set of points.
#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

#include "data/point_store.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/plan.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using base::ThreadPool;

/// Rows [first, first + m) in CSR form.
data::PointStore non_zeros(const DenseView& x, Index first, Index m) {
  data::PointStore store;
  store.sparse = true;
  store.rows = m;
  store.cols = x.cols;
  store.indptr.push_back(0);
  std::vector<double> row(x.cols);
  for (Index r = 0; r < m; ++r) {
    data::copy_rows(x, nullptr, first + r, 1, row.data(), x.cols);
    for (Index j = 0; j < x.cols; ++j) {
      if (row[j] == 0.0) continue;
      store.indices.push_back(j);
      store.values64.push_back(row[j]);
    }
    store.indptr.push_back(static_cast<std::int64_t>(store.values64.size()));
  }
  return store;
}

template <class T>
class PackedCross final : public CrossKernel<T> {
 public:
  PackedCross(const DataView& x, const Index* idx, Index n, const KernelParams& kernel, double negligible, ThreadPool& pool,
              bool bytes = std::is_same_v<T, float>)
      : kernel_(kernel), d_(cols_of(x)) {
    plan_ = make_plan<T>(x, idx, n, kernel, negligible, pool, bytes);
    if (region_size() == 0) take_differences(plan_, d_);
    points_ = kernels::PointSet<T>(x, idx, 0, n, plan_.form, term(), shift(), pool, plan_.grid);
    if (region_size() > 0) regions_ = kernels::Regions<T>(points_, plan_.reach, pool);
  }
  Index size() const override { return points_.size(); }
  Index region_size() const override { return plan_.reach.limit2 > T(0) ? kernels::region_size<T>() : 0; }
  void near_blocks(const DataView& queries, Index first, Index m, const NearBlock<T>& use) const override {
    std::vector<Index> rows(m);
    std::iota(rows.begin(), rows.end(), first);
    const kernels::NearRows<T> near(queries, rows.data(), m, shift(), plan_.reach, ThreadPool::serial());
    const Index region = kernels::region_size<T>();
    base::Buffer<T> tile(m * region);
    std::vector<std::int32_t> which(rows.size());
    std::vector<T*> at(rows.size());
    for (Index r = 0; r < m; ++r) at[r] = tile.data() + r * region;
    for (Index begin = 0; begin < size(); begin += region) {
      const Index end = std::min(size(), begin + region), count = near.near(regions_, begin / region, which.data());
      if (count == 0) continue;
      near.compute(plan_.map, near_below_in_region<T>, points_, regions_, begin, end, which.data(), count, at.data());
      use(begin, end, which.data(), count, at.data());
    }
  }
  void block(const DataView& queries, Index first, Index m, Index begin, Index end, T* out, Index ld) const override {
    if (cols_of(queries) != d_) throw DataError("queries have another number of features than the points");
    const auto* rows = std::get_if<DenseView>(&queries);
    if (plan_.form == kernels::Form::sparse && rows != nullptr) {  // sparse points are multiplied with sparse queries only
      const data::PointStore stored = non_zeros(*rows, first, m);
      return block(stored.view(), 0, m, begin, end, out, ld);
    }
    const Index nr = simd::ops<T>().nr;
    const Index from = begin / nr * nr, skip = begin - from;
    std::vector<T*> at(static_cast<std::size_t>(m));
    base::Buffer<T> wide(skip > 0 ? m * (end - from) : 0);
    for (Index r = 0; r < m; ++r) at[r] = skip > 0 ? wide.data() + r * (end - from) : out + r * ld;
    tile(queries, nullptr, first, m, from, end, at.data());
    if (skip == 0) return;
    for (Index r = 0; r < m; ++r)
      std::copy(wide.data() + r * (end - from) + skip, wide.data() + (r + 1) * (end - from), out + r * ld);
  }

 private:
  kernels::Term term() const { return kernels::term_of(plan_.map.kind); }
  const double* shift() const { return plan_.shift.empty() ? nullptr : plan_.shift.data(); }
  void tile(const DataView& queries, const Index* idx, Index first, Index m, Index begin, Index end, T* const* out) const {
    const kernels::QuerySet<T> set(queries, idx, first, m, plan_.form, term(), shift(), ThreadPool::serial(), plan_.grid,
                                   end - begin);
    const auto off_grid = static_cast<Index>(set.off_grid().size());
    if (off_grid < m) kernels::kernel_tile(plan_.map, set, points_, begin, end, out);
    for (Index r = 0; plan_.form == kernels::Form::dense && r < m; ++r) {
      if (overflows(plan_.map, set.norm(r))) std::fill(out[r], out[r] + (end - begin), std::numeric_limits<T>::quiet_NaN());
    }
    if (off_grid == 0) return;
    std::vector<Index> rows;  // separately, so that the values of a query do not depend on its neighbours
    std::vector<T*> to;
    for (const Index r : set.off_grid()) {
      rows.push_back(first + r);
      to.push_back(out[r]);
    }
    without_bytes().tile(queries, rows.data(), 0, off_grid, begin, end, to.data());
  }
  // The same points packed as floats, for queries off the grid; made at the first such query.
  const PackedCross& without_bytes() const {
    std::call_once(once_, [this] {
      const auto values = points_.byte_points().unpack();
      floats_ = std::make_unique<PackedCross>(dense(values.data(), points_.size(), d_), nullptr, points_.size(), kernel_, 0.0,
                                              ThreadPool::serial(), false);
    });
    return *floats_;
  }

  KernelParams kernel_;
  Index d_;
  Plan<T> plan_;
  kernels::PointSet<T> points_;
  kernels::Regions<T> regions_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<PackedCross> floats_;
};

}  // namespace

template <class T>
std::unique_ptr<CrossKernel<T>> make_near_kernel(const DataView& x, const Index* idx, Index n, const KernelParams& kernel,
                                                 double negligible, ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed) throw ParameterError("kernel: a precomputed kernel has no points");
  return std::make_unique<PackedCross<T>>(x, idx, n, kernel, negligible, pool);
}

template <class T>
std::unique_ptr<CrossKernel<T>> make_cross_kernel(const DataView& x, const Index* idx, Index n, const KernelParams& kernel) {
  return make_near_kernel<T>(x, idx, n, kernel, 0.0, ThreadPool::serial());
}

template std::unique_ptr<CrossKernel<float>> make_cross_kernel<float>(const DataView&, const Index*, Index, const KernelParams&);
template std::unique_ptr<CrossKernel<double>> make_cross_kernel<double>(const DataView&, const Index*, Index,
                                                                        const KernelParams&);
template std::unique_ptr<CrossKernel<float>> make_near_kernel<float>(const DataView&, const Index*, Index, const KernelParams&,
                                                                     double, ThreadPool&);
template std::unique_ptr<CrossKernel<double>> make_near_kernel<double>(const DataView&, const Index*, Index, const KernelParams&,
                                                                       double, ThreadPool&);

}  // namespace dcsvm::kernel_matrix
