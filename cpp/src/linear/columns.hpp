// X by columns, for solvers that change one weight at a time. Made once for all classes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "data/matrix.hpp"

namespace dcsvm::linear {

using data::Matrix;

class Columns {
 public:
  /// Throws CapError when the copy and what x holds already take more than cap_bytes.
  Columns(const Matrix& x, std::size_t cap_bytes, base::ThreadPool& pool);

  Index size(Index j) const { return begin_[j + 1] - begin_[j]; }
  Index cols() const { return static_cast<Index>(begin_.size()) - 1; }
  std::size_t bytes() const { return values_.bytes() + rows_.bytes() + begin_.size() * sizeof(Index); }
  /// visit(row, value), rows ascending.
  template <class Visit>
  void each(Index j, const Visit& visit) const {
    for (Index t = begin_[j]; t < begin_[j + 1]; ++t) visit(static_cast<Index>(rows_[t]), static_cast<double>(values_[t]));
  }

 private:
  std::vector<Index> begin_;
  base::Buffer<double> values_;
  base::Buffer<std::int32_t> rows_;
};

}  // namespace dcsvm::linear
