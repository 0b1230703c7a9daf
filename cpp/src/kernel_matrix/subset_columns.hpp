// Columns of a subset of a row source.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// map[idx[0..n)]
inline std::vector<Index> mapped(const std::vector<Index>& map, const Index* idx, Index n) {
  std::vector<Index> out(n);
  std::transform(idx, idx + n, out.begin(), [&](Index i) { return map[i]; });
  return out;
}

// Columns of a subset are columns of the base; only row indices need translation.
template <class T>
class SubsetColumns final : public Columns<T> {
 public:
  SubsetColumns(const std::vector<Index>& map, std::unique_ptr<Columns<T>> base) : map_(map), base_(std::move(base)) {}
  Index size() const override { return base_->size(); }
  Index grain() const override { return base_->grain(); }
  Index rows_at_once() const override { return base_->rows_at_once(); }
  Index region_size() const override { return base_->region_size(); }
  std::size_t bytes() const override { return base_->bytes(); }
  void expect(const Index* rows, Index m, ThreadPool& pool) const override {
    base_->expect(mapped(map_, rows, m).data(), m, pool);
  }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const override {
    return base_->prepare(mapped(map_, rows, m).data(), m, pool);
  }

 private:
  const std::vector<Index>& map_;
  std::unique_ptr<Columns<T>> base_;
};

/// Columns idx[0..n) of the subset `map` of `base`. `map` must outlive them.
template <class T>
std::unique_ptr<Columns<T>> subset_columns(const RowSource<T>& base, const std::vector<Index>& map, const Index* idx, Index n,
                                           std::size_t budget, ThreadPool& pool) {
  return std::make_unique<SubsetColumns<T>>(map, base.columns(mapped(map, idx, n).data(), n, budget, pool));
}

}  // namespace dcsvm::kernel_matrix
