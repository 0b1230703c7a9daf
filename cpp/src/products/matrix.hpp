// X as the solvers read it: rows of float or double values, dense or with 32-bit columns, and a last column for the bias.
//
// Values become float when that loses nothing (8 bytes for each stored value instead of 12; pixels, counts, float32 data) and the
// memory cap allows the copy; products are the same either way. Sparse and dense layouts are chosen by the number of zeros, not
// by what the caller had. compact() is a smaller copy for the many passes of a solver: float values, and 16-bit columns where
// these are enough. What is said about a solution then comes from the matrix itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "products/pieces.hpp"
#include "products/row_operations.hpp"

namespace dcsvm::products {

class Matrix {
 public:
  /// x: checked (data::check_data); it must outlive the matrix, which refers to it where it has the right form already. bias < 0:
  /// no column for it. Throws CapError when the copy would take more than cap_bytes.
  Matrix(const DataView& x, double bias, std::size_t cap_bytes, base::ThreadPool& pool);
  virtual ~Matrix() = default;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// false: only the sums below are possible, each with a pass over a file; no function of single rows.
  virtual bool rows_in_memory() const { return true; }

  /// Blocks of consecutive rows, whose matrices have the functions of single rows: this one alone, or those of a file.
  virtual Index blocks() const { return 1; }
  virtual Index first_row(Index) const { return 0; }  ///< of a block
  /// Whether all blocks stay in memory, so that kept(b) is there for each.
  virtual bool all_kept() const { return true; }
  virtual const Matrix& kept(Index) const { return *this; }
  /// Calls use(first row, matrix of block b), which may be read from a file for that.
  virtual void visit(Index b, base::ThreadPool& pool, const std::function<void(Index, const Matrix&)>& use) const;

  /// A sparse copy of 6 or 8 bytes for each stored value. round: values may be rounded to float (relative 6e-8). Null: nothing
  /// would become smaller, values are not in float's range, rows are not in memory, or the copy would take more than cap_bytes.
  /// Refers to this.
  std::unique_ptr<Matrix> compact(bool round, std::size_t cap_bytes, base::ThreadPool& pool) const;

  /// A copy of some rows. Null: it would take more than cap_bytes together with this, or rows are not in memory.
  std::unique_ptr<Matrix> take(const std::vector<Index>& rows, std::size_t cap_bytes) const;

  Index rows() const { return rows_; }
  Index cols() const { return features_ + (has_bias_ ? 1 : 0); }  ///< with that of the bias
  Index features() const { return features_; }
  bool has_bias() const { return has_bias_; }
  double bias() const { return bias_; }  ///< what the last column holds; 0: there is none
  bool dense() const { return dense_; }
  /// Whether every value is a float, the bias too.
  bool has_floats() const { return values32_ != nullptr && static_cast<double>(static_cast<float>(bias_)) == bias_; }
  Index stored() const { return stored_; }  ///< values that a pass over the rows reads
  virtual std::size_t bytes() const;  ///< of the copy
  Index row_size(Index i) const { return dense_ ? features_ : indptr_[i + 1] - indptr_[i]; }
  /// Rows of one piece of parallel work; products of a row take as long as their values.
  Index grain() const { return grain_; }

  /// Calls visit(column, value) for the stored values of a row and for the bias, in ascending order.
  template <class Visit>
  void each(Index i, const Visit& visit) const;
  /// Calls visit(values, columns, count) for the same, a piece of the row at a time; columns are 32-bit numbers.
  template <class Visit>
  void pieces(Index i, const Visit& visit) const;
  /// w'x_i; w has cols() entries. The same bits wherever it is computed.
  double dot(Index i, const double* w) const;
  /// w += a x_i.
  void add(Index i, double a, double* w) const;
  /// w += the sum of a(i) x_i over rows [begin, end), in their order; rows with a(i) = 0 are not read.
  template <class Factor>
  void add_rows(Index begin, Index end, double* w, const Factor& a) const;
  /// |x_i|^2, with the bias.
  double norm2(Index i) const { return has_bias_ ? norm2_of_features(i) + bias_ * bias_ : norm2_of_features(i); }
  double norm2_of_features(Index i) const;
  /// Loads a row (dense: its beginning) into the cache ahead of its use.
  void prefetch(Index i) const;
  /// Loads what prefetch(i) must know.
  void prefetch_place(Index i) const {
    if (!dense_) __builtin_prefetch(indptr_.data() + i);
  }

