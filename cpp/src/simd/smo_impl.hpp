// Part of ops_impl.hpp (inside its unnamed namespace): the vectorised steps of the inner SMO.
// The best value and its position are kept per lane, in several chains: a comparison waits for the one before it. Chains and
// lanes are merged in a fixed order, ties to the lowest position (-1, none, comes last). Floors are written at_least(floor, x),
// so that a NaN becomes the floor: a step is taken, and the objective tells that kernel values overflow.

template <class T>
constexpr T kInf = static_cast<T>(__builtin_inf());
constexpr int kChains = kBytes == 64 ? 4 : 2;  // what the registers hold

template <class T>
struct Place;
template <>
struct Place<float> {
  using Signed = std::int32_t;
  using Unsigned = std::uint32_t;
};
template <>
struct Place<double> {
  using Signed = std::int64_t;
  using Unsigned = std::uint64_t;
};
template <class T, int kSize>
using Real = typename Sized<T, kSize>::Type;
template <class T, int kSize>
using At = typename Sized<typename Place<T>::Signed, kSize>::Type;

template <class T, int kSize>
inline At<T, kSize> comes_first(const At<T, kSize>& a, const At<T, kSize>& b) {
  using Unsigned = typename Sized<typename Place<T>::Unsigned, kSize>::Type;
  return reinterpret_cast<At<T, kSize>>(reinterpret_cast<Unsigned>(a) < reinterpret_cast<Unsigned>(b));
}
template <class To, class From>
inline To half_of(const From& v, bool upper) {
  To half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&v) + (upper ? sizeof(To) : 0), sizeof(To));
  return half;
}

/// The lanes of 16 bytes, exchanged with those kBy away.
template <int kBy, class Vector>
inline Vector exchanged(const Vector& v) {
  if constexpr (sizeof(v[0]) == 8) {
    return Vector{v[1], v[0]};
  } else if constexpr (kBy == 2) {
    return Vector{v[2], v[3], v[0], v[1]};
  } else {
    return Vector{v[1], v[0], v[3], v[2]};
  }
}

/// The larger values with their positions, lane by lane.
template <class T, int kSize>
struct Largest {
  Real<T, kSize> value = Real<T, kSize>{} - kInf<T>;
  At<T, kSize> at = At<T, kSize>{} - 1;

  inline void see(const Real<T, kSize>& v, const At<T, kSize>& position) {
    at = v > value ? position : at;
    value = at_least(value, v);  // of a NaN and a value, the value
  }
  inline void join(const Largest& o) {
    const At<T, kSize> better = (o.value > value) | ((o.value == value) & comes_first<T, kSize>(o.at, at));
    value = better ? o.value : value;
    at = better ? o.at : at;
  }
  template <int kBy>
  inline Largest exchange() const {
    return {exchanged<kBy>(value), exchanged<kBy>(at)};
  }
  inline Largest<T, kSize / 2> half(bool upper) const {
    return {half_of<Real<T, kSize / 2>>(value, upper), half_of<At<T, kSize / 2>>(at, upper)};
  }
};

/// The larger fractions num / den, compared by cross-multiplication: no division.
template <class T, int kSize>
struct LargestFraction {
  Real<T, kSize> num = Real<T, kSize>{}, den = Real<T, kSize>{} + T(1);
  At<T, kSize> at = At<T, kSize>{} - 1;

  inline void see(const Real<T, kSize>& n, const Real<T, kSize>& d, const At<T, kSize>& position) {
    take(n * den > num * d, n, d, position);
  }
  inline void join(const LargestFraction& o) {
    const Real<T, kSize> left = o.num * den, right = num * o.den;
    take((left > right) | ((left == right) & comes_first<T, kSize>(o.at, at)), o.num, o.den, o.at);
  }
  template <int kBy>
  inline LargestFraction exchange() const {
    return {exchanged<kBy>(num), exchanged<kBy>(den), exchanged<kBy>(at)};
  }
  inline LargestFraction<T, kSize / 2> half(bool upper) const {
    return {half_of<Real<T, kSize / 2>>(num, upper), half_of<Real<T, kSize / 2>>(den, upper),
            half_of<At<T, kSize / 2>>(at, upper)};
  }

 private:
  inline void take(const At<T, kSize>& better, const Real<T, kSize>& n, const Real<T, kSize>& d, const At<T, kSize>& position) {
    num = better ? n : num;
    den = better ? d : den;
    at = better ? position : at;
  }
};

/// The best of all lanes, in each lane of 16 bytes. Without branches: which lane is best is hard to guess.
template <class T, int kSize, template <class, int> class Best>
[[gnu::always_inline]] inline Best<T, 16> fold(const Best<T, kSize>& best) {
  if constexpr (kSize == 16) {
    Best<T, 16> all = best;
    if constexpr (sizeof(T) == 4) all.join(all.template exchange<2>());
    all.join(all.template exchange<1>());
    return all;
  } else {
    Best<T, kSize / 2> low = best.half(false);
    low.join(best.half(true));
    return fold<T, kSize / 2, Best>(low);
  }
}

