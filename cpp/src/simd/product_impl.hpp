// Part of ops_impl.hpp (inside its unnamed namespace): products in pieces, for matrices that do not fit the cache.

// One strip against one panel, added to what is there.
template <class T>
inline void micro_add(const T* a, Index m, const T* b, Index n, Index d, T* const* out) {
  V<T> acc[kMr][kNv] = {};
  for (Index k = 0; k < d; ++k) multiply_feature<T>(Strip<T>{a}, b, k, acc);
  T edge[kNr<T>];
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    if (n == kNr<T>) {
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) store<T>(out[r] + c * L<T>, load(out[r] + c * L<T>) + acc[r][c]);
    } else {
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) store<T>(edge + c * L<T>, acc[r][c]);
      for (Index j = 0; j < n; ++j) out[r][j] += edge[j];
    }
  }
}

template <class T>
void product_add(const T* a, Index m, const T* b, Index n, Index d, T* const* out) {
  T* at[kMr] = {};
  for (Index j = 0; j < n; j += kNr<T>) {  // a panel stays in the cache while the strips pass
    const Index nn = n - j < kNr<T> ? n - j : kNr<T>;
    for (Index r = 0; r < m; r += kMr) {
      const Index mm = m - r < kMr ? m - r : kMr;
      for (Index i = 0; i < mm; ++i) at[i] = out[r + i] + j;
      micro_add<T>(a + r * d, mm, b + j * d, nn, d, at);
    }
  }
}
