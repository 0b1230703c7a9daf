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
  if (centred) find_centres(x, pool);
  const auto stored = static_cast<std::size_t>(begin_.back());
  const bool floats = x.has_floats() && centres_.empty(), narrow = x.rows() <= std::numeric_limits<std::uint16_t>::max() + 1;
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

void Columns::find_centres(const Matrix& x, base::ThreadPool& pool) {
  struct Spread {
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  };
  std::vector<Index> full;
  for (Index j = 0; j < x.features(); ++j) {
    if (begin_[j + 1] - begin_[j] == x.rows()) full.push_back(j);
  }
  if (full.empty() || x.rows() == 0) return;
  std::vector<Spread> spreads(full.size());
  for (Index i = 0; i < x.rows(); ++i) {
    if (i % kEntryPiece == 0) pool.poll();
    std::size_t at = 0;  // every row has every full column, in order
    x.each(i, [&](Index j, double v) {
      if (at == full.size() || full[at] != j) return;
      Spread& of = spreads[at++];
      of.low = std::min(of.low, v), of.high = std::max(of.high, v), of.sum += v;
    });
  }
  for (std::size_t at = 0; at < full.size(); ++at) {
    const Spread& of = spreads[at];
    const double mean = of.sum / static_cast<double>(x.rows());
    if (std::abs(mean) > of.high - of.low) centres_.push_back({full[at], mean});
  }
}

template <class T, class Row>
void Columns::fill(const Matrix& x, base::Buffer<T>& values, base::Buffer<Row>& rows, base::ThreadPool& pool) {
  values = base::Buffer<T>(begin_.back());
  rows = base::Buffer<Row>(begin_.back());
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  for (Index i = 0; i < x.rows(); ++i) {
    if (i % kEntryPiece == 0) pool.poll();
    std::size_t at = 0;  // every row has every centred column, in order
    x.each(i, [&](Index j, double v) {
      if (v == 0) return;
      if (at < centres_.size() && centres_[at].column == j) v -= centres_[at++].mean;
      rows[next[j]] = static_cast<Row>(i);
      values[next[j]++] = static_cast<T>(v);
    });
  }
}

}  // namespace dcsvm::products
