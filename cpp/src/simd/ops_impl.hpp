// Body of every per-ISA source: define DCSVM_VECTOR_BYTES, DCSVM_TILE_ROWS and DCSVM_TILE_VECTORS before including.
// Everything is in an unnamed namespace and uses no inline function of any library: a function compiled here for AVX-512 must
// never be the copy that the linker keeps for other sources.

#if defined(__AVX2__)
// gcc 12 takes its own _mm512_undefined_pd() for a mistake (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernel_functions/all.hpp"
#include "simd/factors.hpp"
#include "simd/lanes.hpp"
#include "simd/ops.hpp"
#include "simd/tables.hpp"

namespace dcsvm::simd {
namespace {

constexpr Index kBytes = DCSVM_VECTOR_BYTES;

template <class T>
struct Vec;
template <>
struct Vec<float> {
  using Real [[gnu::vector_size(kBytes)]] = float;
  using Int [[gnu::vector_size(kBytes)]] = std::int32_t;
};
template <>
struct Vec<double> {
  using Real [[gnu::vector_size(kBytes)]] = double;
  using Int [[gnu::vector_size(kBytes)]] = std::int64_t;
};
template <class T>
using V = typename Vec<T>::Real;
template <class T>
using VI = typename Vec<T>::Int;
template <class T>
constexpr Index L = kBytes / static_cast<Index>(sizeof(T));

template <class T>
inline V<T> load(const T* p) {
  V<T> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <class T>
inline void store(T* p, V<T> v) {
  __builtin_memcpy(p, &v, sizeof(v));
}
template <class T>
inline V<T> broadcast(T x) {
  return x - V<T>{};
}

#include "simd/exp_impl.hpp"

#include "simd/map_impl.hpp"

constexpr Index kD = L<double>;

inline V<double> load_double(const double* p) { return load(p); }
inline V<double> load_double(const float* p) {
  using Half [[gnu::vector_size(kBytes / 2)]] = float;
  Half h;
  __builtin_memcpy(&h, p, sizeof(h));
  return __builtin_convertvector(h, V<double>);
}

#include "simd/tile_impl.hpp"

#include "simd/product_impl.hpp"

// Lanes whose point lies within `limit` (squared distance) of the region [low, high]; strip[k * lanes + l] is feature k of point
// l.
template <class T>
std::uint32_t near_region(const T* strip, const T* low, const T* high, Index d, T limit) {
  V<T> sum = V<T>{};
  for (Index k = 0; k < d;) {
    const Index stop = d - k < 8 ? d : k + 8;  // the widest features come first: most regions are told apart by a few
    for (; k < stop; ++k) {
      const V<T> x = load(strip + k * L<T>);
      V<T> gap = low[k] - x, above = x - high[k];
      gap = gap > above ? gap : above;
      gap = gap > V<T>{} ? gap : V<T>{};
      sum += gap * gap;
    }
    if (!any<T>(sum <= limit)) return 0;
  }
  std::uint32_t lanes = 0;
  for (Index l = 0; l < L<T>; ++l) lanes |= static_cast<std::uint32_t>(sum[l] <= limit) << l;
  return lanes;
}

template <class T>
T shift_row(const T* row, const T* centre, Index d, T* out) {
  V<T> sum = V<T>{};
  for (Index k = 0; k < d; k += L<T>) {
    const V<T> v = load(row + k) - load(centre + k);
    store<T>(out + k, v);
    sum += v * v;
  }
  T part[L<T>];
  store<T>(part, sum);
  for (Index w = L<T> / 2; w > 0; w /= 2) {
    for (Index l = 0; l < w; ++l) part[l] += part[l + w];
  }
  return part[0];
}

constexpr Index kSparseVectors = 4;
template <class T>
constexpr Index kSparseW = kSparseVectors * L<T>;

template <class T, Term kTerm>
void sparse_sum_as(const T* val, const std::int32_t* idx, Index nnz, const T* rows, T* out) {
  V<T> acc[kSparseVectors] = {};
  for (Index t = 0; t < nnz; ++t) {
    const V<T> v = broadcast(val[t]);
    const T* row = rows + static_cast<Index>(idx[t]) * kSparseW<T>;
#pragma GCC unroll 4
    for (Index c = 0; c < kSparseVectors; ++c) {
      const V<T> x = load(row + c * L<T>);
      if constexpr (kTerm == Term::product) {
        acc[c] += v * x;
      } else {
        acc[c] += term_v<T, kTerm>(v, x);
      }
    }
  }
#pragma GCC unroll 4
  for (Index c = 0; c < kSparseVectors; ++c) store<T>(out + c * L<T>, acc[c]);
}

template <class T>
void sparse_sum(Term term, const T* val, const std::int32_t* idx, Index nnz, const T* rows, T* out) {
  switch (term) {
    case Term::product: return sparse_sum_as<T, Term::product>(val, idx, nnz, rows, out);
    case Term::smaller: return sparse_sum_as<T, Term::smaller>(val, idx, nnz, rows, out);
    case Term::harmonic: return sparse_sum_as<T, Term::harmonic>(val, idx, nnz, rows, out);
  }
}

// ---- sums in double ------------------------------------------------------------------------------------------------------

template <class T, int kRows>
inline void accumulate_rows(const double* coef, const T* const* rows, Index begin, Index end, double* g) {
  Index j = begin;
  for (; j + kD <= end; j += kD) {
    V<double> sum = load(g + j);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) sum += load_double(rows[r] + j) * coef[r];
    store<double>(g + j, sum);
  }
  for (; j < end; ++j) {
    double sum = g[j];
    for (int r = 0; r < kRows; ++r) sum += static_cast<double>(rows[r][j]) * coef[r];
    g[j] = sum;
  }
}

template <class T>
void accumulate(const double* coef, const T* const* rows, Index m, Index begin, Index end, double* g) {
  constexpr Index kSpan = 1024;  // g stays in L1 while the rows stream by, several at a time
  for (Index from = begin; from < end; from += kSpan) {
    const Index to = from + kSpan < end ? from + kSpan : end;
    Index r = 0;
    for (; r + 8 <= m; r += 8) accumulate_rows<T, 8>(coef + r, rows + r, from, to, g);
    for (; r < m; ++r) accumulate_rows<T, 1>(coef + r, rows + r, from, to, g);
  }
}

template <class T>
double dot(const T* a, const double* b, Index n) {
  V<double> s[4] = {};
  Index j = 0;
  for (; j + 4 * kD <= n; j += 4 * kD) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) s[c] += load_double(a + j + c * kD) * load(b + j + c * kD);
  }
  const V<double> v = (s[0] + s[1]) + (s[2] + s[3]);
  double sum = 0;
  for (Index c = 0; c < kD; ++c) sum += v[c];
  for (; j < n; ++j) sum += static_cast<double>(a[j]) * b[j];
  return sum;
}

