#include "products/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "dcsvm/errors.hpp"

namespace dcsvm::products {

Columns::Columns(const Matrix& x, std::size_t cap_bytes, base::ThreadPool& pool, bool centred) : begin_(x.cols() + 1, 0) {
  if (x.rows() > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 rows");
  for (Index i = 0; i < x.rows(); ++i) {
    if (i % kEntryPiece == 0) pool.poll();
    x.each(i, [&](Index j, double v) { begin_[j + 1] += v != 0 ? 1 : 0; });
  }
  for (Index j = 0; j < x.cols(); ++j) begin_[j + 1] += begin_[j];
  if (centred) find_centres(x);
  const auto stored = static_cast<std::size_t>(begin_.back());
  const bool floats = x.has_floats() && centre_.empty(), narrow = x.rows() <= std::numeric_limits<std::uint16_t>::max() + 1;
  const std::size_t bytes = stored * ((floats ? 4 : 8) + (narrow ? 2 : 4)) + begin_.size() * 2 * sizeof(Index) + x.bytes();
  if (bytes > cap_bytes) {
    throw CapError("cache_size: X by rows and by columns needs " + std::to_string(bytes / 1048576 + 1) + " MB, the cap is " +
                   std::to_string(cap_bytes / 1048576));
  }
  if (floats) {
    narrow ? fill(x, values32_, rows16_, pool) : fill(x, values32_, rows32_, pool);
  } else {
    narrow ? fill(x, values64_, rows16_, pool) : fill(x, values64_, rows32_, pool);
  }
}

void Columns::find_centres(const Matrix& x) {
  std::vector<double> low(static_cast<std::size_t>(x.cols()), 0.0), high = low;
  centre_ = low;
  for (Index i = 0; i < x.rows(); ++i) {
    x.each(i, [&](Index j, double v) {
      low[j] = i == 0 ? v : std::min(low[j], v);
      high[j] = i == 0 ? v : std::max(high[j], v);
      centre_[j] += v / static_cast<double>(x.rows());
    });
  }
  for (Index j = 0; j < x.cols(); ++j) {
    const bool full = j < x.features() && begin_[j + 1] - begin_[j] == x.rows();
    // Nearer to 0 a mean slows no solver.
    if (!full || std::abs(centre_[j]) <= 4.0 * (high[j] - low[j])) centre_[j] = 0.0;
  }
  if (std::all_of(centre_.begin(), centre_.end(), [](double c) { return c == 0; })) centre_.clear();
}

template <class T, class Row>
void Columns::fill(const Matrix& x, base::Buffer<T>& values, base::Buffer<Row>& rows, base::ThreadPool& pool) {
  values = base::Buffer<T>(begin_.back());
  rows = base::Buffer<Row>(begin_.back());
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  for (Index i = 0; i < x.rows(); ++i) {
    if (i % kEntryPiece == 0) pool.poll();
    x.each(i, [&](Index j, double v) {
      if (v == 0) return;
      rows[next[j]] = static_cast<Row>(i);
      values[next[j]++] = static_cast<T>(v - centre(j));
    });
  }
}

}  // namespace dcsvm::products
