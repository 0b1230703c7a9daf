// Kernel rows over all points of one call of train_online, in a cache of limited size.
#pragma once

#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "kernel_matrix/row_source.hpp"
#include "qp/row_cache.hpp"

namespace dcsvm::online {

template <class T>
class OnlineRows {
 public:
  /// CapError when context.cap_bytes does not hold two rows. The source must outlive it.
  OnlineRows(const kernel_matrix::RowSource<T>& source, base::Context& context);

  /// K(i, all points). Valid until two other rows have been asked for.
  const T* row(Index i);
  /// The same for points asked for in ascending order: the rows of the next ones are computed with it, in one block.
  const T* next_row(Index i);
  double diagonal(Index i) const { return static_cast<double>(source_.diagonal(i)); }
  const kernel_matrix::RowSource<T>& source() const { return source_; }

 private:
  const kernel_matrix::RowSource<T>& source_;
  base::ThreadPool& pool_;
  Index n_;
  std::unique_ptr<kernel_matrix::Columns<T>> columns_;
  base::Buffer<T> block_;  // rows [first_, end_)
  Index rows_at_once_ = 1, first_ = 0, end_ = 0;
  qp::RowCache<T> cache_;
};

}  // namespace dcsvm::online