// What s + x loses in rounding joins `lost` (Knuth's two sums). A compiler may fuse the product that x is into these sums: what
// is lost is then that of the product without its rounding.
template <class X>
inline void add_with_loss(X x, X& s, X& lost) {
  const X now = s + x, other = now - s;
  lost += (s - (now - other)) + (x - other);
  s = now;
}

template <class T>
void dot_with_loss(const T* a, const double* b, Index n, double* sum, double* lost) {
  V<double> s = {}, l = {};
  const auto product = [a, b](Index j) { return load_double(a + j) * load(b + j); };
  Index j = 0;
  for (; j + 4 * kD <= n; j += 4 * kD)
    add_with_loss((product(j) + product(j + kD)) + (product(j + 2 * kD) + product(j + 3 * kD)), s, l);
  for (; j + kD <= n; j += kD) add_with_loss(product(j), s, l);
  for (Index c = 0; c < kD; ++c) {
    add_with_loss<double>(s[c], *sum, *lost);
    *lost += l[c];
  }
  for (; j < n; ++j) add_with_loss(static_cast<double>(a[j]) * b[j], *sum, *lost);
}

template <class T>
void accumulate_with_loss(const double* coef, const T* const* rows, Index m, Index n, double* sum, double* lost) {
  Index j = 0;
  for (; j + kD <= n; j += kD) {
    V<double> s = load(sum + j), l = load(lost + j);
    const auto product = [&](Index r) { return load_double(rows[r] + j) * coef[r]; };
    Index r = 0;
    for (; r + 4 <= m; r += 4) add_with_loss((product(r) + product(r + 1)) + (product(r + 2) + product(r + 3)), s, l);
    for (; r < m; ++r) add_with_loss(product(r), s, l);
    store<double>(sum + j, s);
    store<double>(lost + j, l);
  }
  for (; j < n; ++j) {
    for (Index r = 0; r < m; ++r) add_with_loss(static_cast<double>(rows[r][j]) * coef[r], sum[j], lost[j]);
  }
}

