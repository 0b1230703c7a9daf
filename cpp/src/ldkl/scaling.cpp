#include "ldkl/scaling.hpp"

#include <cmath>
#include <string>

#include "base/array_size.hpp"
#include "data/check.hpp"
#include "data/read.hpp"
#include "data/summary.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::ldkl {

namespace {

void check_cap(double bytes, std::size_t cap) {
  if (bytes <= static_cast<double>(cap)) return;
  throw CapError("cache_size: the standardised copy of X needs " + std::to_string(static_cast<long long>(bytes / 1048576.0) + 1) +
                 " MB, the cap is " + std::to_string(cap / 1048576) +
                 "; raise cache_size, or scale X and pass standardise=False");
}

/// Mean of (x_ij - centre_j)^2 for each column: a second pass keeps the digits that the difference of moments would lose.
std::vector<double> mean_squares(const DataView& x, const std::vector<Index>& rows, const std::vector<double>& centre,
                                 base::ThreadPool& pool) {
  const Index d = cols_of(x), n = static_cast<Index>(rows.size()), pieces = (n + data::kPieceRows - 1) / data::kPieceRows;
  std::vector<double> partial(base::array_size(pieces, d), 0.0);
  pool.for_range(n, data::kPieceRows, [&](Index begin, Index end, int) {
    double* sums = partial.data() + begin / data::kPieceRows * d;
    std::vector<double> row(d);
    for (Index r = begin; r < end; ++r) {
      data::copy_rows(x, &rows[r], 0, 1, row.data(), d, centre.data());
      for (Index j = 0; j < d; ++j) sums[j] += row[j] * row[j];
    }
  });
  std::vector<double> out(d, 0.0);
  for (Index p = 0; p < pieces; ++p) {
    for (Index j = 0; j < d; ++j) out[j] += partial[p * d + j];
  }
  for (double& v : out) v /= static_cast<double>(n);
  return out;
}

}  // namespace

ScaledRows::ScaledRows(const DataView& x, const std::vector<Index>& rows, bool standardise, base::Context& context) {
  base::ThreadPool& pool = *context.pool;
  if (!standardise) {
    matrix_ = std::make_unique<products::Matrix>(x, 1.0, context.cap_bytes, pool);
    if (static_cast<Index>(rows.size()) == rows_of(x)) return;
    all_ = std::move(matrix_);
    matrix_ = all_->take(rows, context.cap_bytes);
    if (matrix_ == nullptr) throw CapError("cache_size: a copy of the rows of weight above 0 does not fit; raise cache_size");
    own_bytes_ = all_->bytes();
    return;
  }
  find_scale(x, rows, pool);
  const auto* dense = std::get_if<DenseView>(&x);
  const auto n = static_cast<double>(rows.size());
  check_cap(
      dense != nullptr ? 4.0 * n * static_cast<double>(dense->cols) : 8.0 * (static_cast<double>(data::stored_values(x)) + n),
      context.cap_bytes);
  const DataView own = dense != nullptr ? copy_dense(*dense, rows, pool) : copy_sparse(std::get<CsrView>(x), rows);
  own_bytes_ = values_.bytes() + columns_.size() * sizeof(std::int32_t) + indptr_.size() * sizeof(std::int64_t);
  matrix_ = std::make_unique<products::Matrix>(own, 1.0, context.cap_bytes - std::min(context.cap_bytes, own_bytes_), pool);
}

void ScaledRows::find_scale(const DataView& x, const std::vector<Index>& rows, base::ThreadPool& pool) {
  const auto n = static_cast<Index>(rows.size());
  data::Moments moments = data::column_moments(x, rows.data(), n, pool);
  mean_ = std::move(moments.mean);
  if (std::holds_alternative<DenseView>(x)) {
    spread_ = mean_squares(x, rows, mean_, pool);
  } else {
    spread_ = std::move(moments.variance);
    for (std::size_t j = 0; j < mean_.size(); ++j) {
      spread_[j] += mean_[j] * mean_[j];
      mean_[j] = 0.0;
    }
  }
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    if (!std::isfinite(mean_[j]) || !std::isfinite(spread_[j]))
      throw DataError("X: the squares of column " + std::to_string(j) + " overflow: scale it");
    spread_[j] = spread_[j] > 0 ? std::sqrt(spread_[j]) : 1.0;
  }
}

DataView ScaledRows::copy_dense(const DenseView& x, const std::vector<Index>& rows, base::ThreadPool& pool) {
  const Index d = x.cols, n = static_cast<Index>(rows.size());
  values_ = base::Buffer<float>(static_cast<Index>(base::array_size(n, d)));
  pool.for_range(n, data::kPieceRows, [&](Index begin, Index end, int) {
    std::vector<double> row(d);
    for (Index r = begin; r < end; ++r) {
      data::copy_rows(x, &rows[r], 0, 1, row.data(), d, mean_.data());
      for (Index j = 0; j < d; ++j) values_[r * d + j] = static_cast<float>(row[j] / spread_[j]);
    }
  });
  return dense(values_.data(), n, d);
}

DataView ScaledRows::copy_sparse(const CsrView& x, const std::vector<Index>& rows) {
  const auto n = static_cast<Index>(rows.size());
  data::SparseRows<double> copy = data::copy_sparse_rows<double>(x, rows.data(), 0, n);
  columns_ = std::move(copy.indices);
  indptr_.assign(copy.indptr.begin(), copy.indptr.end());
  values_ = base::Buffer<float>(static_cast<Index>(copy.values.size()));
  for (std::size_t t = 0; t < copy.values.size(); ++t) {
    values_[static_cast<Index>(t)] = static_cast<float>(copy.values[t] / spread_[columns_[t]]);
  }
  return csr(values_.data(), columns_.data(), indptr_.data(), n, x.cols);
}

void ScaledRows::to_caller(double* vectors, Index count) const {
  if (mean_.empty()) return;
  const auto d = static_cast<Index>(mean_.size());
  for (Index k = 0; k < count; ++k) {
    double* vector = vectors + k * (d + 1);
    for (Index j = 0; j < d; ++j) {
      vector[j] /= spread_[j];
      vector[d] -= vector[j] * mean_[j];
    }
  }
}

}  // namespace dcsvm::ldkl
