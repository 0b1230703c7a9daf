// Tiles of byte products (bytes.hpp). The source that includes this, in its unnamed namespace, has defined Ints, its vector of
// 32-bit integers, and two strips of kMr rows: ByteStrip, whose products(b, out) gives u.(v - 128) of each row with the kNv
// vectors of columns of a panel, and BitStrip, whose products are the numbers of common bits. The rules for per-ISA sources hold
// (ops_impl.hpp).

inline Ints load_ints(const std::int32_t* p) {
  Ints v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

using Bits [[gnu::vector_size(kBytes)]] = std::uint32_t;

// u.(v - 128) -> u.v. Integers wrap around on the way, but the true value fits. Bits have a row_sum of 0, and are u.v already.
inline Bits inner_of(Ints products, std::int32_t row_sum) {
  return reinterpret_cast<Bits>(products) + 128U * static_cast<std::uint32_t>(row_sum);
}
// |u|^2 + |v|^2, less `times` u.v: times = 2 is |u - v|^2.
inline Bits rest_of(Bits inner, std::uint32_t times, std::int32_t row_norm, Ints norms) {
  return reinterpret_cast<Bits>(norms) + static_cast<std::uint32_t>(row_norm) - times * inner;
}

// Vectors of T that the values of a vector of integers fill.
template <class T>
constexpr Index kFilled = static_cast<Index>(sizeof(T) / sizeof(std::int32_t));

inline V<float> converted(const MapParams<float>&, Bits integers, Index) {
  return __builtin_convertvector(reinterpret_cast<VI<float>>(integers), V<float>);
}
inline V<double> converted(const MapParams<double>&, Bits integers, Index h) {
  using Half [[gnu::vector_size(kBytes / 2)]] = std::int32_t;
  Half halves[2];
  __builtin_memcpy(halves, &integers, sizeof(halves));
  return __builtin_convertvector(halves[h], V<double>);
}

// One row against the columns of one vector of integers: kFilled vectors of T.
template <class T, class K>
inline void map_products(const MapParams<T>& map, T scale, Ints products, std::int32_t row_norm, std::int32_t row_sum, Ints norms,
                         V<T>* out) {
  const Bits inner = inner_of(products, row_sum);
  for (Index h = 0; h < kFilled<T>; ++h) {
    if constexpr (K::kRatio) {
      out[h] = K::value(Lanes<T>{map}, converted(map, inner, h), converted(map, rest_of(inner, 1, row_norm, norms), h));
    } else if constexpr (K::kDistance) {
      out[h] = K::value(Lanes<T>{map}, converted(map, rest_of(inner, 2, row_norm, norms), h) * scale);
    } else {
      out[h] = K::value(Lanes<T>{map}, converted(map, inner, h) * scale);
    }
  }
}

// Rows [r0, r0 + m), m <= mr, against columns [j, j + n) of one panel, which is kFilled panels of T.
template <class T, class K, class Strip, class Sink>
inline void byte_micro(const MapParams<T>& map, T scale, const ByteStrips& rows, const Strip& strip, Index r0, Index m,
                       const std::int8_t* b, const std::int32_t* b_norms, Index j, Index n, Sink (&sinks)[kFilled<T>]) {
  Ints acc[kMr][kNv];
  strip.products(b, acc);
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    V<T> values[kNv * kFilled<T>];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c)
      map_products<T, K>(map, scale, acc[r][c], rows.norms[r0 + r], rows.sums[r0 + r], load_ints(b_norms + c * L<float>),
                         values + c * kFilled<T>);
    for (Index s = 0, from = 0; s < kFilled<T> && from < n; ++s, from += kNr<T>)
      sinks[s].row(r0 + r, j + from, n - from < kNr<T> ? n - from : kNr<T>, values + s * kNv);
  }
  for (Index s = 0, from = 0; s < kFilled<T> && from < n; ++s, from += kNr<T>)
    sinks[s].done(j + from, n - from < kNr<T> ? n - from : kNr<T>);
}

template <class T, class K, class Strip, class Sink>
void byte_tile_as(const MapParams<T>& given, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
                  Index n, Index quads, Sink (&sinks)[kFilled<T>]) {
  constexpr Index nr = kNr<float>;
  const MapParams<T> map = given;  // a copy that no store can reach
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const Strip strip(rows.at + r * quads * 4, features_of(rows.features, r / kMr, quads));
    for (Index j = 0; j < n; j += nr) {
      const Index nn = n - j < nr ? n - j : nr;
      byte_micro<T, K>(map, scale, rows, strip, r, mm, b + j * quads * 4, b_norms + j, j, nn, sinks);
    }
  }
}

template <class Strip, class T, class Sink>
void any_byte_tile(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
                   Index n, Index quads, const Sink& sink) {
  Sink sinks[kFilled<T>] = {sink};
  for (Sink& one : sinks) one = sink;
  with_map(map.kind, [&](auto its) {
    using K = typename decltype(its)::Kernel;
    if constexpr (K::kTerm == Term::product) byte_tile_as<T, K, Strip>(map, scale, rows, b, b_norms, n, quads, sinks);
  });
}

template <class Strip, class T>
void byte_tile(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
               Index n, Index quads, T* const* out) {
  any_byte_tile<Strip>(map, scale, rows, b, b_norms, n, quads, Stored<T>{out});
}
template <class Strip, class T>
void byte_tile_sum(const MapParams<T>& map, T scale, const ByteStrips& rows, const T* coef, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, double* g) {
  any_byte_tile<Strip>(map, scale, rows, b, b_norms, n, quads, Summed<T>{coef, g});
}
template <class Strip, class T>
constexpr ByteTiles<T> kByteTiles = {byte_tile<Strip, T>, byte_tile_sum<Strip, T>};
