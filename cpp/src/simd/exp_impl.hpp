// Part of ops_impl.hpp (inside its unnamed namespace): the exponential, and the rbf kernel's value of a squared distance.

// x but not above, or not below, a limit; NaN stays. (gcc 12 makes a comparison and a masked move of x > limit ? limit : x.)
#if defined(__AVX512F__)
inline V<float> at_most(V<float> x, V<float> limit) { return V<float>(_mm512_min_ps(__m512(limit), __m512(x))); }
inline V<float> at_least(V<float> x, V<float> limit) { return V<float>(_mm512_max_ps(__m512(limit), __m512(x))); }
inline V<double> at_most(V<double> x, V<double> limit) { return V<double>(_mm512_min_pd(__m512d(limit), __m512d(x))); }
inline V<double> at_least(V<double> x, V<double> limit) { return V<double>(_mm512_max_pd(__m512d(limit), __m512d(x))); }
#elif defined(__AVX2__)
inline V<float> at_most(V<float> x, V<float> limit) { return V<float>(_mm256_min_ps(__m256(limit), __m256(x))); }
inline V<float> at_least(V<float> x, V<float> limit) { return V<float>(_mm256_max_ps(__m256(limit), __m256(x))); }
inline V<double> at_most(V<double> x, V<double> limit) { return V<double>(_mm256_min_pd(__m256d(limit), __m256d(x))); }
inline V<double> at_least(V<double> x, V<double> limit) { return V<double>(_mm256_max_pd(__m256d(limit), __m256d(x))); }
#else
template <class F>
inline F at_most(F x, F limit) {
  return x > limit ? limit : x;
}
template <class F>
inline F at_least(F x, F limit) {
  return x < limit ? limit : x;
}
#endif

// exp(x) = 2^n exp(r), |r| <= ln2 / 2; Taylor-like minimax polynomials, relative error below 1e-7 (float) and 1e-15 (double).
// Below the smallest normal number n ends where 2^n has no bits left: exactly 0, so that points out of each other's reach do not
// sum up to something that breaks ties.

inline V<float> exp_v(V<float> x) {
  using F = V<float>;
  const F lo = broadcast(-88.0F), hi = broadcast(88.3F);
  x = at_most(at_least(x, lo), hi);
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

/// exp(x) = (rest + 1) scale; scale = 1 and rest = exp(x) - 1 near 0.
struct ExpParts {
  V<double> rest, scale;
};
inline ExpParts exp_parts(V<double> x) {
  using F = V<double>;
  const F lo = broadcast(-709.0), hi = broadcast(709.0);
  x = at_most(at_least(x, lo), hi);
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
  p = p * (r * r) + r;
  VI<double> bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits - 0x4338000000000000LL + 1023) << 52;  // the integer sits in the low bits of `shifted`
  F scale;
  __builtin_memcpy(&scale, &bits, sizeof(scale));
  return {p, scale};
}

inline V<double> exp_v(V<double> x) {
  const ExpParts parts = exp_parts(x);
  return (parts.rest + 1.0) * parts.scale;
}

