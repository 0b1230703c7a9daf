#include "products/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "products/pieces.hpp"

namespace dcsvm::products {

namespace {

constexpr double kDense = 0.5;                  // share of values that are not 0, from which rows are kept dense
constexpr Index kLeastSumBlocks = 16;           // with fewer, columns are divided instead

void check_cap(std::size_t bytes, std::size_t cap) {
  if (bytes <= cap) return;
  throw CapError("cache_size: the solver's copy of X needs " + std::to_string(bytes / 1048576 + 1) + " MB, the cap is " +
                 std::to_string(cap / 1048576) +
                 "; raise cache_size, or pass CSR with 32-bit indices or C-order float32, which "
                 "need no copy");
}

template <class Fn>
void with_type(ScalarType scalar, const void* values, const Fn& fn) {
  if (scalar == ScalarType::float32) {
    fn(static_cast<const float*>(values));
  } else {
    fn(static_cast<const double*>(values));
  }
}

bool fits_float(const double* v, Index n) {
  bool fits = true;
  for (Index i = 0; i < n; ++i) fits &= static_cast<double>(static_cast<float>(v[i])) == v[i];
  return fits;
}

// Whether all n values, `stride` apart, are floats. Ends at the first piece that says no.
bool all_fit_float(const double* v, Index n, base::ThreadPool& pool) {
  if (!fits_float(v, std::min<Index>(n, 256))) return false;
  std::atomic<bool> fits{true};
  pool.for_range(n, kEntryPiece, [&](Index begin, Index end, int) {
    if (fits.load(std::memory_order_relaxed) && !fits_float(v + begin, end - begin)) fits.store(false, std::memory_order_relaxed);
  });
  return fits.load();
}

Index nonzeros(const DenseView& x, base::ThreadPool& pool) {
  std::vector<Index> count((x.rows + 1023) / 1024, 0);
  with_type(x.scalar, x.data, [&](const auto* base) {
    pool.for_range(x.rows, 1024, [&](Index begin, Index end, int) {
      Index c = 0;
      for (Index i = begin; i < end; ++i) {
        const auto* row = base + i * x.row_stride;
        for (Index j = 0; j < x.cols; ++j) c += row[j * x.col_stride] != 0 ? 1 : 0;
      }
      count[begin / 1024] = c;
    });
  });
  Index sum = 0;
  for (const Index c : count) sum += c;
  return sum;
}

bool dense_fits_float(const DenseView& x, base::ThreadPool& pool) {
  const auto* base = static_cast<const double*>(x.data);
  std::atomic<bool> fits{true};
  pool.for_range(x.rows, 1024, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end && fits.load(std::memory_order_relaxed); ++i) {
      bool row_fits = true;
      for (Index j = 0; j < x.cols; ++j) {
        const double v = base[i * x.row_stride + j * x.col_stride];
        row_fits &= static_cast<double>(static_cast<float>(v)) == v;
      }
      if (!row_fits) fits.store(false, std::memory_order_relaxed);
    }
  });
  return fits.load();
}

/// Whether a copy of so many values in float, which is only faster, may be made.
bool fits_cap(Index values, std::size_t cap_bytes) { return static_cast<std::size_t>(values) * sizeof(float) <= cap_bytes; }

/// Whether every value is a float.
bool fits_float(const DataView& view, base::ThreadPool& pool) {
  if (std::visit([](const auto& x) { return x.scalar; }, view) == ScalarType::float32) return true;
  if (const auto* x = std::get_if<DenseView>(&view)) return dense_fits_float(*x, pool);
  return all_fit_float(static_cast<const double*>(std::get<CsrView>(view).values), data::stored_values(view), pool);
}

}  // namespace

