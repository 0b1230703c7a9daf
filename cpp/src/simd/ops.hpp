// The vectorised operations, compiled once per instruction set and chosen once per process (as in simdjson).
// A "panel" is nr points interleaved feature by feature (panel[k * nr + j]); a "strip" is mr points likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dcsvm/kernel_params.hpp"
#include "kernel_functions/kernel.hpp"

namespace dcsvm::simd {

using Index = std::ptrdiff_t;

using kernels::Term;

/// Elementwise map from inner products to kernel values.
template <class T>
struct MapParams {
  KernelType kind = KernelType::linear;
  T gamma = 1;
  T coef0 = 0;
  int degree = 1;
  /// Maps of distances: those that come out below this are formed anew from differences, which keeps the digits that
  /// |x|^2 + |y|^2 - 2xy cancels. 0: never; infinity (dense tiles): all are, without that sum first. In dense tiles other
  /// distances than squared ones are always formed from differences.
  T near_below = 0;
};

/// Largest of g over `up` and smallest over `low` with their positions; position -1 when the set is empty.
template <class T>
struct Extremes {
  T up_value;
  T low_value;
  std::int32_t up = -1;
  std::int32_t low = -1;
};

/// Columns of a panel of row_panels: the same for every instruction set.
constexpr Index kRowWidth = 16;

/// Features that some row of a strip has: list[s * d + t], t in [0, count[s]), of strip s, ascending; in all its rows the others
/// are 0 and need no product. list null: all features.
struct StripFeatures {
  const std::int32_t* list = nullptr;
  const std::int32_t* count = nullptr;
};

/// The rows of a tile: m of them in strips that follow each other, with norms.
template <class T>
struct Strips {
  const T* at;
  const T* norms;
  Index m;
  StripFeatures features = {};
};

template <class T>
struct Ops {
  Index mr, nr;    ///< strip and panel widths
  Index lanes;     ///< arrays passed to the smo_* operations are padded to a multiple of this
  Index sparse_w;  ///< rows that sparse_sum handles at once

  /// out[j] = sum_k packed[k * width + j]^2, summed in the order in which tile() sums products. Of other terms than products:
  /// sum_k |packed[k * width + j]|.
  void (*norms)(Term term, const T* packed, Index d, Index width, T* out);

  /// out[r][j] = map(<row r, panel column j>) for r in [0, rows.m), j in [0, n); panels follow each other in b.
  void (*tile)(const MapParams<T>& map, const Strips<T>& rows, const T* b, const T* b_norms, Index n, Index d, T* const* out);

  /// g[j] += sum_r coef[r] * map(<row r, panel column j>), added up in T over the mr rows of a strip and in double beyond: for
  /// values that are used once.
  void (*tile_sum)(const MapParams<T>& map, const Strips<T>& rows, const T* coef, const T* b, const T* b_norms, Index n, Index d,
                   double* g);

  /// out[r][j] += <strip row r, panel column j>, as tile() without norms or a map: long products go in pieces of d.
  void (*product_add)(const T* a, Index m, const T* b, Index n, Index d, T* const* out);

  /// tile for the rbf map and rows given by address, feature by feature: a[r][k]. features: one list for all rows, of what some
  /// column has.
  void (*rbf_rows)(const MapParams<T>& map, const T* const* a, const T* a_norms, Index m, const StripFeatures& features,
                   const T* b, const T* b_norms, Index n, Index d, T* const* out);
  /// tile_sum for such rows, mr at a time.
  void (*rbf_rows_sum)(const MapParams<T>& map, const T* const* a, const T* a_norms, const T* coef, Index m,
                       const StripFeatures& features, const T* b, const T* b_norms, Index n, Index d, double* g);
  /// Bit l: point l of a strip of `lanes` points (strip[k * lanes + l]) is within squared distance `limit` of the region [low,
  /// high].
  std::uint32_t (*near_region)(const T* strip, const T* low, const T* high, Index d, T limit);

  /// out[k] = row[k] - centre[k] for k in [0, d), d a multiple of lanes; returns the sum of squares.
  T (*shift_row)(const T* row, const T* centre, Index d, T* out);

  /// out[r] = sum_t term(val[t], rows[idx[t] * sparse_w + r]), r in [0, sparse_w).
  void (*sparse_sum)(Term term, const T* val, const std::int32_t* idx, Index nnz, const T* rows, T* out);
  /// inner[j] := map(inner[j]) for j in [0, n): one row of sums of terms (inner products) with norm row_norm against columns with
  /// norms b_norms.
  void (*map_row)(const MapParams<T>& map, T row_norm, const T* b_norms, T* inner, Index n);

