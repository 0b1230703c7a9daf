#include "rows/kernel_rows.hpp"

#include <atomic>

#include "data/statistics.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/point_set.hpp"

namespace dcsvm::rows {

namespace {

using base::ThreadPool;
using kernels::Form;

// Mean of the rows idx[0..n).
std::vector<double> mean_of(const DataView& x, const Index* idx, Index n) {
  std::vector<double> total(static_cast<std::size_t>(cols_of(x)), 0.0);
  for (Index r = 0; r < n; ++r) data::column_sums(x, idx[r], idx[r] + 1, total.data(), nullptr);
  for (auto& v : total) v /= static_cast<double>(n);
  return total;
}

template <class T>
struct Shared {
  DataView x;
  simd::MapParams<T> map;
  Form form = Form::dense;
  std::vector<double> shift;  // empty: none
  mutable std::atomic<std::int64_t> n_values{0};

  const double* shift_or_null() const { return shift.empty() ? nullptr : shift.data(); }
};

template <class T>
class KernelColumns final : public Columns<T> {
 public:
  KernelColumns(const Shared<T>& shared, const Index* idx, Index n, std::size_t budget, ThreadPool& pool)
      : shared_(shared), idx_(idx, idx + n), grain_(kernels::tile_grain<T>(cols_of(shared.x), n)) {
    const auto count = static_cast<double>(n + simd::ops<T>().nr);  // panels are padded
    const double wanted =
        shared.form == Form::dense
            ? count * (static_cast<double>(cols_of(shared.x)) + 1.0) * sizeof(T) + count * sizeof(Index)
            : static_cast<double>(data::stored_values(shared.x)) * (sizeof(T) + 4.0) + count * (sizeof(T) + 2.0 * sizeof(Index));
    if (wanted <= static_cast<double>(budget)) {
      packed_ = kernels::PointSet<T>(shared.x, idx_.data(), 0, n, shared.form, shared.shift_or_null(), pool);
      held_ = true;
    }
  }
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return grain_; }
  std::size_t bytes() const override { return packed_.bytes() + idx_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m) const override;

 private:
  template <class U>
  friend class KernelPrepared;
  const Shared<T>& shared_;
  std::vector<Index> idx_;
  Index grain_;
  bool held_ = false;  // else every piece is packed when it is computed
  kernels::PointSet<T> packed_;
};

template <class T>
class KernelPrepared final : public PreparedRows<T> {
 public:
  KernelPrepared(const KernelColumns<T>& columns, const Index* rows, Index m)
      : columns_(columns), queries_(columns.shared_.x, rows, 0, m, columns.shared_.form, columns.shared_.shift_or_null()) {}

  void compute(Index begin, Index end, T* const* out) const override {
    const auto& shared = columns_.shared_;
    if (columns_.held_) {
      kernels::kernel_tile(shared.map, queries_, columns_.packed_, begin, end, out);
    } else {
      ThreadPool serial(1);
      const kernels::PointSet<T> piece(shared.x, columns_.idx_.data() + begin, 0, end - begin, shared.form,
                                       shared.shift_or_null(), serial);
      kernels::kernel_tile(shared.map, queries_, piece, 0, end - begin, out);
    }
    shared.n_values.fetch_add(queries_.size() * (end - begin), std::memory_order_relaxed);
  }

 private:
  const KernelColumns<T>& columns_;
  kernels::QuerySet<T> queries_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> KernelColumns<T>::prepare(const Index* rows, Index m) const {
  return std::make_unique<KernelPrepared<T>>(*this, rows, m);
}

template <class T>
class KernelRows final : public RowSource<T> {
 public:
  KernelRows(const DataView& x, const KernelParams& kernel, ThreadPool& pool) {
    shared_.x = x;
    shared_.map = kernels::map_params<T>(kernel);
    shared_.form = kernels::choose_form(x);
    if (kernel.type == KernelType::rbf) {
      if (shared_.form == Form::dense) shared_.shift = data::column_means(x, pool);
    } else {
      fill_diagonal(pool);
    }
  }
  Index size() const override { return rows_of(shared_.x); }
  T diagonal(Index i) const override { return diagonal_.size() == 0 ? T(1) : diagonal_[i]; }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return std::make_unique<KernelColumns<T>>(shared_, idx, n, budget, pool);
  }
  std::int64_t n_values() const override { return shared_.n_values.load(std::memory_order_relaxed); }
  double work_per_value() const override {
    return static_cast<double>(data::stored_values(shared_.x)) / static_cast<double>(size());
  }

