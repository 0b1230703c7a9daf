// Body of every per-ISA source: define DCSVM_VECTOR_BYTES and DCSVM_ISA_TABLE(float/double names) before including.
// Everything is in an unnamed namespace and uses no inline function of any library: a function compiled here for AVX-512 must
// never be the copy that the linker keeps for other sources.

#include "simd/ops.hpp"

namespace dcsvm::simd {
namespace {

constexpr Index kBytes = DCSVM_VECTOR_BYTES;

template <class T>
struct Vec;
template <>
struct Vec<float> {
  using Real [[gnu::vector_size(kBytes)]] = float;
  using Int [[gnu::vector_size(kBytes)]] = std::int32_t;
};
template <>
struct Vec<double> {
  using Real [[gnu::vector_size(kBytes)]] = double;
  using Int [[gnu::vector_size(kBytes)]] = std::int64_t;
};
template <class T>
using V = typename Vec<T>::Real;
template <class T>
using VI = typename Vec<T>::Int;
template <class T>
constexpr Index L = kBytes / static_cast<Index>(sizeof(T));

template <class T>
inline V<T> load(const T* p) {
  V<T> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <class T>
inline void store(T* p, V<T> v) {
  __builtin_memcpy(p, &v, sizeof(v));
}
template <class T>
inline V<T> broadcast(T x) {
  return x - V<T>{};
}

#include "simd/map_impl.hpp"

constexpr Index kD = L<double>;

inline V<double> load_double(const double* p) { return load(p); }
inline V<double> load_double(const float* p) {
  using Half [[gnu::vector_size(kBytes / 2)]] = float;
  Half h;
  __builtin_memcpy(&h, p, sizeof(h));
  return __builtin_convertvector(h, V<double>);
}

// ---- tiles ---------------------------------------------------------------------------------------------------------------
// mr x nv vector accumulators stay in registers over the whole feature loop; the map is applied before the one store.

constexpr Index kMr = DCSVM_TILE_ROWS;
constexpr Index kNv = DCSVM_TILE_VECTORS;
template <class T>
constexpr Index kNr = kNv * L<T>;

template <class T>
void norms(const T* packed, Index d, Index width, T* out) {
  for (Index j = 0; j < width; ++j) {
    T sum = 0;
    for (Index k = 0; k < d; ++k) sum += packed[k * width + j] * packed[k * width + j];
    out[j] = sum;
  }
}

// Where a micro-kernel finds feature k of its row r.
template <class T>
struct Strip {
  const T* at;
  inline T operator()(Index r, Index k) const { return at[k * kMr + r]; }
};
template <class T>
struct RowPointers {
  const T* at[kMr];
  inline T operator()(Index r, Index k) const { return at[r][k]; }
};

// Row r against a panel: inner products become kernel values.
template <class T, Map kMap, class Rows>
[[gnu::always_inline]] inline void finish_row(const MapParams<T>& map, const Rows& a, Index r, T a_norm, const T* b,
                                              const T* b_norms, Index d, V<T>* values) {
  if constexpr (kMap == Map::rbf) {
    if (map.near_below > T(0)) {
      V<T> d2[kNv];
      VI<T> found = VI<T>{};
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) {
        d2[c] = squared_distance<T>(values[c], a_norm, load(b_norms + c * L<T>));
        found |= d2[c] < map.near_below;
      }
      if (any<T>(found)) {  // lane by lane, so that a value does not depend on its neighbours
        V<T> sum[kNv] = {};
        for (Index k = 0; k < d; ++k) {
          const V<T> ar = broadcast(a(r, k));
#pragma GCC unroll 8
          for (Index c = 0; c < kNv; ++c) {
            const V<T> diff = load(b + k * kNr<T> + c * L<T>) - ar;
            sum[c] += diff * diff;
          }
        }
#pragma GCC unroll 8
        for (Index c = 0; c < kNv; ++c) d2[c] = d2[c] < map.near_below ? sum[c] : d2[c];
      }
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) values[c] = rbf_v(d2[c], map.gamma);
      return;
    }
  }
#pragma GCC unroll 8
  for (Index c = 0; c < kNv; ++c) values[c] = apply<T, kMap>(map, values[c], a_norm, load(b_norms + c * L<T>));
}

// Where the values of a tile go. A sink takes row r's values for columns [0, n) of a panel; done() ends the panel.
template <class T>
struct Stored {
  T* const* out;  // by row, from the tile's first column
  [[gnu::always_inline]] inline void row(Index r, Index j, Index n, const V<T>* values) {
    T* to = out[r] + j;
    if (n == kNr<T>) {
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) store<T>(to + c * L<T>, values[c]);
      return;
    }
    T edge[kNr<T>];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) store<T>(edge + c * L<T>, values[c]);
    for (Index t = 0; t < n; ++t) to[t] = edge[t];
  }
  inline void done(Index, Index) {}
};

