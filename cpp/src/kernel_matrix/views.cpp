// Two row sources: a given matrix, and a subset of another source.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>

#include "data/byte_grid.hpp"
#include "data/read.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/picked_columns.hpp"
#include "kernel_matrix/subset_columns.hpp"

namespace dcsvm::kernel_matrix {

namespace {

template <class T>
class GivenRows final : public RowSource<T> {
 public:
  explicit GivenRows(const DataView& x) : x_(x) {}
  Index size() const override { return rows_of(x_); }
  T diagonal(Index i) const override {
    if (const auto* dense = std::get_if<DenseView>(&x_)) {
      const Index at = i * (dense->row_stride + dense->col_stride);
      return dense->scalar == ScalarType::float32 ? static_cast<T>(static_cast<const float*>(dense->data)[at])
                                                  : static_cast<T>(static_cast<const double*>(dense->data)[at]);
    }
    const auto& csr = std::get<CsrView>(x_);
    for (Index t = data::row_begin(csr, i), end = data::row_begin(csr, i + 1); t < end; ++t) {
      if (data::column_at(csr, t) == i) return static_cast<T>(data::value_at(csr, t));
    }
    return T(0);
  }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t, ThreadPool&) const override {
    return std::make_unique<PickedColumns<T, GivenRows>>(*this, idx, n);
  }
  const T* row(Index i, std::vector<T>& room) const {
    room.resize(cols_of(x_));
    data::copy_rows(x_, nullptr, i, 1, room.data(), cols_of(x_));
    return room.data();
  }
  void count(Index values) const { n_values_.fetch_add(values, std::memory_order_relaxed); }
  std::int64_t n_values() const override { return n_values_.load(std::memory_order_relaxed); }
  // Of all values, found once: the diagonal of an indefinite matrix may be 0. A few values are rounded alike.
  kernels::Rounding rounding() const override {
    std::call_once(values_seen_, [this] {
      std::vector<T> room;
      for (Index i = 0; i < size(); ++i) {
        const T* values = row(i, room);
        for (Index j = 0; j < size(); ++j) largest_ = std::max(largest_, std::abs(static_cast<double>(values[j])));
      }
      few_levels_ = data::has_few_levels(x_, ThreadPool::serial());
    });
    kernels::Rounding r = kernels::rounding_of_given<T>(largest_);
    r.alike = few_levels_;
    return r;
  }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool&) const override {
    if constexpr (std::is_same_v<T, double>) return nullptr;
    return std::make_shared<GivenRows<double>>(x_);
  }

 private:
  DataView x_;
  mutable std::atomic<std::int64_t> n_values_{0};
  mutable std::once_flag values_seen_;
  mutable double largest_ = 0;  // |K|
  mutable bool few_levels_ = false;
};

template <class T>
class SubsetRows final : public RowSource<T> {
 public:
  SubsetRows(const RowSource<T>& base, std::vector<Index> idx) : base_(base), idx_(std::move(idx)) {}
  Index size() const override { return static_cast<Index>(idx_.size()); }
  T diagonal(Index i) const override { return base_.diagonal(idx_[i]); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return subset_columns(base_, idx_, idx, n, budget, pool);
  }
  bool read(const Index* rows, Index m, const Index* idx, Index n, T* const* out) const override {
    return base_.read(mapped(idx_, rows, m).data(), m, mapped(idx_, idx, n).data(), n, out);
  }
  std::int64_t n_values() const override { return base_.n_values(); }
  double negligible() const override { return base_.negligible(); }
  double work_per_value() const override { return base_.work_per_value(); }
  kernels::Rounding rounding() const override { return base_.rounding(); }
  std::uint64_t point_key(Index i) const override { return base_.point_key(idx_[i]); }
  Index variables_per_point() const override { return 1; }  // those of a point need not stay together
  LinearRows linear_rows() const override { return base_.linear_rows().of(idx_); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override {
    return subset_of(base_.in_double(pool), idx_);
  }
  /// Keeps the base alive.
  void hold(std::shared_ptr<const RowSource<T>> base) { held_ = std::move(base); }

 private:
  const RowSource<T>& base_;
  std::vector<Index> idx_;
  std::shared_ptr<const RowSource<T>> held_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_precomputed_rows(const DataView& k) {
  return std::make_unique<GivenRows<T>>(k);
}
template <class T>
std::unique_ptr<RowSource<T>> make_subset(const RowSource<T>& base, std::vector<Index> idx) {
  return std::make_unique<SubsetRows<T>>(base, std::move(idx));
}

std::shared_ptr<const RowSource<double>> subset_of(std::shared_ptr<const RowSource<double>> base, std::vector<Index> idx) {
  if (!base) return nullptr;
  auto subset = std::make_shared<SubsetRows<double>>(*base, std::move(idx));
  subset->hold(std::move(base));
  return subset;
}

template std::unique_ptr<RowSource<float>> make_precomputed_rows<float>(const DataView&);
template std::unique_ptr<RowSource<double>> make_precomputed_rows<double>(const DataView&);
template std::unique_ptr<RowSource<float>> make_subset<float>(const RowSource<float>&, std::vector<Index>);
template std::unique_ptr<RowSource<double>> make_subset<double>(const RowSource<double>&, std::vector<Index>);

}  // namespace dcsvm::kernel_matrix
