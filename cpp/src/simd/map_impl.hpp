// Part of ops_impl.hpp (inside its unnamed namespace): tanh, powers and the kernels' elementwise maps.

template <class T>
inline V<T> power(V<T> base, int degree) {
  V<T> result = broadcast(T(1));
  for (int t = degree; t > 0; t /= 2) {
    if (t % 2 == 1) result = result * base;
    base = base * base;
  }
  return result;
}

// tanh(x) = 1 - 2 / (exp(2x) + 1)
template <class T>
inline V<T> tanh_v(V<T> x) {
  const V<T> limit = broadcast(T(20));
  x = at_least(at_most(x, limit), -limit);
  return T(1) - T(2) / (exp_v(x + x) + T(1));
}

#if defined(__AVX512F__)
inline V<float> root(V<float> x) { return V<float>(_mm512_sqrt_ps(__m512(x))); }
inline V<double> root(V<double> x) { return V<double>(_mm512_sqrt_pd(__m512d(x))); }
#elif defined(__AVX2__)
inline V<float> root(V<float> x) { return V<float>(_mm256_sqrt_ps(__m256(x))); }
inline V<double> root(V<double> x) { return V<double>(_mm256_sqrt_pd(__m256d(x))); }
#elif defined(__SSE2__) && DCSVM_VECTOR_BYTES == 16
inline V<float> root(V<float> x) { return V<float>(_mm_sqrt_ps(__m128(x))); }
inline V<double> root(V<double> x) { return V<double>(_mm_sqrt_pd(__m128d(x))); }
#else
inline V<float> root(V<float> x) {
  for (Index l = 0; l < L<float>; ++l) x[l] = __builtin_sqrtf(x[l]);
  return x;
}
inline V<double> root(V<double> x) {
  for (Index l = 0; l < L<double>; ++l) x[l] = __builtin_sqrt(x[l]);
  return x;
}
#endif

template <class T>
inline V<T> absolute(V<T> x) {
  return value_of<T>(bits_of<T>(x) & ~bits_of<T>(broadcast(T(-0.0))));
}

/// The distance of x and y, from the sum of their terms and their norms.
template <class T>
inline V<T> distance_of(V<T> inner, T row_norm, V<T> col_norms) {
  return at_least((col_norms + row_norm) - inner * T(2), V<T>{});
}

/// A Term of two numbers.
template <class T, Term kTerm>
inline V<T> term_v(V<T> x, V<T> y) {
  if constexpr (kTerm == Term::product) {
    return x * y;
  } else if constexpr (kTerm == Term::smaller) {  // (|x| + |y| - |x - y|) / 2, without a rounding
    return at_least(at_most(x, y), V<T>{}) - at_most(at_least(x, y), V<T>{});
  } else {
    static_assert(kTerm == Term::harmonic, "a term without a function");
    const V<T> sum = x + y;
    return (x + x) * (y / (sum == V<T>{} ? broadcast(T(1)) : sum));
  }
}

/// The distance and what one feature adds to it, from the difference of x and y.
template <class T, Term kTerm>
inline V<T> add_difference(V<T> distance, V<T> x, V<T> y) {
  const V<T> difference = x - y;
  if constexpr (kTerm == Term::product) {
    return distance + difference * difference;
  } else if constexpr (kTerm == Term::smaller) {
    return distance + absolute<T>(difference);
  } else {
    static_assert(kTerm == Term::harmonic, "a term without a distance");
    const V<T> sum = x + y;
    return distance + difference * (difference / (sum == V<T>{} ? broadcast(T(1)) : sum));
  }
}

// exp(-a), and a for the polynomial before it, which stays where exp(-a) ends.
template <class T>
constexpr T kLastExponent = sizeof(T) == sizeof(float) ? T(86) : T(708);

// What the kernels' value() is written with (kernel_functions/kernel.hpp).
template <class T>
struct Lanes {
  using Number = T;
  using Vector = V<T>;
  const MapParams<T>& p;

  inline T gamma() const { return p.gamma; }
  inline T coef0() const { return p.coef0; }
  inline int degree() const { return p.degree; }
  inline V<T> all(T x) const { return broadcast(x); }
  inline V<T> power(V<T> x, int degree) const { return simd::power<T>(x, degree); }
  inline V<T> tanh(V<T> x) const { return tanh_v<T>(x); }
  inline V<T> root(V<T> x) const { return simd::root(x); }
  inline V<T> exp_minus(V<T> x, T rate) const { return rbf_v(x, rate); }  // exp(-rate x), x >= 0
  inline V<T> exponent(V<T> a) const { return at_most(a, broadcast(kLastExponent<T>)); }
};

/// From the sum of terms, and the norms.
template <class T, class K>
inline V<T> apply(const MapParams<T>& p, V<T> inner, T row_norm, V<T> col_norms) {
  if constexpr (K::kRatio) {
    return K::value(Lanes<T>{p}, inner, (col_norms + row_norm) - inner);
  } else if constexpr (K::kDistance) {
    return K::value(Lanes<T>{p}, distance_of<T>(inner, row_norm, col_norms));
  } else {
    return K::value(Lanes<T>{p}, inner);
  }
}

template <class Struct>
struct Its {
  using Kernel = Struct;
};
template <class Run, class... K>
inline void with_one_map(kernels::List<K...>, KernelType type, const Run& run) {
  const auto run_if = [&](auto its) {
    using Kernel = typename decltype(its)::Kernel;
    if constexpr (Kernel::kType != KernelType::precomputed) {  // given values go through no tile
      if (type == Kernel::kType) run(its);
    }
  };
  (run_if(Its<K>()), ...);
}
/// run(Its<the kernel's struct>()).
template <class Run>
inline void with_map(KernelType type, const Run& run) {
  with_one_map(kernels::All(), type, run);
}

template <class T>
inline bool any(VI<T> mask) {
  std::uint64_t words[kBytes / 8], all = 0;
  __builtin_memcpy(words, &mask, sizeof(words));
  for (const std::uint64_t w : words) all |= w;
  return all != 0;
}

template <class T>
void map_row(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n);

template <class T, class K>
void map_row_as(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n) {
  Index j = 0;
  for (; j + L<T> <= n; j += L<T>) store<T>(inner + j, apply<T, K>(map, load(inner + j), row_norm, load(b_norms + j)));
  if (j < n) {
    T in[L<T>] = {}, norm[L<T>] = {};
    for (Index t = j; t < n; ++t) in[t - j] = inner[t], norm[t - j] = b_norms[t];
    store<T>(in, apply<T, K>(map, load(in), row_norm, load(norm)));
    for (Index t = j; t < n; ++t) inner[t] = in[t - j];
  }
}

template <class T>
void map_row(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n) {
  if (map.kind == KernelType::linear) return;
  with_map(map.kind, [&](auto its) { map_row_as<T, typename decltype(its)::Kernel>(map, row_norm, b_norms, inner, n); });
}