// kRows rows against kCoefs vectors; each sum is added up in the order of j, whatever its neighbours are.
template <class T, int kRows, int kCoefs>
inline void dots_of(const T* const* rows, const double* coef, Index stride, Index n, double* const* sums) {
  V<double> acc[kRows][kCoefs] = {};
  Index j = 0;
  for (; j + kD <= n; j += kD) {
    V<double> b[kCoefs];
#pragma GCC unroll 4
    for (int c = 0; c < kCoefs; ++c) b[c] = load(coef + c * stride + j);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const V<double> a = load_double(rows[r] + j);
#pragma GCC unroll 4
      for (int c = 0; c < kCoefs; ++c) acc[r][c] += a * b[c];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCoefs; ++c) {
      double sum = 0;
      for (Index l = 0; l < kD; ++l) sum += acc[r][c][l];
      for (Index t = j; t < n; ++t) sum += static_cast<double>(rows[r][t]) * coef[c * stride + t];
      sums[r][c] += sum;
    }
  }
}

template <class T, int kRows>
inline void dots_of_rows(const T* const* rows, const double* coef, Index stride, Index k, Index n, double* const* sums) {
  double* at[kRows];
  Index c = 0;
  const auto from_c = [&] {
    for (int r = 0; r < kRows; ++r) at[r] = sums[r] + c;
    return at;
  };
  for (; c + 3 <= k; c += 3) dots_of<T, kRows, 3>(rows, coef + c * stride, stride, n, from_c());
  for (; c < k; ++c) dots_of<T, kRows, 1>(rows, coef + c * stride, stride, n, from_c());
}

template <class T>
void dots(const T* const* rows, Index m, const double* coef, Index stride, Index k, Index n, double* const* sums) {
  Index r = 0;
  for (; r + 4 <= m; r += 4) dots_of_rows<T, 4>(rows + r, coef, stride, k, n, sums + r);
  for (; r < m; ++r) dots_of_rows<T, 1>(rows + r, coef, stride, k, n, sums + r);
}

#include "simd/factors_impl.hpp"
#include "simd/fast_impl.hpp"
#include "simd/lanes_impl.hpp"
#include "simd/smo_impl.hpp"

template <class T>
constexpr Ops<T> make_table() {
  return {kMr,
          kNr<T>,
          L<T>,
          kSparseW<T>,
          norms<T>,
          tile<T>,
          tile_sum<T>,
          product_add<T>,
          rbf_rows<T>,
          rbf_rows_sum<T>,
          near_region<T>,
          shift_row<T>,
          sparse_sum<T>,
          map_row<T>,
          accumulate<T>,
          dot<T>,
          dot_with_loss<T>,
          accumulate_with_loss<T>,
          dots<T>,
          products<T>,
          pair_products<T>,
          row_panels<T>,
          exp2_sums<T>,
          triangle<T>,
          smo_extremes<T>,
          smo_update_pair<T>,
          smo_partner<T>,
          smo_update_single<T>};
}

template <class T>
constexpr LaneOps<T> make_lanes() {
  return {lane_dot<T, double>, lane_add<T, double>, lane_dot<T, float>, lane_add<T, float>};
}

constexpr IsaTables make_tables(const ByteOps* bytes = nullptr) {
  return {make_table<float>(),  make_table<double>(),        make_lanes<float>(),
          make_lanes<double>(), {exp_minus_one, quadrature}, bytes};
}

}  // namespace
}  // namespace dcsvm::simd
