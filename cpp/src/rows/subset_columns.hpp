// Columns of a subset of a row source.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "rows/row_source.hpp"

namespace dcsvm::rows {

// Columns of a subset are columns of the base; only row indices need translation.
template <class T>
class SubsetColumns final : public Columns<T> {
 public:
  SubsetColumns(const std::vector<Index>& map, std::unique_ptr<Columns<T>> base) : map_(map), base_(std::move(base)) {}
  Index size() const override { return base_->size(); }
  Index grain() const override { return base_->grain(); }
  Index passing() const override { return base_->passing(); }
  Index box() const override { return base_->box(); }
  std::size_t bytes() const override { return base_->bytes(); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m) const override {
    std::vector<Index> mapped(static_cast<std::size_t>(m));
    std::transform(rows, rows + m, mapped.begin(), [&](Index i) { return map_[static_cast<std::size_t>(i)]; });
    return base_->prepare(mapped.data(), m);
  }

 private:
  const std::vector<Index>& map_;
  std::unique_ptr<Columns<T>> base_;
};

}  // namespace dcsvm::rows
