// Part of ops_impl.hpp (inside its unnamed namespace): the vectorised steps of the inner SMO.
// The best value and its position are kept per lane; lanes are merged in a fixed order, ties to the lowest position.

template <class T>
constexpr T kInf = static_cast<T>(__builtin_inf());

template <class T>
inline VI<T> iota() {
  VI<T> v;
  for (Index l = 0; l < L<T>; ++l) v[l] = static_cast<std::int32_t>(l);
  return v;
}

template <class T>
struct LaneBest {
  V<T> up = broadcast(-kInf<T>), low = broadcast(kInf<T>);
  VI<T> up_at = VI<T>{} - 1, low_at = VI<T>{} - 1;

  inline void see(V<T> g, V<T> pen_up, V<T> pen_low, VI<T> at) {
    const V<T> u = g + pen_up, l = g + pen_low;
    const VI<T> better_up = u > up, better_low = l < low;
    up = better_up ? u : up;
    up_at = better_up ? at : up_at;
    low = better_low ? l : low;
    low_at = better_low ? at : low_at;
  }
  inline Extremes<T> merge() const {
    Extremes<T> e{-kInf<T>, kInf<T>, -1, -1};
    for (Index l = 0; l < L<T>; ++l) {
      const auto u_at = static_cast<std::int32_t>(up_at[l]), l_at = static_cast<std::int32_t>(low_at[l]);
      if (u_at >= 0 && (up[l] > e.up_value || (up[l] == e.up_value && u_at < e.up))) e.up_value = up[l], e.up = u_at;
      if (l_at >= 0 && (low[l] < e.low_value || (low[l] == e.low_value && l_at < e.low))) e.low_value = low[l], e.low = l_at;
    }
    return e;
  }
};

template <class T>
Extremes<T> smo_extremes(const T* g, const T* pen_up, const T* pen_low, Index q) {
  LaneBest<T> best;
  VI<T> at = iota<T>();
  for (Index t = 0; t < q; t += L<T>, at += L<T>) best.see(load(g + t), load(pen_up + t), load(pen_low + t), at);
  return best.merge();
}

template <class T>
Extremes<T> smo_update_pair(T* g, const T* ki, const T* kj, T delta, const T* pen_up, const T* pen_low, Index q) {
  LaneBest<T> best;
  VI<T> at = iota<T>();
  for (Index t = 0; t < q; t += L<T>, at += L<T>) {
    const V<T> v = load(g + t) - (load(ki + t) - load(kj + t)) * delta;
    store<T>(g + t, v);
    best.see(v, load(pen_up + t), load(pen_low + t), at);
  }
  return best.merge();
}

// Fractions num / den are compared by cross-multiplication: no division in the loop.
template <class T>
struct LaneFraction {
  V<T> num = V<T>{}, den = broadcast(T(1));
  VI<T> at = VI<T>{} - 1;

  inline void see(V<T> n, V<T> d, VI<T> position) {
    const VI<T> better = n * den > num * d;
    num = better ? n : num;
    den = better ? d : den;
    at = better ? position : at;
  }
  inline std::int32_t merge() const {
    T best_num = 0, best_den = 1;
    std::int32_t best = -1;
    for (Index l = 0; l < L<T>; ++l) {
      const auto where = static_cast<std::int32_t>(at[l]);
      if (where < 0) continue;
      const T left = num[l] * best_den, right = best_num * den[l];
      if (best < 0 || left > right || (left == right && where < best)) best = where, best_num = num[l], best_den = den[l];
    }
    return best;
  }
};

template <class T>
std::int32_t smo_partner(const T* g, const T* ki, const T* diag, const T* pen_low, T gi, T kii, Index q) {
  LaneFraction<T> best;
  VI<T> at = iota<T>();
  const V<T> tau = broadcast(static_cast<T>(1e-12));
  for (Index t = 0; t < q; t += L<T>, at += L<T>) {
    V<T> diff = gi - (load(g + t) + load(pen_low + t));  // -inf outside low
    diff = diff > V<T>{} ? diff : V<T>{};
    V<T> quad = (load(diag + t) + kii) - load(ki + t) * T(2);
    quad = quad > tau ? quad : tau;
    best.see(diff * diff, quad, at);
  }
  return best.merge();
}

template <class T>
std::int32_t smo_update_single(T* g, const T* ki, T delta, const T* diag, const T* pen_up, const T* pen_low, Index q,
                               T* violation) {
  LaneFraction<T> best;
  VI<T> at = iota<T>();
  V<T> worst = V<T>{};
  const V<T> tau = broadcast(static_cast<T>(1e-12));
  for (Index t = 0; t < q; t += L<T>, at += L<T>) {
    V<T> v = load(g + t);
    if (ki != nullptr) {
      v = v - load(ki + t) * delta;
      store<T>(g + t, v);
    }
    const V<T> u = v + load(pen_up + t), l = -(v + load(pen_low + t));
    V<T> gain = u > l ? u : l;
    gain = gain > V<T>{} ? gain : V<T>{};
    worst = gain > worst ? gain : worst;
    V<T> d = load(diag + t);
    d = d > tau ? d : tau;
    best.see(gain * gain, d, at);
  }
  T max_violation = 0;
  for (Index l = 0; l < L<T>; ++l) max_violation = worst[l] > max_violation ? worst[l] : max_violation;
  *violation = max_violation;
  return best.merge();
}