 private:
  void fill_diagonal(ThreadPool& pool) {
    diagonal_ = base::Buffer<T>(size());
    pool.for_range(size(), 1024, [&](Index begin, Index end, int) {
      ThreadPool serial(1);
      const kernels::PointSet<T> piece(shared_.x, nullptr, begin, end - begin, shared_.form, nullptr, serial);
      std::copy(piece.norms(), piece.norms() + (end - begin), diagonal_.data() + begin);
      simd::ops<T>().map_row(shared_.map, T(0), piece.norms(), diagonal_.data() + begin, end - begin);
    });
  }

  Shared<T> shared_;
  base::Buffer<T> diagonal_;  // empty for RBF: 1
};

template <class T>
class PackedCross final : public CrossKernel<T> {
 public:
  PackedCross(const DataView& x, const Index* idx, Index n, const KernelParams& kernel)
      : map_(kernels::map_params<T>(kernel)), form_(kernels::choose_form(x)), d_(cols_of(x)) {
    ThreadPool serial(1);
    if (kernel.type == KernelType::rbf && form_ == Form::dense && n > 0)
      shift_ = idx != nullptr ? mean_of(x, idx, n) : data::column_means(x, serial);
    points_ = kernels::PointSet<T>(x, idx, 0, n, form_, shift(), serial);
  }
  Index points() const override { return points_.size(); }
  void block(const DataView& queries, Index first, Index m, Index begin, Index end, T* out, Index ld) const override {
    if (cols_of(queries) != d_) throw DataError("queries have another number of features than the points");
    const Index nr = simd::ops<T>().nr;
    const Index from = begin / nr * nr, skip = begin - from;
    std::vector<T*> at(static_cast<std::size_t>(m));
    base::Buffer<T> wide(skip > 0 ? m * (end - from) : 0);
    for (Index r = 0; r < m; ++r) at[static_cast<std::size_t>(r)] = skip > 0 ? wide.data() + r * (end - from) : out + r * ld;
    tile(queries, first, m, from, end, at.data());
    if (skip == 0) return;
    for (Index r = 0; r < m; ++r)
      std::copy(wide.data() + r * (end - from) + skip, wide.data() + (r + 1) * (end - from), out + r * ld);
  }

 private:
  const double* shift() const { return shift_.empty() ? nullptr : shift_.data(); }
  void tile(const DataView& queries, Index first, Index m, Index begin, Index end, T* const* out) const {
    const kernels::QuerySet<T> set(queries, nullptr, first, m, form_, shift());
    kernels::kernel_tile(map_, set, points_, begin, end, out);
  }

  simd::MapParams<T> map_;
  Form form_;
  Index d_;
  std::vector<double> shift_;
  kernels::PointSet<T> points_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_kernel_rows(const DataView& x, const KernelParams& kernel, ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed) return make_precomputed_rows<T>(x);
  return std::make_unique<KernelRows<T>>(x, kernel, pool);
}

template <class T>
std::unique_ptr<CrossKernel<T>> make_cross_kernel(const DataView& x, const Index* idx, Index n, const KernelParams& kernel) {
  if (kernel.type == KernelType::precomputed) throw ParameterError("kernel: a precomputed kernel has no points");
  return std::make_unique<PackedCross<T>>(x, idx, n, kernel);
}

template std::unique_ptr<RowSource<float>> make_kernel_rows<float>(const DataView&, const KernelParams&, ThreadPool&);
template std::unique_ptr<RowSource<double>> make_kernel_rows<double>(const DataView&, const KernelParams&, ThreadPool&);
template std::unique_ptr<CrossKernel<float>> make_cross_kernel<float>(const DataView&, const Index*, Index, const KernelParams&);
template std::unique_ptr<CrossKernel<double>> make_cross_kernel<double>(const DataView&, const Index*, Index,
                                                                        const KernelParams&);

}  // namespace dcsvm::rows