  /// z[i] = w'x_i for all rows.
  virtual void product(const double* w, double* z, base::ThreadPool& pool) const;
  /// out = X'd; rows with d[i] = 0 are not read.
  virtual void transposed(const double* d, double* out, base::ThreadPool& pool) const;
  /// out = X' diag(h) X v; rows with h[i] = 0 are not read.
  virtual void curvature(const double* h, const double* v, double* out, base::ThreadPool& pool) const;
  /// out[j] = sum_i h[i] x_ij^2.
  virtual void squares(const double* h, double* out, base::ThreadPool& pool) const;

 protected:
  Matrix(Index rows, Index features, double bias)
      : rows_(rows), features_(features), has_bias_(bias >= 0), bias_(bias >= 0 ? bias : 0.0) {}
  Index rows_ = 0, features_ = 0, stored_ = 0, grain_ = 1;

 private:
  Matrix() = default;
  /// fn(values, columns, number) of a row of the sparse layout, with their types.
  template <class Fn>
  auto with_row(Index i, const Fn& fn) const {
    const Index at = indptr_[i], n = indptr_[i + 1] - at;
    if (columns16_ != nullptr) return fn(values32_ + at, columns16_ + at, n);
    if (values32_ != nullptr) return fn(values32_ + at, columns_ + at, n);
    return fn(values64_ + at, columns_ + at, n);
  }
  void set_dense(const DataView& x, std::size_t cap_bytes, base::ThreadPool& pool);
  void set_sparse(const DataView& x, Index stored, std::size_t cap_bytes, base::ThreadPool& pool);
  void set_grain();
  bool short_rows() const;
  /// fn(values) of the dense layout, with their type.
  template <class Fn>
  auto with_values(const Fn& fn) const {
    return values32_ != nullptr ? fn(values32_) : fn(values64_);
  }
  template <class Rows>
  void sum_rows(double* out, base::ThreadPool& pool, const Rows& rows) const;
  template <class Add>
  void scatter_slabs(const double* d, double* out, base::ThreadPool& pool, const Add& add) const;
  /// Where each row's values of the slabs of columns begin.
  struct Splits {
    Index slabs = 1;
    std::vector<std::int32_t> begin;  ///< of slab s + 1 of row i, within the row: [s * rows + i]
  };
  /// For about `slabs` slabs: fewer where these numbers would take more than a quarter of the values' memory.
  std::shared_ptr<const Splits> splits(Index slabs) const;

