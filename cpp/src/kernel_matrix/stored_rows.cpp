// The whole kernel matrix in memory, for several problems over the same points.
#include <algorithm>

#include "base/buffer.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/picked_columns.hpp"

namespace dcsvm::kernel_matrix {

namespace {

template <class T>
class StoredRows final : public RowSource<T> {
 public:
  StoredRows(const RowSource<T>& base, ThreadPool& pool) : base_(base), n_(base.size()), k_(base.size() * base.size()) {
    constexpr Index kRows = 256;
    std::vector<Index> all(n_);
    for (Index i = 0; i < n_; ++i) all[i] = i;
    const auto columns = base.columns(all.data(), n_, k_.bytes(), pool);
    for (Index i = 0; i < n_; i += kRows) columns->block(all.data() + i, std::min(kRows, n_ - i), k_.data() + i * n_, n_, pool);
    n_values_ = base.n_values();
  }
  Index size() const override { return n_; }
  T diagonal(Index i) const override { return k_[i * n_ + i]; }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t, ThreadPool&) const override {
    return std::make_unique<PickedColumns<T, StoredRows>>(*this, idx, n);
  }
  const T* row(Index i, std::vector<T>&) const { return k_.data() + i * n_; }
  void count(Index) const {}  // all values were counted once
  std::int64_t n_values() const override { return n_values_; }
  Rounding rounding() const override { return base_.rounding(); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override { return base_.in_double(pool); }

 private:
  const RowSource<T>& base_;
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

}  // namespace dcsvm::kernel_matrix
