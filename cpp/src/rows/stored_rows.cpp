// The whole kernel matrix held in memory: several problems over the same points read it at once.
#include <algorithm>

#include "base/buffer.hpp"
#include "rows/kernel_rows.hpp"

namespace dcsvm::rows {

namespace {

template <class T>
class StoredColumns final : public Columns<T> {
 public:
  StoredColumns(const base::Buffer<T>& k, Index n, const Index* idx, Index m) : k_(k), n_(n), idx_(idx, idx + m) {}
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return 4096; }
  std::size_t bytes() const override { return idx_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m) const override;

 private:
  template <class U>
  friend class StoredPrepared;
  const base::Buffer<T>& k_;
  Index n_;
  std::vector<Index> idx_;
};

template <class T>
class StoredPrepared final : public PreparedRows<T> {
 public:
  StoredPrepared(const StoredColumns<T>& columns, const Index* rows, Index m) : columns_(columns), rows_(rows, rows + m) {}
  void compute(Index begin, Index end, T* const* out) const override {
    const Index* idx = columns_.idx_.data();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const T* row = columns_.k_.data() + rows_[r] * columns_.n_;
      for (Index j = begin; j < end; ++j) out[r][j - begin] = row[idx[j]];
    }
  }

 private:
  const StoredColumns<T>& columns_;
  std::vector<Index> rows_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> StoredColumns<T>::prepare(const Index* rows, Index m) const {
  return std::make_unique<StoredPrepared<T>>(*this, rows, m);
}

template <class T>
class StoredRows final : public RowSource<T> {
 public:
  StoredRows(const RowSource<T>& base, ThreadPool& pool) : n_(base.size()), k_(base.size() * base.size()) {
    constexpr Index kRows = 256;
    std::vector<Index> all(static_cast<std::size_t>(n_));
    for (Index i = 0; i < n_; ++i) all[static_cast<std::size_t>(i)] = i;
    const auto columns = base.columns(all.data(), n_, k_.bytes(), pool);
    for (Index i = 0; i < n_; i += kRows) columns->block(all.data() + i, std::min(kRows, n_ - i), k_.data() + i * n_, n_, pool);
    n_values_ = base.n_values();
  }
  Index size() const override { return n_; }
  T diagonal(Index i) const override { return k_[i * n_ + i]; }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t, ThreadPool&) const override {
    return std::make_unique<StoredColumns<T>>(k_, n_, idx, n);
  }
  std::int64_t n_values() const override { return n_values_; }

 private:
  Index n_;
  base::Buffer<T> k_;
  std::int64_t n_values_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_stored_rows(const RowSource<T>& base, ThreadPool& pool) {
  return std::make_unique<StoredRows<T>>(base, pool);
}

template std::unique_ptr<RowSource<float>> make_stored_rows<float>(const RowSource<float>&, ThreadPool&);
template std::unique_ptr<RowSource<double>> make_stored_rows<double>(const RowSource<double>&, ThreadPool&);

}  // namespace dcsvm::rows
