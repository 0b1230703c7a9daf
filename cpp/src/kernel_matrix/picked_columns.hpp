// Columns of a matrix that exists already: rows are read, and the values of the columns are picked.
#pragma once

#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// Source: row(i, room) is row i, in `room` where it is not in memory as it is; count(n) hears of n values read.
template <class T, class Source>
class PickedColumns final : public Columns<T> {
 public:
  PickedColumns(const Source& source, const Index* idx, Index n) : source_(source), idx_(idx, idx + n) {}
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return 4096; }
  std::size_t bytes() const override { return idx_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool&) const override {
    return std::make_unique<Prepared>(*this, rows, m);
  }

 private:
  class Prepared final : public PreparedRows<T> {
   public:
    Prepared(const PickedColumns& columns, const Index* rows, Index m) : columns_(columns), rows_(rows, rows + m) {}
    void compute(Index begin, Index end, T* const* out) const override {
      const Index* idx = columns_.idx_.data();
      std::vector<T> room;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const T* row = columns_.source_.row(rows_[r], room);
        for (Index j = begin; j < end; ++j) out[r][j - begin] = row[idx[j]];
      }
      columns_.source_.count(static_cast<Index>(rows_.size()) * (end - begin));
    }

   private:
    const PickedColumns& columns_;
    std::vector<Index> rows_;
  };

  const Source& source_;
  std::vector<Index> idx_;
};

}  // namespace dcsvm::kernel_matrix