Matrix::Matrix(const DataView& x, double bias, std::size_t cap_bytes, base::ThreadPool& pool)
    : rows_(rows_of(x)), features_(cols_of(x)), has_bias_(bias >= 0), bias_(bias >= 0 ? bias : 0.0) {
  if (features_ >= std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 2 columns");
  const auto* dense = std::get_if<DenseView>(&x);
  const Index stored = dense != nullptr ? nonzeros(*dense, pool) : data::stored_values(x);
  const double cells = static_cast<double>(rows_) * static_cast<double>(features_);
  dense_ = static_cast<double>(stored) > kDense * cells;
  stored_ = dense_ ? rows_ * features_ : stored;
  // The largest copy, before it is known whether values fit float.
  const std::size_t most = static_cast<std::size_t>(stored_) * (dense_ ? 8 : 12);
  const bool borrowed = dense != nullptr ? dense_ && dense->col_stride == 1 : false;
  if (dense != nullptr && !borrowed) check_cap(most, cap_bytes);
  if (dense == nullptr && (dense_ || std::get<CsrView>(x).index_type != IndexType::int32)) check_cap(most, cap_bytes);
  if (dense_) {
    set_dense(x, cap_bytes, pool);
  } else {
    set_sparse(x, stored, cap_bytes, pool);
  }
  set_grain();
}

void Matrix::set_grain() {
  grain_ = rows_ == 0 ? 1 : std::max<Index>(1, kEntryPiece / std::max<Index>(1, stored_ / rows_));
  const Index blocks = std::min(sum_blocks(static_cast<double>(stored_), cols(), kValuesOfSum), rows_);
  sum_blocks_ = blocks >= kLeastSumBlocks ? blocks : 1;
}

void Matrix::set_dense(const DataView& x, std::size_t cap_bytes, base::ThreadPool& pool) {
  stride_ = features_;
  const bool floats = fits_float(x, pool);
  const auto* dense = std::get_if<DenseView>(&x);
  const bool in_place = dense != nullptr && dense->col_stride == 1;
  if (in_place && (dense->scalar == ScalarType::float32 || !floats || !fits_cap(stored_, cap_bytes))) {
    stride_ = dense->row_stride;
    if (dense->scalar == ScalarType::float32) {
      values32_ = static_cast<const float*>(dense->data);
    } else {
      values64_ = static_cast<const double*>(dense->data);
    }
    return;
  }
  if (floats) own32_ = base::Buffer<float>(stored_);
  if (!floats) own64_ = base::Buffer<double>(stored_);
  pool.for_range(rows_, 256, [&](Index begin, Index end, int) {
    if (floats) {
      data::copy_rows(x, nullptr, begin, end - begin, own32_.data() + begin * features_, features_);
    } else {
      data::copy_rows(x, nullptr, begin, end - begin, own64_.data() + begin * features_, features_);
    }
  });
  values32_ = floats ? own32_.data() : nullptr;
  values64_ = floats ? nullptr : own64_.data();
}

namespace {

// Where each row of the sparse layout begins.
std::vector<Index> row_starts(const DataView& view, base::ThreadPool& pool) {
  const Index rows = rows_of(view);
  std::vector<Index> start(rows + 1, 0);
  if (const auto* x = std::get_if<CsrView>(&view)) {
    for (Index i = 0; i <= rows; ++i) start[i] = data::row_begin(*x, i);
    return start;
  }
  const auto& x = std::get<DenseView>(view);
  with_type(x.scalar, x.data, [&](const auto* base) {
    pool.for_range(rows, 1024, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        Index c = 0;
        for (Index j = 0; j < x.cols; ++j) c += base[i * x.row_stride + j * x.col_stride] != 0 ? 1 : 0;
        start[i + 1] = c;
      }
    });
  });
  for (Index i = 0; i < rows; ++i) start[i + 1] += start[i];
  return start;
}

// Columns and values of the non-zeros of a dense view.
template <class T>
void gather_nonzeros(const DenseView& x, const std::vector<Index>& start, std::int32_t* columns, T* values,
                     base::ThreadPool& pool) {
  with_type(x.scalar, x.data, [&](const auto* base) {
    pool.for_range(x.rows, 256, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        Index t = start[i];
        for (Index j = 0; j < x.cols; ++j) {
          const auto v = base[i * x.row_stride + j * x.col_stride];
          if (v == 0) continue;
          columns[t] = static_cast<std::int32_t>(j);
          values[t++] = static_cast<T>(v);
        }
      }
    });
  });
}

}  // namespace

