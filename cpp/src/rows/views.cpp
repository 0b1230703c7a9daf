// Row sources behind the same window: a given matrix, and a subset of another source.
#include <algorithm>
#include <atomic>

#include "data/read.hpp"
#include "rows/kernel_rows.hpp"
#include "rows/subset_columns.hpp"

namespace dcsvm::rows {

namespace {

template <class T>
class GivenColumns final : public Columns<T> {
 public:
  GivenColumns(const DataView& x, std::atomic<std::int64_t>& n_values, const Index* idx, Index n)
      : x_(x), n_values_(n_values), idx_(idx, idx + n) {}
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return 4096; }
  std::size_t bytes() const override { return idx_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m) const override;

 private:
  template <class U>
  friend class GivenPrepared;
  const DataView& x_;
  std::atomic<std::int64_t>& n_values_;
  std::vector<Index> idx_;
};

template <class T>
class GivenPrepared final : public PreparedRows<T> {
 public:
  GivenPrepared(const GivenColumns<T>& columns, const Index* rows, Index m) : columns_(columns), rows_(rows, rows + m) {}
  void compute(Index begin, Index end, T* const* out) const override {
    const Index n = cols_of(columns_.x_);
    std::vector<T> full(static_cast<std::size_t>(n));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      data::copy_rows(columns_.x_, nullptr, rows_[r], 1, full.data(), n);
      for (Index j = begin; j < end; ++j)
        out[r][j - begin] = full[static_cast<std::size_t>(columns_.idx_[static_cast<std::size_t>(j)])];
    }
    columns_.n_values_.fetch_add(static_cast<Index>(rows_.size()) * (end - begin), std::memory_order_relaxed);
  }

 private:
  const GivenColumns<T>& columns_;
  std::vector<Index> rows_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> GivenColumns<T>::prepare(const Index* rows, Index m) const {
  return std::make_unique<GivenPrepared<T>>(*this, rows, m);
}

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
    return std::make_unique<GivenColumns<T>>(x_, n_values_, idx, n);
  }
  std::int64_t n_values() const override { return n_values_.load(std::memory_order_relaxed); }

 private:
  DataView x_;
  mutable std::atomic<std::int64_t> n_values_{0};
};

template <class T>
class SubsetRows final : public RowSource<T> {
 public:
  SubsetRows(const RowSource<T>& base, std::vector<Index> idx) : base_(base), idx_(std::move(idx)) {}
  Index size() const override { return static_cast<Index>(idx_.size()); }
  T diagonal(Index i) const override { return base_.diagonal(idx_[static_cast<std::size_t>(i)]); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    std::vector<Index> mapped(static_cast<std::size_t>(n));
    std::transform(idx, idx + n, mapped.begin(), [&](Index i) { return idx_[static_cast<std::size_t>(i)]; });
    return std::make_unique<SubsetColumns<T>>(idx_, base_.columns(mapped.data(), n, budget, pool));
  }
  std::int64_t n_values() const override { return base_.n_values(); }
  double negligible() const override { return base_.negligible(); }
  double work_per_value() const override { return base_.work_per_value(); }

 private:
  const RowSource<T>& base_;
  std::vector<Index> idx_;
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

template std::unique_ptr<RowSource<float>> make_precomputed_rows<float>(const DataView&);
template std::unique_ptr<RowSource<double>> make_precomputed_rows<double>(const DataView&);
template std::unique_ptr<RowSource<float>> make_subset<float>(const RowSource<float>&, std::vector<Index>);
template std::unique_ptr<RowSource<double>> make_subset<double>(const RowSource<double>&, std::vector<Index>);

}  // namespace dcsvm::rows
