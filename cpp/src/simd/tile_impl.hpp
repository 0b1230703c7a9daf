// Part of ops_impl.hpp (inside its unnamed namespace): tiles of kernel values.
// mr x nv vector accumulators stay in registers over the whole feature loop; the map is applied before the one store.

constexpr Index kMr = DCSVM_TILE_ROWS;
constexpr Index kNv = DCSVM_TILE_VECTORS;
template <class T>
constexpr Index kNr = kNv * L<T>;

// sum + x y as multiply_feature() forms it: rounded once where the instruction set can. Of a plain expression the compiler may
// make either, and norms that are not the inner products to the bit are no distance of 0.
template <class T>
inline T fused(T x, T y, T sum) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_fmaf(x, y, sum);
  else
    return __builtin_fma(x, y, sum);
#else
  return x * y + sum;
#endif
}

// kPoints of `width` interleaved points, each summed in the order of its features.
template <class T, Index kPoints>
void norms_of(const T* packed, Index d, Index width, T* out) {
  T sum[kPoints] = {};
  for (Index k = 0; k < d; ++k) {
    for (Index j = 0; j < kPoints; ++j) sum[j] = fused(packed[k * width + j], packed[k * width + j], sum[j]);
  }
  for (Index j = 0; j < kPoints; ++j) out[j] = sum[j];
}

// Sums of |x|, the norms of terms that are no products.
template <class T>
void sums_of_sizes(const T* packed, Index d, Index width, T* out) {
  for (Index j = 0; j < width; ++j) {
    T sum = 0;
    for (Index k = 0; k < d; ++k) {
      const T x = packed[k * width + j];
      sum += x < T(0) ? -x : x;
    }
    out[j] = sum;
  }
}

template <class T>
void norms(Term term, const T* packed, Index d, Index width, T* out) {
  if (term != Term::product) return sums_of_sizes(packed, d, width, out);
  if (width == kNr<T>) return norms_of<T, kNr<T>>(packed, d, width, out);
  if (width == kMr) return norms_of<T, kMr>(packed, d, width, out);
  for (Index j = 0; j < width; ++j) norms_of<T, 1>(packed + j, d, width, out + j);
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
template <class T, class K, class Rows>
[[gnu::always_inline]] inline void finish_row(const MapParams<T>& map, const Rows& a, Index r, T a_norm, const T* b,
                                              const T* b_norms, Index d, V<T>* values) {
  if constexpr (K::kDistance && K::kTerm == Term::product) {
    if (map.near_below > T(0)) {
      V<T> d2[kNv];
      VI<T> found = VI<T>{};
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) {
        d2[c] = distance_of<T>(values[c], a_norm, load(b_norms + c * L<T>));
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
      for (Index c = 0; c < kNv; ++c) values[c] = K::value(Lanes<T>{map}, d2[c]);
      return;
    }
  }
#pragma GCC unroll 8
  for (Index c = 0; c < kNv; ++c) values[c] = apply<T, K>(map, values[c], a_norm, load(b_norms + c * L<T>));
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
  Index count, all;
};
inline Some features_of(const StripFeatures& features, Index strip, Index d) {
  if (features.list == nullptr) return {nullptr, d, d};
  return {features.list + strip * d, features.count[strip], d};
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
template <class T, class K, class Rows, class Sink>
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
    finish_row<T, K>(map, a, r, a_norms[r0 + r], b, b_norms, d, acc[r]);
    sink.row(r0 + r, j, n, acc[r]);
  }
  sink.done(j, n);
}

// micro() for a map of distances from differences, which cancel no digits; where adds and multiplies have units of their own,
// squares of differences cost no more than products.
template <class T, class K, class Rows, class Sink>
[[gnu::always_inline]] inline void micro_differences(const MapParams<T>& map, const Rows& a, Index r0, Index m, const T* b,
                                                     Index j, Index n, Index d, Sink& sink) {
  V<T> distance[kMr][kNv] = {};
  for (Index k = 0; k < d; ++k) {
    V<T> bv[kNv];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) bv[c] = load(b + k * kNr<T> + c * L<T>);
#pragma GCC unroll 16
    for (Index r = 0; r < kMr; ++r) {
      const V<T> ar = broadcast(a(r, k));
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) {
        distance[r][c] = add_difference<T, K::kTerm>(distance[r][c], bv[c], ar);
      }
    }
  }
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) distance[r][c] = K::value(Lanes<T>{map}, distance[r][c]);
    sink.row(r0 + r, j, n, distance[r]);
  }
  sink.done(j, n);
}

// Strips and panels as PointSet and QuerySet lay them out.
template <class T, class K, class Sink>
void tile_as(const MapParams<T>& given, const Strips<T>& rows, const T* b, const T* b_norms, Index n, Index d, Sink sink) {
  const MapParams<T> map = given;  // a copy that no store can reach
  const bool everywhere = map.near_below >= __builtin_inf();
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const Strip<T> a{rows.at + r * d};
    const Some some = features_of(rows.features, r / kMr, d);
    for (Index j = 0; j < n; j += kNr<T>) {
      const Index nn = n - j < kNr<T> ? n - j : kNr<T>;
      if constexpr (K::kDistance) {
        if (everywhere || K::kTerm != Term::product) {
          micro_differences<T, K>(map, a, r, mm, b + j * d, j, nn, d, sink);
          continue;
        }
      }
      if constexpr (K::kTerm == Term::product)
        micro<T, K>(map, a, rows.norms, some, r, mm, b + j * d, b_norms + j, j, nn, d, sink);
    }
  }
}

// Rows given one by one: what is left of a tile when far rows are skipped.
template <class T, class Sink>
void rbf_rows_as(const MapParams<T>& given, const T* const* a, const T* a_norms, Index m, const StripFeatures& features,
                 const T* b, const T* b_norms, Index n, Index d, Sink sink) {
  const MapParams<T> map = given;
  const Some some = features_of(features, 0, d);
  const bool everywhere = map.near_below >= __builtin_inf();
  for (Index r = 0; r < m; r += kMr) {
    const Index mm = m - r < kMr ? m - r : kMr;
    RowPointers<T> rows;
    for (Index i = 0; i < kMr; ++i) rows.at[i] = a[i < mm ? r + i : r];
    for (Index j = 0; j < n; j += kNr<T>) {
      const Index nn = n - j < kNr<T> ? n - j : kNr<T>;
      if (everywhere) {
        micro_differences<T, kernels::Rbf>(map, rows, r, mm, b + j * d, j, nn, d, sink);
        continue;
      }
      micro<T, kernels::Rbf>(map, rows, a_norms, some, r, mm, b + j * d, b_norms + j, j, nn, d, sink);
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
  with_map(map.kind, [&](auto its) { tile_as<T, typename decltype(its)::Kernel>(map, rows, b, b_norms, n, d, sink); });
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