void Matrix::set_sparse(const DataView& view, Index stored, std::size_t cap_bytes, base::ThreadPool& pool) {
  indptr_ = row_starts(view, pool);
  const auto* dense = std::get_if<DenseView>(&view);
  if (dense != nullptr) {
    own_columns_ = base::Buffer<std::int32_t>(stored);
    if (fits_float(view, pool)) {
      own32_ = base::Buffer<float>(stored);
      gather_nonzeros(*dense, indptr_, own_columns_.data(), own32_.data(), pool);
    } else {
      own64_ = base::Buffer<double>(stored);
      gather_nonzeros(*dense, indptr_, own_columns_.data(), own64_.data(), pool);
    }
    columns_ = own_columns_.data();
    values32_ = own32_.data();
    values64_ = own64_.data();
    return;
  }
  const auto& x = std::get<CsrView>(view);
  if (x.index_type == IndexType::int32) {
    columns_ = static_cast<const std::int32_t*>(x.indices);
  } else {
    own_columns_ = base::Buffer<std::int32_t>(stored);
    const auto* from = static_cast<const std::int64_t*>(x.indices);
    pool.for_range(stored, kEntryPiece, [&](Index begin, Index end, int) {
      for (Index t = begin; t < end; ++t) own_columns_[t] = static_cast<std::int32_t>(from[t]);
    });
    columns_ = own_columns_.data();
  }
  if (x.scalar == ScalarType::float32) {
    values32_ = static_cast<const float*>(x.values);
    return;
  }
  values64_ = static_cast<const double*>(x.values);
  if (!fits_cap(stored, cap_bytes) || !fits_float(view, pool)) return;
  own32_ = base::Buffer<float>(stored);
  pool.for_range(stored, kEntryPiece, [&](Index begin, Index end, int) {
    for (Index t = begin; t < end; ++t) own32_[t] = static_cast<float>(values64_[t]);
  });
  values32_ = own32_.data();
  values64_ = nullptr;
}

std::size_t Matrix::bytes() const {
  const std::lock_guard<std::mutex> lock(splitting_);
  return (splits_ ? splits_->begin.size() * sizeof(std::int32_t) : 0) + own32_.bytes() + own64_.bytes() + own_columns_.bytes() +
         own_columns16_.bytes() + indptr_.size() * sizeof(Index);
}

double Matrix::norm2_of_features(Index i) const {
  double sum = 0;
  if (dense_) {
    const Index at = i * stride_;
    sum = values32_ != nullptr ? sum_of_squares(values32_ + at, features_) : sum_of_squares(values64_ + at, features_);
  } else {
    sum = with_row(i, [](const auto* v, const auto*, Index n) { return sum_of_squares(v, n); });
  }
  return sum;
}

void Matrix::product(const double* w, double* z, base::ThreadPool& pool) const {
  pool.for_range(rows_, grain_, [&](Index begin, Index end, int) {
    if (!short_rows()) {
      for (Index i = begin; i < end; ++i) z[i] = dot(i, w);
      return;
    }
    const double of_bias = has_bias_ ? bias_ * w[features_] : 0.0;
    with_values([&](const auto* v) {
      for (Index i = begin; i < end; ++i) z[i] = dense_dot(v + i * stride_, w, features_) + of_bias;
    });
  });
}

// out = the sum of what rows(begin, end, sums) adds. Blocks of rows have their own sums, which are added in order; without blocks
// one thread goes through all rows, which is the order of scatter_slabs too.
template <class Rows>
void Matrix::sum_rows(double* out, base::ThreadPool& pool, const Rows& rows) const {
  const Index n = cols();
  if (sum_blocks_ == 1) {
    std::fill(out, out + n, 0.0);
    for (Index i = 0; i < rows_; i += kRowPiece) {
      pool.poll();
      rows(i, std::min(rows_, i + kRowPiece), out);
    }
    return;
  }
  base::Buffer<double> sums(sum_blocks_ * n);
  const Index per_block = (rows_ + sum_blocks_ - 1) / sum_blocks_;
  pool.for_range(rows_, per_block, [&](Index begin, Index end, int) {
    double* own = sums.data() + begin / per_block * n;
    std::fill(own, own + n, 0.0);
    rows(begin, end, own);
  });
  const Index used = (rows_ + per_block - 1) / per_block;
  std::copy(sums.data(), sums.data() + n, out);
  for (Index b = 1; b < used; ++b) {
    const double* own = sums.data() + b * n;
    for (Index j = 0; j < n; ++j) out[j] += own[j];
  }
}

void Matrix::transposed(const double* d, double* out, base::ThreadPool& pool) const {
  if (sum_blocks_ == 1 && pool.size() > 1 && !dense_) {
    return scatter_slabs(d, out, pool, [&](const auto* v, const auto* c, Index n, double di) { sparse_add(v, c, n, di, out); });
  }
  sum_rows(out, pool, [&](Index begin, Index end, double* sums) { add_rows(begin, end, sums, [d](Index i) { return d[i]; }); });
}

