// Part of ops_impl.hpp (inside its unnamed namespace): one row against a few others, and bounds by the triangle inequality.

template <class T, int kSize>
struct Sized {
  using Type [[gnu::vector_size(kSize)]] = T;
};

// Sum of the lanes, by halves.
template <class T, int kSize>
[[gnu::always_inline]] inline T total(const typename Sized<T, kSize>::Type& v) {
  if constexpr (kSize == 16 && sizeof(T) == 4) {
    return (v[0] + v[2]) + (v[1] + v[3]);
  } else if constexpr (kSize == 16) {
    return v[0] + v[1];
  } else {
    typename Sized<T, kSize / 2>::Type low, high;
    __builtin_memcpy(&low, &v, kSize / 2);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + kSize / 2, kSize / 2);
    return total<T, kSize / 2>(low + high);
  }
}

// kPairs inner products at once, so that none waits for another's sum; x(r) and y(r) are the rows of pair r.
template <class T, int kPairs, class X, class Y>
inline void products_of(const X& x, const Y& y, Index ld, T* out) {
  V<T> sum[kPairs] = {}, more[kPairs] = {};
  Index k = 0;
  for (; k + 2 * L<T> <= ld; k += 2 * L<T>) {
#pragma GCC unroll 8
    for (int r = 0; r < kPairs; ++r) {
      sum[r] += load(x(r) + k) * load(y(r) + k);
      more[r] += load(x(r) + k + L<T>) * load(y(r) + k + L<T>);
    }
  }
  if (k < ld) {
#pragma GCC unroll 8
    for (int r = 0; r < kPairs; ++r) sum[r] += load(x(r) + k) * load(y(r) + k);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kPairs; ++r) out[r] = total<T, kBytes>(sum[r] + more[r]);
}

// m pairs, four at a time; a pair's value does not depend on its neighbours.
template <class T, class X, class Y>
inline void products_of_all(const X& x, const Y& y, Index ld, Index m, T* out) {
  Index first = 0;
  const auto a = [&](int r) { return x(first + r); };
  const auto b = [&](int r) { return y(first + r); };
  for (; first + 4 <= m; first += 4) products_of<T, 4>(a, b, ld, out + first);
  for (; first < m; ++first) products_of<T, 1>(a, b, ld, out + first);
}

template <class T>
void products(const T* x, const T* rows, Index ld, Index m, T* out) {
  products_of_all([&](Index) { return x; }, [&](Index r) { return rows + r * ld; }, ld, m, out);
}

template <class T>
void pair_products(const T* const* x, const T* const* y, Index ld, Index m, T* out) {
  products_of_all([&](Index r) { return x[r]; }, [&](Index r) { return y[r]; }, ld, m, out);
}

