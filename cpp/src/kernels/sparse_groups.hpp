// Sparse queries in groups of rows. A group is expanded feature by feature, several vectors wide, so that each non-zero of a
// point is multiplied with the whole group at once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "data/read.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernels {

/// Numbers the columns that occur among a few rows: 0, 1, ... in the order of their first appearance (a hash table with linear
/// probing).
class ColumnNumbers {
 public:
  ColumnNumbers() = default;
  /// For the n column indices, which may repeat.
  ColumnNumbers(const std::int32_t* columns, Index n);

  Index size() const { return size_; }
  /// -1: the column does not occur.
  std::int32_t find(std::int32_t column) const {
    for (std::size_t at = slot(column);; at = (at + 1) & mask_) {
      if (slots_[at].column == column || slots_[at].number < 0) return slots_[at].number;
    }
  }

 private:
  struct Slot {
    std::int32_t column = 0, number = -1;  // number < 0: free
  };
  std::size_t slot(std::int32_t column) const { return (static_cast<std::uint32_t>(column) * 0x9E3779B1U >> 7) & mask_; }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  Index size_ = 0;
};

template <class T>
class SparseGroups {
 public:
  SparseGroups() = default;
  /// Rows idx[0..m) of x (idx null: first, first + 1, ...). In data of more than kWidest columns a group holds only the columns
  /// that occur in its rows: its memory does not depend on the number of columns.
  SparseGroups(const CsrView& x, const Index* idx, Index first, Index m, kernels::Term term);

  /// out[t * sparse_w + i] = sum of terms of row i of group g and row begin + t of points, for t in [0, end - begin).
  void products(Index g, const data::SparseRows<T>& points, Index begin, Index end, T* out) const;
  /// Of query r: the sum of its terms with itself.
  T norm(Index r) const { return norms_[r]; }
  /// The distance of query r and row j of points from differences: it cancels no digits, but takes the two rows entry by entry.
  T distance(Index r, const data::SparseRows<T>& points, Index j) const;

  static constexpr Index kWidest = 20000;  ///< a group of as many columns takes 5 MB

 private:
  kernels::Term term_ = kernels::Term::product;
  bool numbered() const { return !numbers_.empty(); }

  data::SparseRows<T> rows_;
  std::vector<Index> begin_;           // of each group in expanded_, in columns
  std::vector<ColumnNumbers> numbers_;  // of each group; empty: columns have their own numbers
  base::Buffer<T> expanded_;           // group after group: [column][row of the group]
  base::Buffer<T> norms_;
};

}  // namespace dcsvm::kernels
