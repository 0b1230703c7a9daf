// Part of ops_impl.hpp (inside its unnamed namespace): exp, tanh, powers and the kernels' elementwise maps.

// ---- exp -----------------------------------------------------------------------------------------------------------------
// exp(x) = 2^n exp(r), |r| <= ln2 / 2; Taylor-like minimax polynomials, relative error below 1e-7 (float) and 1e-15 (double).
// Below the smallest normal number n ends where 2^n has no bits left: exactly 0, so that points out of each other's reach do not
// sum up to something that breaks ties.

inline V<float> exp_v(V<float> x) {
  using F = V<float>;
  const F lo = broadcast(-88.0F), hi = broadcast(88.3F);
  x = x < lo ? lo : x;
  x = x > hi ? hi : x;
  const F magic = broadcast(12582912.0F);  // 1.5 * 2^23: adding it rounds to an integer
  const F n = (x * 1.44269504088896341F + magic) - magic;
  F r = x - n * 0.693359375F;
  r = r - n * -2.12194440e-4F;
  F p = broadcast(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const VI<float> bits = (__builtin_convertvector(n, VI<float>) + 127) << 23;
  F scale;
  __builtin_memcpy(&scale, &bits, sizeof(scale));
  return p * scale;
}

inline V<double> exp_v(V<double> x) {
  using F = V<double>;
  const F lo = broadcast(-709.0), hi = broadcast(709.0);
  x = x < lo ? lo : x;
  x = x > hi ? hi : x;
  const F magic = broadcast(6755399441055744.0);  // 1.5 * 2^52
  const F shifted = x * 1.4426950408889634074 + magic;
  const F n = shifted - magic;
  F r = x - n * 6.93145751953125e-1;
  r = r - n * 1.42860682030941723212e-6;
  F p = broadcast(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * (r * r) + r + 1.0;
  VI<double> bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits - 0x4338000000000000LL + 1023) << 52;  // the integer sits in the low bits of `shifted`
  F scale;
  __builtin_memcpy(&scale, &bits, sizeof(scale));
  return p * scale;
}

// ---- maps ----------------------------------------------------------------------------------------------------------------

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
  x = x > limit ? limit : x;
  x = x < -limit ? -limit : x;
  return T(1) - T(2) / (exp_v(x + x) + T(1));
}

template <class T>
inline V<T> squared_distance(V<T> inner, T row_norm, V<T> col_norms) {
  const V<T> d2 = (col_norms + row_norm) - inner * T(2);
  return d2 < V<T>{} ? V<T>{} : d2;
}

// exp(-gamma d2) for d2 >= 0 as 2^n 2^f, |f| <= 1/2, in about half of exp_v's instructions; error below 1e-7 of 1. exp(0) = 1.
inline V<float> rbf_v(V<float> d2, float gamma) {
  using F = V<float>;
  const float s = gamma * -1.44269504088896341F;
  const F last = broadcast(-125.0F / s);  // beyond, values stay at 2^-125
  d2 = d2 > last ? last : d2;
  const F shifted = d2 * s + 12582912.0F;  // 1.5 * 2^23 rounds to an integer, and leaves it in the low bits
  const F f = d2 * s - (shifted - 12582912.0F);
  F p = broadcast(1.5353360629e-4F);  // minimax on [-1/2, 1/2], relative error 2e-9
  p = p * f + 1.3398874867e-3F;
  p = p * f + 9.6184373664e-3F;
  p = p * f + 5.5503324697e-2F;
  p = p * f + 2.4022647913e-1F;
  p = p * f + 6.9314720286e-1F;
  p = p * f + 1.0F;
  VI<float> bits, n;
  __builtin_memcpy(&bits, &p, sizeof(bits));
  __builtin_memcpy(&n, &shifted, sizeof(n));
  bits += n << 23;  // to the exponent
  __builtin_memcpy(&p, &bits, sizeof(p));
  return p;
}

inline V<double> rbf_v(V<double> d2, double gamma) { return exp_v(d2 * -gamma); }

// 2^x for x <= 0, as rbf_v; x above 0 counts as 0, and below -125 it stays at 2^-125. Both borders by the bits as integers, of
// which negative numbers are the larger unsigned ones: an instruction each where numbers would take a mask and a blend. NaN is
// lost.
inline V<float> exp2_v(V<float> x) {
  using F = V<float>;
  using U [[gnu::vector_size(kBytes)]] = std::uint32_t;
  VI<float> number;
  __builtin_memcpy(&number, &x, sizeof(number));
  number = number > 0 ? VI<float>{} : number;
  U word;
  __builtin_memcpy(&word, &number, sizeof(word));
  const U last = U{} + 0xC2FA0000U;  // -125
  word = word > last ? last : word;
  __builtin_memcpy(&x, &word, sizeof(x));
  const F shifted = x + 12582912.0F;
  const F f = x - (shifted - 12582912.0F);
  F p = broadcast(1.5353360629e-4F);
  p = p * f + 1.3398874867e-3F;
  p = p * f + 9.6184373664e-3F;
  p = p * f + 5.5503324697e-2F;
  p = p * f + 2.4022647913e-1F;
  p = p * f + 6.9314720286e-1F;
  p = p * f + 1.0F;
  VI<float> bits, n;
  __builtin_memcpy(&bits, &p, sizeof(bits));
  __builtin_memcpy(&n, &shifted, sizeof(n));
  bits += n << 23;
  __builtin_memcpy(&p, &bits, sizeof(p));
  return p;
}

inline V<double> exp2_v(V<double> x) {
  x = x > V<double>{} ? V<double>{} : x;
  return exp_v(x * 0.6931471805599453094);
}

template <class T, Map kMap>
inline V<T> apply(const MapParams<T>& p, V<T> inner, T row_norm, V<T> col_norms) {
  if constexpr (kMap == Map::linear) {
    return inner;
  } else if constexpr (kMap == Map::poly) {
    return power<T>(inner * p.gamma + p.coef0, p.degree);
  } else if constexpr (kMap == Map::sigmoid) {
    return tanh_v<T>(inner * p.gamma + p.coef0);
  } else {
    return rbf_v(squared_distance<T>(inner, row_norm, col_norms), p.gamma);
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
  switch (map.kind) {
    case Map::linear: return;
    case Map::poly: return map_row_as<T, Map::poly>(map, row_norm, b_norms, inner, n);
    case Map::rbf: return map_row_as<T, Map::rbf>(map, row_norm, b_norms, inner, n);
    case Map::sigmoid: return map_row_as<T, Map::sigmoid>(map, row_norm, b_norms, inner, n);
  }
}