  /// g[j] += sum_r coef[r] * rows[r][j] for j in [begin, end), in double.
  void (*accumulate)(const double* coef, const T* const* rows, Index m, Index begin, Index end, double* g);
  /// sum_j a[j] * b[j] in double.
  double (*dot)(const T* a, const double* b, Index n);
  /// *sum + *lost += sum_j a[j] * b[j], where only products and sums of four are rounded.
  void (*dot_with_loss)(const T* a, const double* b, Index n, double* sum, double* lost);
  /// sum[j] + lost[j] += sum_r coef[r] * rows[r][j] for j in [0, n), where only products and sums of four are rounded.
  void (*accumulate_with_loss)(const double* coef, const T* const* rows, Index m, Index n, double* sum, double* lost);
  /// sums[r][c] += sum_j rows[r][j] * coef[c * stride + j] in double for r in [0, m), c in [0, k). A sum does not depend on m and
  /// k.
  void (*dots)(const T* const* rows, Index m, const double* coef, Index stride, Index k, Index n, double* const* sums);

  /// out[r] = sum_k x[k] * rows[r * ld + k] for r in [0, m), k in [0, ld), ld a multiple of lanes.
  void (*products)(const T* x, const T* rows, Index ld, Index m, T* out);
  /// out[r] = sum_k x[r][k] * y[r][k] for r in [0, m), k in [0, ld): to the bit what products says of each pair.
  void (*pair_products)(const T* const* x, const T* const* y, Index ld, Index m, T* out);
  /// out[r * ldo + j] = sum_k x[r][k] * panel[k * kRowWidth + j % kRowWidth] for r in [0, m), j in [0, n), n a multiple of
  /// kRowWidth; panels of d features follow each other: few rows against few columns. A row's values do not depend on m.
  void (*row_panels)(const T* const* x, Index m, const T* panels, Index d, Index n, T* out, Index ldo);
  /// out[r] = sum_j coef[j] 2^(base[r] + shift[j] + sum_k x[r][k] panel[k * kRowWidth + j % kRowWidth]), panels as above;
  /// exponents above 0 count as 0, and what NaN counts as is not said. A row's sum does not depend on m.
  void (*exp2_sums)(const T* const* x, const T* base, Index m, const T* panels, const T* shift, const T* coef, Index d, Index n,
                    T* out);
  /// out[t] = exp(-gamma b_t^2) for t in [0, p), p a multiple of lanes, m >= 1: b_t = min_j distance[j] + between[j * p + t] with
  /// `upper`, else max_j |distance[j] - between[j * p + t]|.
  void (*triangle)(const T* distance, const T* between, Index m, Index p, T gamma, bool upper, T* out);

  // The inner SMO over q variables (q a multiple of lanes). pen_up is 0 for b < hi and -inf else; pen_low 0 for b > lo, +inf
  // else.
  Extremes<T> (*smo_extremes)(const T* g, const T* pen_up, const T* pen_low, Index q);
  /// g -= delta * (ki - kj), then smo_extremes.
  Extremes<T> (*smo_update_pair)(T* g, const T* ki, const T* kj, T delta, const T* pen_up, const T* pen_low, Index q);
  /// Partner of i: argmax over low with g_j < g_i of (g_i - g_j)^2 / max(K_ii + K_jj - 2 K_ij, tau); -1: none.
  std::int32_t (*smo_partner)(const T* g, const T* ki, const T* diag, const T* pen_low, T gi, T kii, T tau, Index q);
  /// g -= delta * ki (ki null: g stays), then argmax of v^2 / max(K_jj, tau), v = max(g on up, -g on low, 0); returns -1 and
  /// violation 0 when v = 0 everywhere. *violation = max v.
  std::int32_t (*smo_update_single)(T* g, const T* ki, T delta, const T* diag, const T* pen_up, const T* pen_low, T tau, Index q,
                                    T* violation);
};

/// The table of the instruction set in use. Throws ParameterError when DCSVM_FORCE_ISA cannot be followed.
template <class T>
const Ops<T>& ops();
template <>
const Ops<float>& ops<float>();
template <>
const Ops<double>& ops<double>();

/// Names, the best last: "avx512vnni" is avx512 and the byte products of bytes.hpp.
std::vector<std::string> built_isas();
/// Whether this CPU has one of them.
bool runs_here(const std::string& built_isa);
std::string active_isa();

}  // namespace dcsvm::simd
