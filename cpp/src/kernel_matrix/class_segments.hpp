// One-vs-one pairs over the same data: every pair of a class uses the kernel values between points of that class, so they are
// computed once and kept. (The part of a row that lies in the pair's other class is used by that pair alone.)
#pragma once

#include <memory>
#include <vector>

#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// Kept row segments K(i, class of i). Only one pair at a time may use it, but from several threads.
template <class T>
class ClassSegments {
 public:
  /// members[c]: the points of class c in `base`, ascending. Holds at most `bytes` of segments; more are not kept.
  ClassSegments(const RowSource<T>& base, const std::vector<std::vector<Index>>& members, std::size_t bytes);
  ~ClassSegments();
  ClassSegments(const ClassSegments&) = delete;
  ClassSegments& operator=(const ClassSegments&) = delete;

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