// Divides the columns into slabs of about equally many values, and notes for each row where its values
// of each slab begin.
std::shared_ptr<const Matrix::Splits> Matrix::splits(Index slabs) const {
  const Index bytes_of_values = 8 * stored_, bytes_of_slab = 4 * rows_;
  slabs = std::clamp<Index>(1 + bytes_of_values / (4 * std::max<Index>(bytes_of_slab, 1)), 1, slabs);
  const std::lock_guard<std::mutex> lock(splitting_);
  if (splits_ && splits_->slabs == slabs) return splits_;
  std::vector<Index> count(features_ + 1, 0);
  Index total = 0;
  for (Index i = 0; i < rows_; ++i) {
    with_row(i, [&](const auto*, const auto* c, Index n) {
      for (Index t = 0; t < n; ++t) ++count[c[t]];
      total += n;
    });
  }
  auto made = std::make_shared<Splits>();
  made->slabs = slabs;
  made->begin.assign(rows_ * (slabs - 1), 0);
  Index below = 0, j = 0;
  for (Index s = 1; s < slabs; ++s) {
    for (; j < features_ && below * slabs < total * s; ++j) below += count[j];
    std::int32_t* begin = made->begin.data() + (s - 1) * rows_;
    for (Index i = 0; i < rows_; ++i) {
      begin[i] = with_row(
          i, [&](const auto*, const auto* c, Index n) { return static_cast<std::int32_t>(std::lower_bound(c, c + n, j) - c); });
    }
  }
  splits_ = made;
  return made;
}

// Each thread adds the rows' values of its own range of columns, in the order of the rows: the bits of one thread. add(values,
// columns, number, d of the row).
template <class Add>
void Matrix::scatter_slabs(const double* d, double* out, base::ThreadPool& pool, const Add& add) const {
  std::fill(out, out + cols(), 0.0);
  const std::shared_ptr<const Splits> splits = this->splits(pool.size());
  const Index slabs = splits->slabs;
  pool.for_each(slabs, [&](Index s, int) {
    const std::int32_t* low = s > 0 ? splits->begin.data() + (s - 1) * rows_ : nullptr;
    const std::int32_t* high = s + 1 < slabs ? splits->begin.data() + s * rows_ : nullptr;
    for (Index i = 0; i < rows_; ++i) {
      if (d[i] == 0) continue;
      with_row(i, [&](const auto* v, const auto* c, Index n) {
        const Index begin = low != nullptr ? low[i] : 0, end = high != nullptr ? high[i] : n;
        add(v + begin, c + begin, end - begin, d[i]);
      });
    }
  });
  if (!has_bias_) return;
  const auto column = static_cast<std::int32_t>(features_);
  for (Index i = 0; i < rows_; ++i) {
    if (d[i] != 0) add(&bias_, &column, 1, d[i]);
  }
}

void Matrix::curvature(const double* h, const double* v, double* out, base::ThreadPool& pool) const {
  if (sum_blocks_ > 1 || pool.size() == 1 || dense_) {
    sum_rows(out, pool, [&](Index begin, Index end, double* sums) {
      add_rows(begin, end, sums, [&](Index i) { return h[i] != 0 ? h[i] * dot(i, v) : 0.0; });
    });
    return;
  }
  base::Buffer<double> d(rows_);
  pool.for_range(rows_, grain_, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) d[i] = h[i] != 0 ? h[i] * dot(i, v) : 0.0;
  });
  transposed(d.data(), out, pool);
}

void Matrix::visit(Index, base::ThreadPool&, const std::function<void(Index, const Matrix&)>& use) const { use(0, *this); }

void Matrix::squares(const double* h, double* out, base::ThreadPool& pool) const {
  if (sum_blocks_ == 1 && pool.size() > 1 && !dense_) {
    return scatter_slabs(h, out, pool, [&](const auto* v, const auto* c, Index n, double hi) {
      for (Index t = 0; t < n; ++t) {
        const auto x = static_cast<double>(v[t]);
        out[c[t]] += hi * x * x;
      }
    });
  }
  sum_rows(out, pool, [&](Index begin, Index end, double* sums) {
    for (Index i = begin; i < end; ++i) {
      if (h[i] != 0) each(i, [&](Index j, double x) { sums[j] += h[i] * x * x; });
    }
  });
}

}  // namespace dcsvm::products
