// Tiles of byte products (bytes.hpp). The source that includes this, in its unnamed namespace, has defined Ints, its vector of
// 32-bit integers, and ByteStrip: a strip of kMr rows, whose products(b, out) gives u.(v - 128) of each row with the kNv vectors
// of columns of a panel. The rules for per-ISA sources hold (ops_impl.hpp).

inline Ints load_ints(const std::int32_t* p) {
  Ints v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

using Bits [[gnu::vector_size(kBytes)]] = std::uint32_t;

// u.(v - 128) -> u.v, or |u - v|^2 for a map of distances. Integers wrap around on the way, but the true value fits.
template <Map kMap>
inline Bits argument_of(Ints products, std::int32_t row_norm, std::int32_t row_sum, Ints norms) {
  auto inner = reinterpret_cast<Bits>(products);
  const auto sum = static_cast<std::uint32_t>(row_sum);
  if constexpr (takes_distance(kMap)) {
    return reinterpret_cast<Bits>(norms) + (static_cast<std::uint32_t>(row_norm) - 256U * sum) - (inner + inner);
  } else {
    return inner + 128U * sum;
  }
}

// Vectors of T that the values of a vector of integers fill.
template <class T>
constexpr Index kFilled = static_cast<Index>(sizeof(T) / sizeof(std::int32_t));

template <Map kMap>
inline void map_integers(const MapParams<float>& map, float scale, Bits integers, V<float>* out) {
  *out = kernel_of<float, kMap>(map, __builtin_convertvector(reinterpret_cast<VI<float>>(integers), V<float>) * scale);
}
template <Map kMap>
inline void map_integers(const MapParams<double>& map, double scale, Bits integers, V<double>* out) {
  using Half [[gnu::vector_size(kBytes / 2)]] = std::int32_t;
  Half halves[2];
  __builtin_memcpy(halves, &integers, sizeof(halves));
  for (Index h = 0; h < 2; ++h) out[h] = kernel_of<double, kMap>(map, __builtin_convertvector(halves[h], V<double>) * scale);
}

// Rows [r0, r0 + m), m <= mr, against columns [j, j + n) of one panel, which is kFilled panels of T.
template <class T, Map kMap, class Sink>
inline void byte_micro(const MapParams<T>& map, T scale, const ByteStrips& rows, const ByteStrip& strip, Index r0, Index m,
                       const std::int8_t* b, const std::int32_t* b_norms, Index j, Index n, Sink (&sinks)[kFilled<T>]) {
  Ints acc[kMr][kNv];
  strip.products(b, acc);
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    V<T> values[kNv * kFilled<T>];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) {
      const Ints norms = load_ints(b_norms + c * L<float>);
      map_integers<kMap>(map, scale, argument_of<kMap>(acc[r][c], rows.norms[r0 + r], rows.sums[r0 + r], norms),
                         values + c * kFilled<T>);
    }
    for (Index s = 0, from = 0; s < kFilled<T> && from < n; ++s, from += kNr<T>)
      sinks[s].row(r0 + r, j + from, n - from < kNr<T> ? n - from : kNr<T>, values + s * kNv);
  }
  for (Index s = 0, from = 0; s < kFilled<T> && from < n; ++s, from += kNr<T>)
    sinks[s].done(j + from, n - from < kNr<T> ? n - from : kNr<T>);
}

template <class T, Map kMap, class Sink>
void byte_tile_as(const MapParams<T>& given, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
                  Index n, Index quads, Sink (&sinks)[kFilled<T>]) {
  constexpr Index nr = kNr<float>;
  const MapParams<T> map = given;  // a copy that no store can reach
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const ByteStrip strip(rows.at + r * quads * 4, features_of(rows.features, r / kMr, quads));
    for (Index j = 0; j < n; j += nr) {
      const Index nn = n - j < nr ? n - j : nr;
      byte_micro<T, kMap>(map, scale, rows, strip, r, mm, b + j * quads * 4, b_norms + j, j, nn, sinks);
    }
  }
}

template <class T, class Sink>
void any_byte_tile(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
                   Index n, Index quads, const Sink& sink) {
  Sink sinks[kFilled<T>] = {sink};
  for (Sink& one : sinks) one = sink;
  with_map(map.kind, [&](auto its) {
    constexpr Map kMap = decltype(its)::value;
    if constexpr (byte_products_serve(kMap)) byte_tile_as<T, kMap>(map, scale, rows, b, b_norms, n, quads, sinks);
  });
}

template <class T>
void byte_tile(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
               Index n, Index quads, T* const* out) {
  any_byte_tile<T>(map, scale, rows, b, b_norms, n, quads, Stored<T>{out});
}
template <class T>
void byte_tile_sum(const MapParams<T>& map, T scale, const ByteStrips& rows, const T* coef, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, double* g) {
  any_byte_tile<T>(map, scale, rows, b, b_norms, n, quads, Summed<T>{coef, g});
}
template <class T>
constexpr ByteTiles<T> kByteTiles = {byte_tile<T>, byte_tile_sum<T>};
