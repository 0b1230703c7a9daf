// One-vs-one pairs over the same data: a kernel row between points of one class is wanted by every pair of that class, so it is
// computed once and kept. (The part of a row that lies in the pair's other class belongs to that pair alone.)
#pragma once

#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// Kept row segments K(i, class of i). One pair at a time uses it; its threads may do so at once.
template <class T>
class SegmentStore {
 public:
  /// members[c]: the points of class c in `base`, ascending. Holds at most `bytes` of segments; more are not kept.
  SegmentStore(const RowSource<T>& base, const std::vector<std::vector<Index>>& members, std::size_t bytes);
  ~SegmentStore();
  SegmentStore(const SegmentStore&) = delete;
  SegmentStore& operator=(const SegmentStore&) = delete;

  /// The kernel matrix of the points of class a, then those of class b. The store must outlive it.
  std::unique_ptr<RowSource<T>> pair(int a, int b);
  /// Frees the segments of a class that no later pair needs.
  void drop(int c);
  /// Most bytes held at once.
  std::size_t peak_bytes() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcsvm::kernel_matrix
