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
#elif defined(__SSE2__)
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

/// ops.hpp's Term of two numbers.
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

/// The kernel of the sum of terms, or of the distance; tanimoto's needs the norms too (apply). Every value of Map has its branch.
template <class T, Map kMap>
inline V<T> kernel_of(const MapParams<T>& p, V<T> argument) {
  if constexpr (kMap == Map::linear) {
    return argument;
  } else if constexpr (kMap == Map::poly) {
    return power<T>(argument * p.gamma + p.coef0, p.degree);
  } else if constexpr (kMap == Map::sigmoid) {
    return tanh_v<T>(argument * p.gamma + p.coef0);
  } else if constexpr (kMap == Map::exponential) {
    return rbf_v(root(argument), p.gamma);
  } else if constexpr (kMap == Map::matern32) {
    const V<T> a = at_most(root(argument) * (p.gamma * T(1.7320508075688772)), broadcast(kLastExponent<T>));
    return (a + T(1)) * rbf_v(a, T(1));
  } else if constexpr (kMap == Map::matern52) {
    const V<T> a = at_most(root(argument) * (p.gamma * T(2.23606797749979)), broadcast(kLastExponent<T>));
    return ((a * T(1.0 / 3.0) + T(1)) * a + T(1)) * rbf_v(a, T(1));
  } else {
    static_assert(kMap == Map::rbf || kMap == Map::laplacian || kMap == Map::chi2, "a kernel without a function");
    return rbf_v(argument, p.gamma);
  }
}

template <class T, Map kMap>
inline V<T> apply(const MapParams<T>& p, V<T> inner, T row_norm, V<T> col_norms) {
  if constexpr (kMap == Map::tanimoto) {  // of two zero vectors: 1
    const V<T> either = (col_norms + row_norm) - inner;
    return either == V<T>{} ? broadcast(T(1)) : inner / either;
  } else if constexpr (takes_distance(kMap)) {
    return kernel_of<T, kMap>(p, distance_of<T>(inner, row_norm, col_norms));
  } else {
    return kernel_of<T, kMap>(p, inner);
  }
}

template <Map kMap>
struct MapOf {
  static constexpr Map value = kMap;
};
/// run(MapOf<map>()).
template <class Run>
inline void with_map(Map map, const Run& run) {
  switch (map) {
    case Map::linear: return run(MapOf<Map::linear>());
    case Map::poly: return run(MapOf<Map::poly>());
    case Map::rbf: return run(MapOf<Map::rbf>());
    case Map::sigmoid: return run(MapOf<Map::sigmoid>());
    case Map::exponential: return run(MapOf<Map::exponential>());
    case Map::matern32: return run(MapOf<Map::matern32>());
    case Map::matern52: return run(MapOf<Map::matern52>());
    case Map::laplacian: return run(MapOf<Map::laplacian>());
    case Map::chi2: return run(MapOf<Map::chi2>());
    case Map::tanimoto: return run(MapOf<Map::tanimoto>());
  }
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

template <class T, Map kMap>
void map_row_as(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n) {
  Index j = 0;
  for (; j + L<T> <= n; j += L<T>) store<T>(inner + j, apply<T, kMap>(map, load(inner + j), row_norm, load(b_norms + j)));
  if (j < n) {
    T in[L<T>] = {}, norm[L<T>] = {};
    for (Index t = j; t < n; ++t) in[t - j] = inner[t], norm[t - j] = b_norms[t];
    store<T>(in, apply<T, kMap>(map, load(in), row_norm, load(norm)));
    for (Index t = j; t < n; ++t) inner[t] = in[t - j];
  }
}

template <class T>
void map_row(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n) {
  if (map.kind == Map::linear) return;
  with_map(map.kind, [&](auto its) { map_row_as<T, decltype(its)::value>(map, row_norm, b_norms, inner, n); });
}
