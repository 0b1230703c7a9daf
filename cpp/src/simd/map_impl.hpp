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

template <class T>
inline V<T> squared_distance(V<T> inner, T row_norm, V<T> col_norms) {
  return at_least((col_norms + row_norm) - inner * T(2), V<T>{});
}

/// Whether the kernel is a function of |x - y|^2; else of x'y.
constexpr bool takes_distance(Map map) { return map == Map::rbf; }

/// The kernel of x'y, or of |x - y|^2. Every value of Map has its branch.
template <class T, Map kMap>
inline V<T> kernel_of(const MapParams<T>& p, V<T> argument) {
  if constexpr (kMap == Map::linear) {
    return argument;
  } else if constexpr (kMap == Map::poly) {
    return power<T>(argument * p.gamma + p.coef0, p.degree);
  } else if constexpr (kMap == Map::sigmoid) {
    return tanh_v<T>(argument * p.gamma + p.coef0);
  } else {
    static_assert(kMap == Map::rbf, "a kernel without a function");
    return rbf_v(argument, p.gamma);
  }
}

template <class T, Map kMap>
inline V<T> apply(const MapParams<T>& p, V<T> inner, T row_norm, V<T> col_norms) {
  if constexpr (takes_distance(kMap)) {
    return kernel_of<T, kMap>(p, squared_distance<T>(inner, row_norm, col_norms));
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