// Multiplied by coefficients and added up: in T over the mr rows of a strip, beyond in double.
template <class T>
struct Summed {
  const T* coef;
  double* g;
  V<T> sum[kNv] = {};
  [[gnu::always_inline]] inline void row(Index r, Index, Index, const V<T>* values) {
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) sum[c] += values[c] * coef[r];
  }
  [[gnu::always_inline]] inline void done(Index j, Index n) {
    T edge[kNr<T>];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) store<T>(edge + c * L<T>, sum[c]), sum[c] = V<T>{};
    Index t = 0;
    for (; t + kD <= n; t += kD) store<double>(g + j + t, load(g + j + t) + load_double(edge + t));
    for (; t < n; ++t) g[j + t] += static_cast<double>(edge[t]);
  }
};

// Which features a micro-kernel multiplies.
struct Some {
  const std::int32_t* list;  // null: all
  Index count;
};
inline Some features_of(const StripFeatures& features, Index strip, Index d) {
  if (features.list == nullptr) return {nullptr, d};
  return {features.list + strip * d, features.count[strip]};
}

template <class T, class Rows>
[[gnu::always_inline]] inline void multiply_feature(const Rows& a, const T* b, Index k, V<T> (&acc)[kMr][kNv]) {
  V<T> bv[kNv];
#pragma GCC unroll 8
  for (Index c = 0; c < kNv; ++c) bv[c] = load(b + k * kNr<T> + c * L<T>);
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    const V<T> ar = broadcast(a(r, k));
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) acc[r][c] += ar * bv[c];
  }
}

// Rows [r0, r0 + m), m <= mr, against columns [j, j + n) of one panel.
template <class T, Map kMap, class Rows, class Sink>
[[gnu::always_inline]] inline void micro(const MapParams<T>& map, const Rows& a, const T* a_norms, Some some, Index r0, Index m,
                                         const T* b, const T* b_norms, Index j, Index n, Index d, Sink& sink) {
  V<T> acc[kMr][kNv] = {};
  if (some.list == nullptr) {
    for (Index k = 0; k < d; ++k) multiply_feature<T>(a, b, k, acc);
  } else {
    for (Index t = 0; t < some.count; ++t) multiply_feature<T>(a, b, some.list[t], acc);
  }
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    finish_row<T, kMap>(map, a, r, a_norms[r0 + r], b, b_norms, d, acc[r]);
    sink.row(r0 + r, j, n, acc[r]);
  }
  sink.done(j, n);
}

// micro() for the rbf map from differences, which cancel no digits; where adds and multiplies have units of their own they cost
// no more than products.
template <class T, class Rows, class Sink>
[[gnu::always_inline]] inline void micro_differences(const MapParams<T>& map, const Rows& a, Index r0, Index m, const T* b,
                                                     Index j, Index n, Index d, Sink& sink) {
  V<T> d2[kMr][kNv] = {};
  for (Index k = 0; k < d; ++k) {
    V<T> bv[kNv];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) bv[c] = load(b + k * kNr<T> + c * L<T>);
#pragma GCC unroll 16
    for (Index r = 0; r < kMr; ++r) {
      const V<T> ar = broadcast(a(r, k));
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) {
        const V<T> diff = bv[c] - ar;
        d2[r][c] += diff * diff;
      }
    }
  }
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) d2[r][c] = rbf_v(d2[r][c], map.gamma);
    sink.row(r0 + r, j, n, d2[r]);
  }
  sink.done(j, n);
}