// kRowWidth columns at once, four features apart: enough sums that none waits for the one before. Rows share each load of the
// panel; a row's sums do not depend on its neighbours.
template <class T, int kRows>
inline void panels_of(const T* const* x, const T* panels, Index d, Index n, T* out, Index ldo) {
  constexpr Index kVectors = kRowWidth / L<T>;
  for (Index j = 0; j < n; j += kRowWidth, panels += d * kRowWidth) {
    V<T> sum[kRows][4][kVectors] = {};
    Index k = 0;
    for (; k + 4 <= d; k += 4) {
#pragma GCC unroll 4
      for (Index s = 0; s < 4; ++s) {
#pragma GCC unroll 8
        for (Index c = 0; c < kVectors; ++c) {
          const V<T> b = load(panels + (k + s) * kRowWidth + c * L<T>);
#pragma GCC unroll 4
          for (int r = 0; r < kRows; ++r) sum[r][s][c] += broadcast(x[r][k + s]) * b;
        }
      }
    }
    for (; k < d; ++k) {
#pragma GCC unroll 8
      for (Index c = 0; c < kVectors; ++c) {
        const V<T> b = load(panels + k * kRowWidth + c * L<T>);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sum[r][0][c] += broadcast(x[r][k]) * b;
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (Index c = 0; c < kVectors; ++c) {
        store<T>(out + r * ldo + j + c * L<T>, (sum[r][0][c] + sum[r][1][c]) + (sum[r][2][c] + sum[r][3][c]));
      }
    }
  }
}

template <class T>
void row_panels(const T* const* x, Index m, const T* panels, Index d, Index n, T* out, Index ldo) {
  constexpr int kTogether = kRowWidth <= L<T> ? 4 : kRowWidth <= 2 * L<T> ? 2 : 1;  // what the registers hold
  Index r = 0;
  for (; r + kTogether <= m; r += kTogether) panels_of<T, kTogether>(x + r, panels, d, n, out + r * ldo, ldo);
  for (; r < m; ++r) panels_of<T, 1>(x + r, panels, d, n, out + r * ldo, ldo);
}

// As panels_of, but each value goes through 2^x, its coefficient and a row's sum while it is in a register.
template <class T, int kRows>
inline void exp2_sums_of(const T* const* x, const T* base, const T* panels, const T* shift, const T* coef, Index d, Index n,
                         T* out) {
  constexpr Index kVectors = kRowWidth / L<T>;
  V<T> sum[kRows][kVectors] = {};
  for (Index j = 0; j < n; j += kRowWidth, panels += d * kRowWidth) {
    V<T> e[kRows][kVectors];
#pragma GCC unroll 8
    for (Index c = 0; c < kVectors; ++c) {
      const V<T> added = load(shift + j + c * L<T>);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) e[r][c] = added + base[r];
    }
    for (Index k = 0; k < d; ++k) {
#pragma GCC unroll 8
      for (Index c = 0; c < kVectors; ++c) {
        const V<T> b = load(panels + k * kRowWidth + c * L<T>);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) e[r][c] += broadcast(x[r][k]) * b;
      }
    }
#pragma GCC unroll 8
    for (Index c = 0; c < kVectors; ++c) {
      const V<T> weight = load(coef + j + c * L<T>);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r][c] += exp2_v(e[r][c]) * weight;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    V<T> all = sum[r][0];
#pragma GCC unroll 8
    for (Index c = 1; c < kVectors; ++c) all += sum[r][c];
    out[r] = total<T, kBytes>(all);
  }
}

template <class T>
void exp2_sums(const T* const* x, const T* base, Index m, const T* panels, const T* shift, const T* coef, Index d, Index n,
               T* out) {
  constexpr int kTogether = kRowWidth <= L<T> ? 8 : kRowWidth <= 2 * L<T> ? 2 : 1;  // what the registers hold
  Index r = 0;
  for (; r + kTogether <= m; r += kTogether) exp2_sums_of<T, kTogether>(x + r, base + r, panels, shift, coef, d, n, out + r);
  if constexpr (kTogether > 4) {
    for (; r + 4 <= m; r += 4) exp2_sums_of<T, 4>(x + r, base + r, panels, shift, coef, d, n, out + r);
  }
  if constexpr (kTogether > 2) {
    for (; r + 2 <= m; r += 2) exp2_sums_of<T, 2>(x + r, base + r, panels, shift, coef, d, n, out + r);
  }
  for (; r < m; ++r) exp2_sums_of<T, 1>(x + r, base + r, panels, shift, coef, d, n, out + r);
}

template <class T>
void triangle(const T* distance, const T* between, Index m, Index p, T gamma, bool upper, T* out) {
  for (Index t = 0; t < p; t += L<T>) {
    V<T> bound = V<T>{};
    if (upper) {
      bound = load(between + t) + distance[0];
      for (Index j = 1; j < m; ++j) {
        const V<T> sum = load(between + j * p + t) + distance[j];
        bound = sum < bound ? sum : bound;
      }
    } else {
      for (Index j = 0; j < m; ++j) {
        const V<T> difference = load(between + j * p + t) - distance[j];
        const V<T> size = difference < V<T>{} ? -difference : difference;
        bound = size > bound ? size : bound;
      }
    }
    store<T>(out + t, rbf_v(bound * bound, gamma));
  }
}
