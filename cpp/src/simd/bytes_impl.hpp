// Tiles of byte products (bytes.hpp). The source that includes this, in its unnamed namespace, has defined Ints, its vector of
// 32-bit integers, and ByteStrip: a strip of kMr rows, whose products(b, out) gives u.(v - 128) of each row with the kNv vectors
// of columns of a panel. The rules for per-ISA sources hold (ops_impl.hpp).

inline Ints load_ints(const std::int32_t* p) {
  Ints v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

// u.(v - 128) -> kernel values. Integers wrap around on the way to d2, whose true value fits.
template <Map kMap>
inline V<float> finish(const MapParams<float>& map, float scale, Ints products, std::int32_t row_norm, std::int32_t row_sum,
                       Ints norms) {
  using Bits [[gnu::vector_size(kBytes)]] = std::uint32_t;
  auto inner = reinterpret_cast<Bits>(products);
  const auto sum = static_cast<std::uint32_t>(row_sum);
  if constexpr (takes_distance(kMap)) {
    inner = reinterpret_cast<Bits>(norms) + (static_cast<std::uint32_t>(row_norm) - 256U * sum) - (inner + inner);
  } else {
    inner = inner + 128U * sum;
  }
  const auto value = __builtin_convertvector(reinterpret_cast<VI<float>>(inner), V<float>) * scale;
  return kernel_of<float, kMap>(map, value);
}

// Rows [r0, r0 + m), m <= mr, against columns [j, j + n) of one panel.
template <Map kMap, class Sink>
inline void byte_micro(const MapParams<float>& map, float scale, const ByteStrips& rows, const ByteStrip& strip, Index r0,
                       Index m, const std::int8_t* b, const std::int32_t* b_norms, Index j, Index n, Sink& sink) {
  Ints acc[kMr][kNv];
  strip.products(b, acc);
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    V<float> values[kNv];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) {
      values[c] = finish<kMap>(map, scale, acc[r][c], rows.norms[r0 + r], rows.sums[r0 + r], load_ints(b_norms + c * L<float>));
    }
    sink.row(r0 + r, j, n, values);
  }
  sink.done(j, n);
}

template <Map kMap, class Sink>
void byte_tile_as(const MapParams<float>& given, float scale, const ByteStrips& rows, const std::int8_t* b,
                  const std::int32_t* b_norms, Index n, Index quads, Sink sink) {
  constexpr Index nr = kNr<float>;
  const MapParams<float> map = given;  // a copy that no store can reach
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const ByteStrip strip(rows.at + r * quads * 4, features_of(rows.features, r / kMr, quads));
    for (Index j = 0; j < n; j += nr) {
      const Index nn = n - j < nr ? n - j : nr;
      byte_micro<kMap>(map, scale, rows, strip, r, mm, b + j * quads * 4, b_norms + j, j, nn, sink);
    }
  }
}

template <class Sink>
void any_byte_tile(const MapParams<float>& map, float scale, const ByteStrips& rows, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, const Sink& sink) {
  with_map(map.kind, [&](auto its) { byte_tile_as<decltype(its)::value>(map, scale, rows, b, b_norms, n, quads, sink); });
}

void byte_tile(const MapParams<float>& map, float scale, const ByteStrips& rows, const std::int8_t* b,
               const std::int32_t* b_norms, Index n, Index quads, float* const* out) {
  any_byte_tile(map, scale, rows, b, b_norms, n, quads, Stored<float>{out});
}
void byte_tile_sum(const MapParams<float>& map, float scale, const ByteStrips& rows, const float* coef, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, double* g) {
  any_byte_tile(map, scale, rows, b, b_norms, n, quads, Summed<float>{coef, g});
}
