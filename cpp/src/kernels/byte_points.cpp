#include "kernels/byte_points.hpp"

#include <algorithm>
#include <cstring>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::kernels {

namespace {

constexpr Index kQuad = 4;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

// Rows on the grid, one after another, padded to whole quads.
class RowReader {
 public:
  RowReader(const DataView& x, const ByteGrid& grid)
      : x_(x), grid_(grid), d_(cols_of(x)), values_(at(d_)), bytes_(at(round_up(d_, kQuad)), 0) {}

  // False: a value is off the grid.
  bool read(Index i) {
    data::copy_rows(x_, nullptr, i, 1, values_.data(), d_);
    const bool fits = simd::byte_ops()->quantize(grid_, values_.data(), d_, bytes_.data());
    std::int32_t sum = 0, norm = 0;
    for (const std::uint8_t u : bytes_) {
      sum += u;
      norm += u * u;
    }
    this->sum = sum;
    this->norm = norm;
    return fits;
  }
  // Puts the row's quads at out, out + stride, ...; the bits of `flip` are flipped in every one.
  void scatter(std::uint8_t* out, Index stride, std::uint32_t flip) const {
    for (std::size_t k = 0; k < bytes_.size(); k += kQuad, out += stride) {
      std::uint32_t quad;
      std::memcpy(&quad, bytes_.data() + k, sizeof(quad));
      quad ^= flip;
      std::memcpy(out, &quad, sizeof(quad));
    }
  }

  std::int32_t sum = 0, norm = 0;

 private:
  const DataView& x_;
  ByteGrid grid_;
  Index d_;
  std::vector<double> values_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

BytePoints::BytePoints(const DataView& x, const Index* idx, Index first, Index count, const ByteGrid& on, base::ThreadPool& pool)
    : n(count), d(cols_of(x)), grid(on) {
  const Index width = simd::byte_ops()->nr, padded = round_up(n, width), length = round_up(d, kQuad);
  panels = base::Buffer<std::uint8_t>(padded * length);
  norms = base::Buffer<std::int32_t>(padded);
  sums = base::Buffer<std::int32_t>(padded);
  pool.for_range(n, width * 16, [&](Index begin, Index end, int) {
    RowReader row(x, grid);
    for (Index j = begin; j < end; ++j) {
      if (!row.read(idx != nullptr ? idx[j] : first + j)) throw DataError("X: values changed while they were in use");
      row.scatter(panels.data() + j / width * width * length + j % width * kQuad, width * kQuad, 0);
      norms[j] = row.norm;
      sums[j] = row.sum;
    }
    if (end < n) return;
    for (Index j = n; j < padded; ++j) {  // the last panel's free columns
      std::uint8_t* out = panels.data() + j / width * width * length + j % width * kQuad;
      for (Index k = 0; k < length; k += kQuad, out += width * kQuad) std::memset(out, 0, kQuad);
      norms[j] = sums[j] = 0;
    }
  });
}

std::size_t BytePoints::bytes() const { return panels.bytes() + norms.bytes() + sums.bytes(); }

double BytePoints::wanted(double n, Index d) {
  return n * (static_cast<double>(round_up(d, kQuad)) + 2.0 * sizeof(std::int32_t));
}

std::vector<float> BytePoints::unpack() const {
  const Index width = simd::byte_ops()->nr, length = round_up(d, kQuad);
  std::vector<float> out(at(n * d));
  for (Index j = 0; j < n; ++j) {
    const std::uint8_t* panel = panels.data() + j / width * width * length + j % width * kQuad;
    for (Index k = 0; k < d; ++k) {
      const std::uint8_t u = panel[k / kQuad * width * kQuad + k % kQuad];
      out[at(j * d + k)] = static_cast<float>(grid.offset + grid.step * u);
    }
  }
  return out;
}

ByteQueries::ByteQueries(const DataView& x, const Index* idx, Index first, Index count, const ByteGrid& grid) : m(count) {
  const Index width = simd::byte_ops()->mr, padded = round_up(m, width), length = round_up(cols_of(x), kQuad);
  strips = base::Buffer<std::int8_t>(padded * length);
  norms = base::Buffer<std::int32_t>(padded);
  auto* out = reinterpret_cast<std::uint8_t*>(strips.data());
  RowReader row(x, grid);
  for (Index r = 0; r < m; ++r) {
    if (!row.read(idx != nullptr ? idx[r] : first + r)) misfits.push_back(r);
    row.scatter(out + r / width * width * length + r % width * kQuad, width * kQuad, 0x80808080U);  // u - 128 as a signed byte
    norms[r] = row.norm;
  }
  for (Index r = m; r < padded; ++r) {
    for (Index k = 0; k < length; k += kQuad) std::memset(out + (r / width * length + k) * width + r % width * kQuad, 0, kQuad);
    norms[r] = 0;
  }
}

void byte_tile(const simd::MapParams<float>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
               float* const* out) {
  const Index length = round_up(points.d, kQuad);
  const auto scale = static_cast<float>(points.grid.step * points.grid.step);
  simd::byte_ops()->tile(map, scale, queries.strips.data(), queries.norms.data(), queries.m,
                         points.panels.data() + begin * length, points.norms.data() + begin, points.sums.data() + begin,
                         end - begin, length / kQuad, out);
}

}  // namespace dcsvm::kernels
