// X with features of one size, and what is found there in the caller's units.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "products/matrix.hpp"

namespace dcsvm::ldkl {

/// The rows that take part, with a column of ones. Standardised: a float32 copy; dense: minus the mean, divided by the standard
/// deviation; CSR: divided by the root of the mean square, so that zeros stay. Features without spread are divided by 1.
class ScaledRows {
 public:
  /// x: checked; it must outlive this. rows: ascending. Throws CapError, DataError for a feature whose squares overflow.
  ScaledRows(const DataView& x, const std::vector<Index>& rows, bool standardise, base::Context& context);

  const products::Matrix& matrix() const { return *matrix_; }
  std::size_t bytes() const { return own_bytes_ + matrix_->bytes(); }
  /// `count` vectors of features and constant, for these rows, become vectors for the caller's rows with the same products.
  void to_caller(double* vectors, Index count) const;

 private:
  void find_scale(const DataView& x, const std::vector<Index>& rows, base::ThreadPool& pool);
  DataView copy_dense(const DenseView& x, const std::vector<Index>& rows, base::ThreadPool& pool);
  DataView copy_sparse(const CsrView& x, const std::vector<Index>& rows);

  std::vector<double> mean_, spread_;  // empty: not standardised
  base::Buffer<float> values_;
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> indptr_;
  std::size_t own_bytes_ = 0;
  std::unique_ptr<const products::Matrix> all_, matrix_;
};

}  // namespace dcsvm::ldkl
