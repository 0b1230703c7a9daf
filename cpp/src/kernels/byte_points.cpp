#include "kernels/byte_points.hpp"

#include <algorithm>
#include <cstring>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::kernels {

namespace {

constexpr Index kQuad = 4, kByte = 8;

// Bytes of a point, whole quads.
Index row_bytes(Index d, const ByteGrid& grid) { return round_up(grid.bits ? round_up(d, kByte) / kByte : d, kQuad); }

// Rows on the grid, one after another, padded to whole quads.
class RowReader {
 public:
  RowReader(const DataView& x, const OnGrid& on) : x_(x), on_(on), d_(cols_of(x)) {
    if (on.kept != nullptr) return;
    values_.resize(static_cast<std::size_t>(d_));
    levels_.resize(static_cast<std::size_t>(round_up(d_, kByte)), 0);
    if (on.grid.bits) bits_.resize(static_cast<std::size_t>(row_bytes(d_, on.grid)));
  }

  // False: a value is off the grid.
  bool read(Index i) {
    if (on_.kept != nullptr) {
      bytes = on_.kept->row(i);
      norm = on_.kept->norm(i);
      sum = on_.kept->sum(i);
      return true;
    }
    const auto* csr = std::get_if<CsrView>(&x_);
    const bool fits = csr != nullptr && on_.grid.offset == 0.0 ? quantize_stored(*csr, i) : quantize_all(i);
    std::int32_t sum_now = 0, norm_now = 0;
    for (const std::uint8_t u : levels_) {
      sum_now += u;
      norm_now += u * u;
    }
    bytes = levels_.data();
    sum = sum_now;
    norm = norm_now;
    return on_.grid.bits ? take_bits() && fits : fits;
  }

  const std::uint8_t* bytes = nullptr;
  std::int32_t sum = 0, norm = 0;

 private:
  bool quantize_all(Index i) {
    data::copy_rows(x_, nullptr, i, 1, values_.data(), d_);
    return simd::byte_ops()->quantize(on_.grid, values_.data(), d_, levels_.data());
  }
  bool quantize_stored(const CsrView& csr, Index i) {
    const Index begin = data::row_begin(csr, i), count = data::row_begin(csr, i + 1) - begin;
    of_stored_.resize(static_cast<std::size_t>(count));
    for (Index t = 0; t < count; ++t) values_[t] = data::value_at(csr, begin + t);
    const bool fits = simd::byte_ops()->quantize(on_.grid, values_.data(), count, of_stored_.data());
    std::fill(levels_.begin(), levels_.end(), std::uint8_t{0});
    for (Index t = 0; t < count; ++t) levels_[data::column_at(csr, begin + t)] = of_stored_[t];
    return fits;
  }
  // False: a level is neither 0 nor 1.
  bool take_bits() {
    // Moves bit 8 k to bit 56 + k: no two of the products meet, so nothing is carried.
    constexpr std::uint64_t kGather = 0x0102040810204080U, kLowest = 0x0101010101010101U;
    for (Index k = 0; k < d_; k += kByte) {
      std::uint64_t eight;
      std::memcpy(&eight, levels_.data() + k, sizeof(eight));
      bits_[k / kByte] = static_cast<std::uint8_t>(((eight & kLowest) * kGather) >> 56);
    }
    bytes = bits_.data();
    const bool are_bits = norm == sum;
    norm = sum;
    sum = 0;
    return are_bits;
  }

  const DataView& x_;
  OnGrid on_;
  Index d_;
  std::vector<double> values_;
  std::vector<std::uint8_t> levels_, of_stored_, bits_;
};

// The quads of column j of a set of points.
template <class Byte>
Byte* column(Byte* panels, Index j, Index width, Index length) {
  return panels + j / width * width * length + j % width * kQuad;
}

constexpr const char* kChanged = "X: values changed while they were in use";

}  // namespace

ByteRows::ByteRows(const DataView& x, const ByteGrid& grid, base::ThreadPool& pool) : length_(row_bytes(cols_of(x), grid)) {
  const Index n = rows_of(x);
  values_ = base::Buffer<std::uint8_t>(n * length_);
  norms_ = base::Buffer<std::int32_t>(n);
  sums_ = base::Buffer<std::int32_t>(n);
  pool.for_range(n, 256, [&](Index begin, Index end, int) {
    RowReader row(x, grid);
    for (Index i = begin; i < end; ++i) {
      if (!row.read(i)) throw DataError(kChanged);
      std::memcpy(values_.data() + i * length_, row.bytes, static_cast<std::size_t>(length_));
      norms_.data()[i] = row.norm;
      sums_.data()[i] = row.sum;
    }
  });
}

double ByteRows::wanted(double n, Index d, const ByteGrid& grid) {
  return n * (static_cast<double>(row_bytes(d, grid)) + 2 * sizeof(std::int32_t));
}