template <class T>
inline VI<T> bits_of(V<T> x) {
  VI<T> bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
template <class T>
inline V<T> value_of(VI<T> bits) {
  V<T> x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

// exp(-gamma d2) = 2^z for d2 >= 0, z = -gamma d2 / ln 2; exp(0) = 1.
//
// With a permutation that looks up 2^(j / P) in a register, |r| <= 1 / (2 P) is left for the polynomial: 2^z = 2^n 2^(j / P) 2^r.
// Adding `kRound` leaves P n + j in the low bits; an entry is the bits of 2^(j / P) less j's share of the exponent, so that one
// shift and one addition make 2^(n + j / P). What rounding took from an entry, relative to it, is looked up too and added to
// 2^r - 1: else values of like distance err alike, and errors of a sum add up. In double z is formed once, and the
// relative error is epsilon (1 + |z|).
#if defined(__AVX512F__) || defined(__AVX2__)
#if defined(__AVX512F__)
constexpr int kPartsLog2 = 4;  // relative error of the polynomial 2e-9
constexpr float kC1 = 6.9314718267e-1F, kC2 = 2.4023428802e-1F, kC3 = 5.5502136489e-2F;
inline VI<float> root_of_two(VI<float> j) {
  const VI<float> table = {0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532, 0x3f75fed7, 0x3f75583f,
                           0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c, 0x3f7744fd, 0x3f78ccdf, 0x3f7ac0c7, 0x3f7d257d};
  return reinterpret_cast<VI<float>>(_mm512_permutexvar_epi32(reinterpret_cast<__m512i>(j), reinterpret_cast<__m512i>(table)));
}
inline V<float> rest_of_root(VI<float> j) {
  const V<float> table = {0.0F,           4.62854708e-8F,  -1.19921571e-8F, 4.72978236e-8F,  3.19341809e-8F,
                          3.62105731e-8F, -3.09907208e-8F, -7.47521317e-9F, 1.71142713e-8F,  -3.04768342e-8F,
                          5.23333425e-9F, 6.10759162e-9F,  -1.47196054e-8F, -5.25879512e-9F, -6.12825982e-9F,
                          5.14060921e-9F};
  return V<float>(_mm512_permutexvar_ps(reinterpret_cast<__m512i>(j), __m512(table)));
}
#else
constexpr int kPartsLog2 = 3;  // 3e-8
constexpr float kC1 = 6.9314721426e-1F, kC2 = 2.4025762979e-1F, kC3 = 5.5496221778e-2F;
inline VI<float> root_of_two(VI<float> j) {
  const VI<float> table = {0x3f800000, 0x3f7b95c2, 0x3f7837f0, 0x3f75fed7, 0x3f7504f3, 0x3f75672a, 0x3f7744fd, 0x3f7ac0c7};
  return reinterpret_cast<VI<float>>(_mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(j)));
}
inline V<float> rest_of_root(VI<float> j) {
  const V<float> table = {0.0F,           -1.19921571e-8F, 3.19341809e-8F,  -3.09907208e-8F,
                          1.71142713e-8F, 5.23333425e-9F,  -1.47196054e-8F, -6.12825982e-9F};
  return V<float>(_mm256_permutevar8x32_ps(__m256(table), reinterpret_cast<__m256i>(j)));
}
#endif

// For -125 <= z <= 0.
inline V<float> power_of_two(V<float> z) {
  using F = V<float>;
  constexpr float kRound = 12582912.0F / (1 << kPartsLog2);  // 1.5 * 2^23 / P
  const F shifted = z + kRound;
  const F r = z - (shifted - kRound);
  const VI<float> n = bits_of<float>(shifted);
  const F scale = value_of<float>(root_of_two(n) + (n << (23 - kPartsLog2)));
  const F p = (r * kC3 + kC2) * r + kC1;
  return (p * r + rest_of_root(n)) * scale + scale;
}
#else
// Without a permutation: 2^n 2^f, |f| <= 1/2; minimax, relative error 2e-9.
inline V<float> power_of_two(V<float> z) {
  using F = V<float>;
  const F shifted = z + 12582912.0F;  // 1.5 * 2^23 rounds to an integer, and leaves it in the low bits
  const F f = z - (shifted - 12582912.0F);
  F p = broadcast(1.5353360629e-4F);
  p = p * f + 1.3398874867e-3F;
  p = p * f + 9.6184373664e-3F;
  p = p * f + 5.5503324697e-2F;
  p = p * f + 2.4022647913e-1F;
  p = p * f + 6.9314720286e-1F;
  p = p * f + 1.0F;
  return value_of<float>(bits_of<float>(p) + (bits_of<float>(shifted) << 23));
}
#endif

inline V<float> rbf_v(V<float> d2, float gamma) {
  const float s = gamma * -1.44269504088896341F;
  const V<float> last = broadcast(-125.0F / s);  // beyond, values stay at 2^-125
  return power_of_two(at_most(d2, last) * s);
}

#if defined(__AVX512F__)
inline V<double> rbf_v(V<double> d2, double gamma) {
  using F = V<double>;
  constexpr double kRound = 6755399441055744.0 / 8;  // 1.5 * 2^52 / P
  const VI<double> table = {0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715, 0x3feebfdad5362a27,
                            0x3feea09e667f3bcd, 0x3feeace5422aa0db, 0x3feee89f995ad3ad, 0x3fef5818dcfba487};
  F z = d2 * (gamma * -1.4426950408889634074);
  z = z < -1022.0 ? broadcast(-1023.0) : z;  // where no bits are left: exactly 0
  __asm__("" : "+v"(z));                      // else two fused operations would multiply twice
  const F shifted = z + kRound;
  const F r = z - (shifted - kRound);
  const VI<double> n = bits_of<double>(shifted);
  const VI<double> root =
      reinterpret_cast<VI<double>>(_mm512_permutexvar_epi64(reinterpret_cast<__m512i>(n), reinterpret_cast<__m512i>(table)));
  const F scale = value_of<double>(root + (n << (52 - 3)));
  F p = r * 1.5253429586496909e-5 + 1.5404434419347382e-4;  // relative error 5e-18
  p = p * r + 1.3333558132838856e-3;
  p = p * r + 9.6181290899833008e-3;
  p = p * r + 5.5504108664822244e-2;
  p = p * r + 2.4022650695910932e-1;
  p = p * r + 6.9314718055994531e-1;
  return (scale * r) * p + scale;
}
#else
inline V<double> rbf_v(V<double> d2, double gamma) { return exp_v(d2 * -gamma); }
#endif

// 2^x for x <= 0, as rbf_v; x above 0 counts as 0, and below -125 it stays at 2^-125.
inline V<float> exp2_v(V<float> x) { return power_of_two(at_least(at_most(x, V<float>{}), broadcast(-125.0F))); }
inline V<double> exp2_v(V<double> x) { return exp_v(at_most(x, V<double>{}) * 0.6931471805599453094); }