// Strips and panels as PointSet and QuerySet lay them out.
template <class T, Map kMap, class Sink>
void tile_as(const MapParams<T>& given, const Strips<T>& rows, const T* b, const T* b_norms, Index n, Index d, Sink sink) {
  const MapParams<T> map = given;  // a copy that no store can reach
  const bool everywhere = map.near_below >= __builtin_inf();
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const Strip<T> a{rows.at + r * d};
    const Some some = features_of(rows.features, r / kMr, d);
    for (Index j = 0; j < n; j += kNr<T>) {
      const Index nn = n - j < kNr<T> ? n - j : kNr<T>;
      if constexpr (kMap == Map::rbf) {
        if (everywhere) {
          micro_differences<T>(map, a, r, mm, b + j * d, j, nn, d, sink);
          continue;
        }
      }
      micro<T, kMap>(map, a, rows.norms, some, r, mm, b + j * d, b_norms + j, j, nn, d, sink);
    }
  }
}

#include "simd/product_impl.hpp"

// Rows given one by one: what is left of a tile when far rows are skipped.
template <class T, class Sink>
void rbf_rows_as(const MapParams<T>& given, const T* const* a, const T* a_norms, Index m, const StripFeatures& features,
                 const T* b, const T* b_norms, Index n, Index d, Sink sink) {
  const MapParams<T> map = given;
  const Some some = features_of(features, 0, d);
  for (Index r = 0; r < m; r += kMr) {
    const Index mm = m - r < kMr ? m - r : kMr;
    RowPointers<T> rows;
    for (Index i = 0; i < kMr; ++i) rows.at[i] = a[i < mm ? r + i : r];
    for (Index j = 0; j < n; j += kNr<T>) {
      const Index nn = n - j < kNr<T> ? n - j : kNr<T>;
      micro<T, Map::rbf>(map, rows, a_norms, some, r, mm, b + j * d, b_norms + j, j, nn, d, sink);
    }
  }
}

template <class T>
void rbf_rows(const MapParams<T>& map, const T* const* a, const T* a_norms, Index m, const StripFeatures& features, const T* b,
              const T* b_norms, Index n, Index d, T* const* out) {
  rbf_rows_as<T>(map, a, a_norms, m, features, b, b_norms, n, d, Stored<T>{out});
}
template <class T>
void rbf_rows_sum(const MapParams<T>& map, const T* const* a, const T* a_norms, const T* coef, Index m,
                  const StripFeatures& features, const T* b, const T* b_norms, Index n, Index d, double* g) {
  rbf_rows_as<T>(map, a, a_norms, m, features, b, b_norms, n, d, Summed<T>{coef, g});
}

template <class T, class Sink>
void any_tile(const MapParams<T>& map, const Strips<T>& rows, const T* b, const T* b_norms, Index n, Index d, const Sink& sink) {
  switch (map.kind) {
    case Map::linear: return tile_as<T, Map::linear>(map, rows, b, b_norms, n, d, sink);
    case Map::poly: return tile_as<T, Map::poly>(map, rows, b, b_norms, n, d, sink);
    case Map::rbf: return tile_as<T, Map::rbf>(map, rows, b, b_norms, n, d, sink);
    case Map::sigmoid: return tile_as<T, Map::sigmoid>(map, rows, b, b_norms, n, d, sink);
  }
}

template <class T>
void tile(const MapParams<T>& map, const Strips<T>& rows, const T* b, const T* b_norms, Index n, Index d, T* const* out) {
  any_tile<T>(map, rows, b, b_norms, n, d, Stored<T>{out});
}
template <class T>
void tile_sum(const MapParams<T>& map, const Strips<T>& rows, const T* coef, const T* b, const T* b_norms, Index n, Index d,
              double* g) {
  any_tile<T>(map, rows, b, b_norms, n, d, Summed<T>{coef, g});
}

// Lanes whose point lies within `limit` (squared distance) of the box [low, high]; strip[k * lanes + l] is feature k of point l.
template <class T>
std::uint32_t near_box(const T* strip, const T* low, const T* high, Index d, T limit) {
  V<T> sum = V<T>{};
  for (Index k = 0; k < d;) {
    const Index stop = d - k < 8 ? d : k + 8;  // the widest features come first: most boxes are told apart by a few
    for (; k < stop; ++k) {
      const V<T> x = load(strip + k * L<T>);
      V<T> gap = low[k] - x, above = x - high[k];
      gap = gap > above ? gap : above;
      gap = gap > V<T>{} ? gap : V<T>{};
      sum += gap * gap;
    }
    if (!any<T>(sum <= limit)) return 0;
  }
  std::uint32_t lanes = 0;
  for (Index l = 0; l < L<T>; ++l) lanes |= static_cast<std::uint32_t>(sum[l] <= limit) << l;
  return lanes;
}