BytePoints::BytePoints(const DataView& x, const Index* idx, Index first, Index count, const OnGrid& on, base::ThreadPool& pool)
    : n(count), d(cols_of(x)), grid(on.grid) {
  const Index width = simd::byte_ops()->nr, padded = round_up(n, width), length = row_bytes(d, grid);
  panels = base::Buffer<std::int8_t>(padded * length);
  norms = base::Buffer<std::int32_t>(padded);
  pool.for_range(n, packed_at_once(width, length), [&](Index begin, Index end, int) {
    RowReader row(x, on);
    for (Index j = begin; j < end; ++j) {
      if (!row.read(idx != nullptr ? idx[j] : first + j)) throw DataError(kChanged);
      std::int8_t* out = column(panels.data(), j, width, length);
      for (Index k = 0; k < length; k += kQuad, out += width * kQuad) {
        std::uint32_t quad;
        std::memcpy(&quad, row.bytes + k, sizeof(quad));
        if (!grid.bits) quad ^= 0x80808080U;  // u - 128 as a signed byte
        std::memcpy(out, &quad, sizeof(quad));
      }
      norms[j] = row.norm;
    }
    if (end < n) return;
    for (Index j = n; j < padded; ++j) {  // the last panel's free columns
      std::int8_t* out = column(panels.data(), j, width, length);
      for (Index k = 0; k < length; k += kQuad, out += width * kQuad) std::memset(out, 0, kQuad);
      norms[j] = 0;
    }
  });
}

std::size_t BytePoints::bytes() const { return panels.bytes() + norms.bytes(); }

double BytePoints::wanted(double n, Index d, const ByteGrid& grid) {
  return n * (static_cast<double>(row_bytes(d, grid)) + sizeof(std::int32_t));
}

std::vector<float> BytePoints::unpack() const {
  const Index width = simd::byte_ops()->nr, length = row_bytes(d, grid);
  std::vector<float> out(n * d);
  for (Index j = 0; j < n; ++j) {
    const std::int8_t* from = column(panels.data(), j, width, length);
    const auto byte = [&](Index b) { return from[b / kQuad * width * kQuad + b % kQuad]; };
    for (Index k = 0; k < d; ++k) {
      const int u = grid.bits ? (byte(k / kByte) >> (k % kByte)) & 1 : byte(k) + 128;
      out[j * d + k] = static_cast<float>(grid.offset + grid.step * u);
    }
  }
  return out;
}

ByteQueries::ByteQueries(const DataView& x, const Index* idx, Index first, Index count, const OnGrid& on, Index columns,
                         base::ThreadPool& pool)
    : m(count), plan(row_bytes(cols_of(x), on.grid) / kQuad, simd::byte_ops()->mr, columns) {
  const Index width = simd::byte_ops()->mr, padded = round_up(m, width), quads = row_bytes(cols_of(x), on.grid) / kQuad;
  strips = base::Buffer<std::uint32_t>(padded * quads);
  norms = base::Buffer<std::int32_t>(padded, 0);
  sums = base::Buffer<std::int32_t>(padded, 0);
  std::vector<std::int32_t> row_norms(static_cast<std::size_t>(m)), row_sums(row_norms.size());
  std::vector<std::uint8_t> off(row_norms.size(), 0);
  const auto read = [&](Index begin, Index end, std::uint32_t* rows) {
    RowReader row(x, on);
    for (Index r = begin; r < end; ++r) {
      off[r] = row.read(idx != nullptr ? idx[r] : first + r) ? 0 : 1;
      std::memcpy(rows + (r - begin) * quads, row.bytes, static_cast<std::size_t>(quads * kQuad));
      row_norms[r] = row.norm;
      row_sums[r] = row.sum;
    }
  };
  plan.pack<std::uint32_t>(m, strips.data(), pool, read, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      norms[s] = row_norms[plan.row(s)];
      sums[s] = row_sums[plan.row(s)];
    }
  });
  for (Index r = 0; r < m; ++r) {
    if (off[r] != 0) off_grid.push_back(r);
  }
}

template <class T>
void byte_tile(const simd::MapParams<T>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
               T* const* out) {
  const Index length = row_bytes(points.d, points.grid);
  const auto scale = static_cast<T>(points.grid.step * points.grid.step);
  simd::byte_tiles<T>(*simd::byte_ops(), points.grid.bits)
      .tile(map, scale, queries.view(), points.panels.data() + begin * length, points.norms.data() + begin, end - begin,
            length / kQuad, out);
}

template <class T>
void byte_tile_sum(const simd::MapParams<T>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
                   const T* coef, double* out) {
  const Index length = row_bytes(points.d, points.grid);
  const auto scale = static_cast<T>(points.grid.step * points.grid.step);
  simd::byte_tiles<T>(*simd::byte_ops(), points.grid.bits)
      .tile_sum(map, scale, queries.view(), coef, points.panels.data() + begin * length, points.norms.data() + begin, end - begin,
                length / kQuad, out);
}

template void byte_tile<float>(const simd::MapParams<float>&, const ByteQueries&, const BytePoints&, Index, Index, float* const*);
template void byte_tile<double>(const simd::MapParams<double>&, const ByteQueries&, const BytePoints&, Index, Index,
                                double* const*);
template void byte_tile_sum<float>(const simd::MapParams<float>&, const ByteQueries&, const BytePoints&, Index, Index,
                                   const float*, double*);
template void byte_tile_sum<double>(const simd::MapParams<double>&, const ByteQueries&, const BytePoints&, Index, Index,
                                    const double*, double*);

}  // namespace dcsvm::kernels
