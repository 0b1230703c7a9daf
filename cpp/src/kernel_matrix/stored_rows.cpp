// The whole kernel matrix in memory, for several problems over the same points.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/picked_columns.hpp"

namespace dcsvm::kernel_matrix {

namespace {

template <class T>
class StoredRows final : public RowSource<T> {
 public:
  StoredRows(const RowSource<T>& base, ThreadPool& pool) : base_(base), n_(base.size()), k_(n_ * n_), diagonal_(n_) {
    std::vector<Index> all(n_);
    std::iota(all.begin(), all.end(), Index{0});
    const auto columns = base.columns(all.data(), n_, k_.bytes(), pool);
    const Index groups = (n_ + kRows - 1) / kRows;
    pool.for_each(groups, [&](Index group, int) { compute_from_diagonal(*columns, group * kRows, all.data()); });
    pool.for_each(groups, [&](Index group, int) { mirror(group * kRows); });
    for (Index i = 0; i < n_; ++i) diagonal_[i] = k_[i * n_ + i];
    n_values_ = base.n_values();
    rounding_ = base.rounding();
    // Each value is computed once, all of them with one centre, so that no update sees it rounded otherwise.
    if (base.negligible() == 0) rounding_.by_columns = false;
  }
  Index size() const override { return n_; }
  T diagonal(Index i) const override { return diagonal_[i]; }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t, ThreadPool&) const override {
    return std::make_unique<PickedColumns<T, StoredRows>>(*this, idx, n);
  }
  bool read(const Index* rows, Index m, const Index* idx, Index n, T* const* out) const override {
    for (Index r = 0; r < m; ++r) {
      const T* values = k_.data() + rows[r] * n_;
      for (Index j = 0; j < n; ++j) out[r][j] = values[idx[j]];
    }
    return true;
  }
  const T* row(Index i, std::vector<T>&) const { return k_.data() + i * n_; }
  void count(Index) const {}  // all values were counted once
  std::int64_t n_values() const override { return n_values_; }
  double work_per_value() const override { return kReadWork; }
  kernels::Rounding rounding() const override { return rounding_; }
  std::uint64_t point_key(Index i) const override { return base_.point_key(i); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override { return base_.in_double(pool); }

 private:
  static constexpr Index kRows = 64;  // rows that are prepared, and mirrored, together

  // Rows from `first` on, from the piece of columns with the diagonal to the last.
  void compute_from_diagonal(const Columns<T>& columns, Index first, const Index* all) {
    const Index m = std::min(kRows, n_ - first), grain = columns.grain();
    const auto prepared = columns.prepare(all + first, m, ThreadPool::serial());
    std::vector<T*> at(static_cast<std::size_t>(m));
    for (Index begin = first / grain * grain; begin < n_; begin += grain) {
      for (Index r = 0; r < m; ++r) at[r] = k_.data() + (first + r) * n_ + begin;
      prepared->compute(begin, std::min(n_, begin + grain), at.data());
    }
  }

  // K is symmetric, and so are its roundings: rows from `first` on take what is left of the diagonal from above it.
  void mirror(Index first) {
    const Index last = std::min(n_, first + kRows);
    for (Index from = 0; from < last; from += kRows) {
      for (Index i = first; i < last; ++i) {
        for (Index j = from; j < std::min(from + kRows, i); ++j) k_[i * n_ + j] = k_[j * n_ + i];
      }
    }
  }

  const RowSource<T>& base_;
  Index n_;
  base::Buffer<T> k_, diagonal_;  // the diagonal again: its values in k_ are far from each other
  std::int64_t n_values_ = 0;
  kernels::Rounding rounding_;  // each solve asks for it
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_stored_rows(const RowSource<T>& base, ThreadPool& pool) {
  return std::make_unique<StoredRows<T>>(base, pool);
}

template std::unique_ptr<RowSource<float>> make_stored_rows<float>(const RowSource<float>&, ThreadPool&);
template std::unique_ptr<RowSource<double>> make_stored_rows<double>(const RowSource<double>&, ThreadPool&);

}  // namespace dcsvm::kernel_matrix
