// Copies of a matrix for the solvers: smaller, or of some rows.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "products/matrix.hpp"

namespace dcsvm::products {

namespace {

/// to[t] = from[t] rounded; false: some are beyond the range in which float's digits are relative.
bool round_values(const double* from, Index n, float* to) {
  bool fits = true;
  for (Index t = 0; t < n; ++t) {
    const double size = std::abs(from[t]);
    fits &= size == 0 || (size > 1e-30 && size < 1e30);
    to[t] = static_cast<float>(from[t]);
  }
  return fits;
}

}  // namespace

std::unique_ptr<Matrix> Matrix::compact(bool round, std::size_t cap_bytes, base::ThreadPool& pool) const {
  const bool narrow = features_ <= std::numeric_limits<std::uint16_t>::max() + 1;
  if (!rows_in_memory() || dense_ || columns_ == nullptr || (values32_ == nullptr && !round) || (values32_ != nullptr && !narrow))
    return nullptr;
  const std::size_t each_value = (narrow ? 2U : 0U) + (values32_ == nullptr ? 4U : 0U);
  if (static_cast<std::size_t>(stored_) * each_value + bytes() > cap_bytes) return nullptr;
  std::unique_ptr<Matrix> out(new Matrix());
  out->rows_ = rows_;
  out->features_ = features_;
  out->stored_ = stored_;
  out->grain_ = grain_;
  out->has_bias_ = has_bias_;
  out->bias_ = bias_;
  out->indptr_ = indptr_;
  out->sum_blocks_ = sum_blocks_;
  out->values32_ = values32_;
  out->columns_ = columns_;
  if (values32_ == nullptr) {
    out->own32_ = base::Buffer<float>(stored_);
    std::atomic<bool> fits{true};
    pool.for_range(stored_, kEntryPiece, [&](Index begin, Index end, int) {
      if (!round_values(values64_ + begin, end - begin, out->own32_.data() + begin)) fits.store(false, std::memory_order_relaxed);
    });
    if (!fits.load()) return nullptr;
    out->values32_ = out->own32_.data();
  }
  if (narrow) {
    out->own_columns16_ = base::Buffer<std::uint16_t>(stored_);
    pool.for_range(stored_, kEntryPiece, [&](Index begin, Index end, int) {
      for (Index t = begin; t < end; ++t) out->own_columns16_[t] = static_cast<std::uint16_t>(columns_[t]);
    });
    out->columns16_ = out->own_columns16_.data();
    out->columns_ = nullptr;
  }
  return out;
}

namespace {

/// The values of `rows`, each row's from start[i] on, one after another.
template <class T>
base::Buffer<T> take_values(const T* from, const std::vector<Index>& rows, const std::vector<Index>& to, Index stride,
                            const std::vector<Index>& start) {
  base::Buffer<T> out(to.back());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const T* begin = from + (start.empty() ? rows[r] * stride : start[static_cast<std::size_t>(rows[r])]);
    std::copy(begin, begin + (to[r + 1] - to[r]), out.data() + to[r]);
  }
  return out;
}

}  // namespace

std::unique_ptr<Matrix> Matrix::take(const std::vector<Index>& rows, std::size_t cap_bytes) const {
  if (!rows_in_memory()) return nullptr;
  std::unique_ptr<Matrix> out(new Matrix());
  out->rows_ = static_cast<Index>(rows.size());
  out->features_ = features_;
  out->has_bias_ = has_bias_;
  out->bias_ = bias_;
  out->dense_ = dense_;
  out->stride_ = features_;
  std::vector<Index> to{0};
  to.reserve(rows.size() + 1);
  for (const Index i : rows) to.push_back(to.back() + row_size(i));
  out->stored_ = to.back();
  if (static_cast<std::size_t>(out->stored_) * 12 + bytes() > cap_bytes) return nullptr;
  if (values32_ != nullptr) out->own32_ = take_values(values32_, rows, to, stride_, indptr_);
  if (values64_ != nullptr) out->own64_ = take_values(values64_, rows, to, stride_, indptr_);
  if (columns_ != nullptr) out->own_columns_ = take_values(columns_, rows, to, stride_, indptr_);
  if (columns16_ != nullptr) out->own_columns16_ = take_values(columns16_, rows, to, stride_, indptr_);
  out->values32_ = out->own32_.data();
  out->values64_ = out->own64_.data();
  out->columns_ = out->own_columns_.data();
  out->columns16_ = out->own_columns16_.data();
  if (!dense_) out->indptr_ = std::move(to);
  out->set_grain();
  return out;
}

}  // namespace dcsvm::products