/// The best of all chains and lanes. Of few values only the first chain has seen any (in_chains).
template <class T, template <class, int> class Best>
[[gnu::always_inline]] inline Best<T, 16> best_of(Best<T, kBytes> (&chains)[kChains], Index q) {
  if (q >= kChains * L<T>) {
    for (int c = 1; c < kChains; ++c) chains[0].join(chains[c]);
  }
  return fold<T, kBytes, Best>(chains[0]);
}

template <class T>
struct ExtremesSoFar {
  Largest<T, kBytes> up[kChains], low[kChains];  // low: of the negative values

  [[gnu::always_inline]] inline void see(int chain, V<T> g, V<T> pen_up, V<T> pen_low, VI<T> at) {
    up[chain].see(g + pen_up, at);
    low[chain].see(-(g + pen_low), at);
  }
  inline Extremes<T> result(Index q) {
    const Largest<T, 16> u = best_of<T, Largest>(up, q), l = best_of<T, Largest>(low, q);
    return {u.value[0], -l.value[0], static_cast<std::int32_t>(u.at[0]), static_cast<std::int32_t>(l.at[0])};
  }
};

template <class T>
inline std::int32_t place_of(LargestFraction<T, kBytes> (&chains)[kChains], Index q) {
  return static_cast<std::int32_t>(best_of<T, LargestFraction>(chains, q).at[0]);
}

/// Calls step(chain, first, positions) for every vector of [0, q).
template <class T, class Step>
[[gnu::always_inline]] inline void in_chains(Index q, Step&& step) {
  using Signed = typename Place<T>::Signed;
  VI<T> at;
  for (Index l = 0; l < L<T>; ++l) at[l] = static_cast<Signed>(l);
  Index t = 0;
  for (; t + kChains * L<T> <= q; t += kChains * L<T>, at += static_cast<Signed>(kChains * L<T>)) {
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) step(c, t + c * L<T>, at + static_cast<Signed>(c * L<T>));
  }
  for (; t < q; t += L<T>, at += static_cast<Signed>(L<T>)) step(0, t, at);
}

template <class T>
Extremes<T> smo_extremes(const T* g, const T* pen_up, const T* pen_low, Index q) {
  ExtremesSoFar<T> best;
  in_chains<T>(q, [&](int c, Index t, VI<T> at)
                      __attribute__((always_inline)) { best.see(c, load(g + t), load(pen_up + t), load(pen_low + t), at); });
  return best.result(q);
}

template <class T>
Extremes<T> smo_update_pair(T* g, const T* ki, const T* kj, T delta, const T* pen_up, const T* pen_low, Index q) {
  ExtremesSoFar<T> best;
  in_chains<T>(q, [&](int c, Index t, VI<T> at) __attribute__((always_inline)) {
    const V<T> v = load(g + t) - (load(ki + t) - load(kj + t)) * delta;
    store<T>(g + t, v);
    best.see(c, v, load(pen_up + t), load(pen_low + t), at);
  });
  return best.result(q);
}

template <class T>
std::int32_t smo_partner(const T* g, const T* ki, const T* diag, const T* pen_low, T gi, T kii, T tau, Index q) {
  LargestFraction<T, kBytes> best[kChains];
  const V<T> floor = broadcast(tau);
  in_chains<T>(q, [&](int c, Index t, VI<T> at) __attribute__((always_inline)) {
    const V<T> diff = at_least(V<T>{}, gi - (load(g + t) + load(pen_low + t)));  // -inf outside low
    const V<T> quad = at_least(floor, (load(diag + t) + kii) - load(ki + t) * T(2));
    best[c].see(diff * diff, quad, at);
  });
  return place_of<T>(best, q);
}

template <class T>
std::int32_t smo_update_single(T* g, const T* ki, T delta, const T* diag, const T* pen_up, const T* pen_low, T tau, Index q,
                               T* violation) {
  LargestFraction<T, kBytes> best[kChains];
  V<T> worst = V<T>{};
  const V<T> floor = broadcast(tau);
  in_chains<T>(q, [&](int c, Index t, VI<T> at) __attribute__((always_inline)) {
    V<T> v = load(g + t);
    if (ki != nullptr) {
      v = v - load(ki + t) * delta;
      store<T>(g + t, v);
    }
    const V<T> gain = at_least(V<T>{}, at_least(-(v + load(pen_low + t)), v + load(pen_up + t)));
    worst = at_least(worst, gain);
    best[c].see(gain * gain, at_least(floor, load(diag + t)), at);
  });
  T max_violation = 0;
  for (Index l = 0; l < L<T>; ++l) max_violation = worst[l] > max_violation ? worst[l] : max_violation;
  *violation = max_violation;
  return place_of<T>(best, q);
}