template <class T>
T shift_row(const T* row, const T* centre, Index d, T* out) {
  V<T> sum = V<T>{};
  for (Index k = 0; k < d; k += L<T>) {
    const V<T> v = load(row + k) - load(centre + k);
    store<T>(out + k, v);
    sum += v * v;
  }
  T part[L<T>];
  store<T>(part, sum);
  for (Index w = L<T> / 2; w > 0; w /= 2) {
    for (Index l = 0; l < w; ++l) part[l] += part[l + w];
  }
  return part[0];
}

constexpr Index kSparseVectors = 4;
template <class T>
constexpr Index kSparseW = kSparseVectors * L<T>;

template <class T>
void sparse_dot(const T* val, const std::int32_t* idx, Index nnz, const T* rows, T* out) {
  V<T> acc[kSparseVectors] = {};
  for (Index t = 0; t < nnz; ++t) {
    const V<T> v = broadcast(val[t]);
    const T* row = rows + static_cast<Index>(idx[t]) * kSparseW<T>;
#pragma GCC unroll 4
    for (Index c = 0; c < kSparseVectors; ++c) acc[c] += v * load(row + c * L<T>);
  }
#pragma GCC unroll 4
  for (Index c = 0; c < kSparseVectors; ++c) store<T>(out + c * L<T>, acc[c]);
}

// ---- sums in double ------------------------------------------------------------------------------------------------------

template <class T, int kRows>
inline void accumulate_rows(const double* coef, const T* const* rows, Index begin, Index end, double* g) {
  Index j = begin;
  for (; j + kD <= end; j += kD) {
    V<double> sum = load(g + j);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) sum += load_double(rows[r] + j) * coef[r];
    store<double>(g + j, sum);
  }
  for (; j < end; ++j) {
    double sum = g[j];
    for (int r = 0; r < kRows; ++r) sum += static_cast<double>(rows[r][j]) * coef[r];
    g[j] = sum;
  }
}

template <class T>
void accumulate(const double* coef, const T* const* rows, Index m, Index begin, Index end, double* g) {
  constexpr Index kSpan = 1024;  // g stays in L1 while the rows stream by, several at a time
  for (Index from = begin; from < end; from += kSpan) {
    const Index to = from + kSpan < end ? from + kSpan : end;
    Index r = 0;
    for (; r + 8 <= m; r += 8) accumulate_rows<T, 8>(coef + r, rows + r, from, to, g);
    for (; r < m; ++r) accumulate_rows<T, 1>(coef + r, rows + r, from, to, g);
  }
}

template <class T>
double dot(const T* a, const double* b, Index n) {
  V<double> s[4] = {};
  Index j = 0;
  for (; j + 4 * kD <= n; j += 4 * kD) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) s[c] += load_double(a + j + c * kD) * load(b + j + c * kD);
  }
  const V<double> v = (s[0] + s[1]) + (s[2] + s[3]);
  double sum = 0;
  for (Index c = 0; c < kD; ++c) sum += v[c];
  for (; j < n; ++j) sum += static_cast<double>(a[j]) * b[j];
  return sum;
}

#include "simd/fast_impl.hpp"
#include "simd/smo_impl.hpp"

template <class T>
constexpr Ops<T> make_table() {
  return {kMr,
          kNr<T>,
          L<T>,
          kSparseW<T>,
          norms<T>,
          tile<T>,
          tile_sum<T>,
          product_add<T>,
          rbf_rows<T>,
          rbf_rows_sum<T>,
          near_box<T>,
          shift_row<T>,
          sparse_dot<T>,
          map_row<T>,
          accumulate<T>,
          dot<T>,
          products<T>,
          row_panels<T>,
          triangle<T>,
          smo_extremes<T>,
          smo_update_pair<T>,
          smo_partner<T>,
          smo_update_single<T>};
}

}  // namespace
}  // namespace dcsvm::simd