  bool has_bias_ = false, dense_ = false;
  double bias_ = 0.0;
  const float* values32_ = nullptr;  // one of the two
  const double* values64_ = nullptr;
  Index stride_ = 0;  // dense: from row to row
  const std::int32_t* columns_ = nullptr;  // sparse: one of the two, 16 bits only with float values
  const std::uint16_t* columns16_ = nullptr;
  std::vector<Index> indptr_;  // sparse: rows + 1
  base::Buffer<float> own32_;
  base::Buffer<double> own64_;
  base::Buffer<std::int32_t> own_columns_;
  base::Buffer<std::uint16_t> own_columns16_;
  // Made when several threads first add up columns, and for another number of slabs anew.
  mutable std::mutex splitting_;
  mutable std::shared_ptr<const Splits> splits_;
  Index sum_blocks_ = 1;  // blocks of rows that transposed() sums separately; 1: columns are divided among threads
};

template <class Visit>
void Matrix::each(Index i, const Visit& visit) const {
  if (dense_) {
    const Index at = i * stride_;
    for (Index j = 0; j < features_; ++j)
      visit(j, values32_ != nullptr ? static_cast<double>(values32_[at + j]) : values64_[at + j]);
  } else {
    with_row(i, [&](const auto* v, const auto* c, Index n) {
      for (Index t = 0; t < n; ++t) visit(static_cast<Index>(c[t]), static_cast<double>(v[t]));
    });
  }
  if (has_bias_) visit(features_, bias_);
}

template <class Visit>
void Matrix::pieces(Index i, const Visit& visit) const {
  std::int32_t piece[kOnStack];
  const auto in_pieces = [&](const auto* v, Index n, const auto& column) {
    for (Index t = 0; t < n; t += kOnStack) {
      const Index m = std::min(kOnStack, n - t);
      for (Index k = 0; k < m; ++k) piece[k] = static_cast<std::int32_t>(column(t + k));
      visit(v + t, piece, m);
    }
  };
  const auto same = [](Index t) { return t; };
  if (dense_) {
    values32_ != nullptr ? in_pieces(values32_ + i * stride_, features_, same)
                         : in_pieces(values64_ + i * stride_, features_, same);
  } else {
    with_row(i, [&](const auto* v, const auto* c, Index n) {
      if constexpr (sizeof(*c) == sizeof(std::int32_t)) {
        visit(v, c, n);
      } else {
        in_pieces(v, n, [c](Index t) { return c[t]; });
      }
    });
  }
  if (has_bias_) {
    piece[0] = static_cast<std::int32_t>(features_);
    visit(&bias_, piece, 1);
  }
}

inline bool Matrix::short_rows() const { return dense_ && features_ <= kShortRow; }

template <class Factor>
inline void Matrix::add_rows(Index begin, Index end, double* w, const Factor& a) const {
  if (!short_rows()) {
    for (Index i = begin; i < end; ++i) {
      if (const double factor = a(i); factor != 0) add(i, factor, w);
    }
    return;
  }
  with_values([&](const auto* values) {
    decltype(values) rows[kSums];
    double factors[kSums];
    Index k = 0;
    for (Index i = begin; i < end; ++i) {
      const double factor = a(i);
      if (factor == 0) continue;
      rows[k] = values + i * stride_;
      factors[k++] = factor;
      if (has_bias_) w[features_] += factor * bias_;
      if (k < kSums) continue;
      dense_add_together(rows, factors, features_, w);
      k = 0;
    }
    for (Index t = 0; t < k; ++t) dense_add(rows[t], features_, factors[t], w);
  });
}

inline double Matrix::dot(Index i, const double* w) const {
  double sum = 0;
  if (dense_) {
    const Index at = i * stride_;
    sum = values32_ != nullptr ? dense_dot(values32_ + at, w, features_) : dense_dot(values64_ + at, w, features_);
  } else {
    sum = with_row(i, [&](const auto* v, const auto* c, Index n) { return sparse_dot(v, c, n, w); });
  }
  return has_bias_ ? sum + bias_ * w[features_] : sum;
}

inline void Matrix::add(Index i, double a, double* w) const {
  if (dense_) {
    const Index at = i * stride_;
    values32_ != nullptr ? dense_add(values32_ + at, features_, a, w) : dense_add(values64_ + at, features_, a, w);
  } else {
    with_row(i, [&](const auto* v, const auto* c, Index n) { sparse_add(v, c, n, a, w); });
  }
  if (has_bias_) w[features_] += a * bias_;
}

inline void Matrix::prefetch(Index i) const {
  if (dense_) {
    if (values32_ != nullptr) {
      __builtin_prefetch(values32_ + i * stride_);
    } else {
      __builtin_prefetch(values64_ + i * stride_);
    }
    return;
  }
  // All of it: rows come in random order, and the hardware would learn each row's direction only in its middle.
  with_row(i, [&](const auto* v, const auto* c, Index n) {
    for (Index t = 0; t < n; t += kCacheLine / static_cast<Index>(sizeof(*c))) __builtin_prefetch(c + t);
    for (Index t = 0; t < n; t += kCacheLine / static_cast<Index>(sizeof(*v))) __builtin_prefetch(v + t);
  });
}

}  // namespace dcsvm::products
