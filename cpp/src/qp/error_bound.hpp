// How far the gradients of a solve with float kernel values can be from the true ones.
//
// b are the coefficients of n variables, at first their change from 0; where gradients were true at other coefficients, which
// judge.hpp calls an origin, their change from there. g = q - K b is the true gradient, h what the solve holds in its place, e =
// h - g. In update t of the solve the coefficients change by the vector d_t, and sum_t d_t = b. p_j = sum_t |d_tj| is the path of
// variable j, so that |b_j| <= p_j. Written out over the solve,
//
//     h_i = q_i - sum_t (sum_j d_tj (K_ij + error_ij) + the roundings of this sum), and each addition is rounded.
//
// K_ij + error_ij is the computed value: an error_ij has parts of its own (1 below) and parts that all values of row i have in
// common (3 and 4). L = sqrt(2 log(2 n 10^12)), about 9. kernel_functions/rounding.hpp has the constants of each kernel:
// `deviation` (from bounds of sizes, not a standard deviation), `largest`, `alike`, `sums`, `shared`, `shared_norm`, `of_row`,
// `of_step`, `by_columns` and `value`, a bound of |K|. What is assumed stands in judge.hpp, with how it is tested.
//
// 1. Roundings of single values. K_ij has the same bits wherever it is computed, in a tile, in a cached row or as K_ji, but for
//    rows that are by_columns (below). So it is rounded in the same way in every update, and sum_t d_tj error_ij = b_j
//    error_ij. An error_ij is a sum of elementary roundings; deviation^2 is the sum of the squares of their sizes. By Hoeffding's
//    inequality, P(|S| > L a) <= 2 exp(-L^2 / 2) = 10^-12 / n for a sum S of independent terms with mean zero and sizes whose
//    squares have the sum a^2. With b taken as given,
//
//        |sum_j b_j error_ij| <= L deviation |b|_2   for all n rows i at once, except with a probability of 10^-12.
//
//    Points with equal rows have the same values with the same roundings. Of their coefficients the larger of two numbers counts
//    in |b|_2^2, the sum of the squares or the square of the sum (equal_rows.hpp), and so in |p|_2 here and in 2. Without
//    independence, as of values that are `alike`, the sum is at most `largest` times |b|_1. If K_ij is rounded otherwise in
//    another update (by_columns), but as good as independently of the values of other j, then the terms of one j come to at most
//    p_j times its size: |p|_2 takes the place of |b|_2 beside `deviation`, and |p|_1 that of |b|_1 beside `largest`.
// 2. Roundings of the sums. Some products are added in float, up to 16 terms d_tj K_ij (a strip) at a time; the sums of strips
//    are added in double. The roundings of a strip, with those of its d_tj to float, have sizes whose squares add up to at most
//    sums^2 times the squares of its steps (value_rounding.cpp). A gradient may take several updates at once, as those of shrunk
//    variables do; a step is then the sum of some d_tj. However they are joined, the steps of j that a gradient takes come to at
//    most p_j together, so that their squares add up to at most p_j^2, and the squares of all sizes to (sums |p|_2)^2. A gradient
//    that is formed anew begins with one step from 0 to b.
// 3. The rounding of |x_i|^2, a sum like those in 1, moves all values of row i by at most of_row in the same way: the sum moves
//    by at most of_row |b|_1. Where it is a factor of the row (`of_row_is_factor`) it multiplies f(x_i), f = sum_j b_j K(x_j, .),
//    so that of_row |f| is a bound too, with |f| = sqrt(b'K b). These sizes join those of 1 and 2 in one inequality, F being the
//    smaller of |b|_1 and |f|, or |b|_1:
//
//        parts 1, 2 and 3   <=   L sqrt((deviation |b|_2)^2 + (sums |p|_2)^2 + (of_row F)^2)
//
// 4. What else all values of a row have in common comes to at most shared |b|_1, or to shared_norm |f| where K is positive
//    semidefinite, and values that were left out (RowSource::negligible) to at most left_out. No chance is in these.
//    |f| is not known, but |f|^2 <= b'(q - h) + |b|_1 R1, where R1 is the bound that has |b|_1 alone in 3 and 4.
// 5. The additions to h: bound_of_additions, below.
//
// The bound R is the sum of them all:
//
//     R = L sqrt((deviation |b|_2)^2 + (sums |p|_2)^2 + (of_row F)^2) + min(shared |b|_1, shared_norm |f|) + left_out + additions
//
// with |p|_2 in place of |b|_2 where by_columns. `coherent` is the bound that takes no values to be independent, nor |x_i|^2: the
// first term becomes largest |b|_1 (by_columns: |p|_1) + of_row_largest F + of_step |b|_1 + L sums |p|_2, and R1 is `coherent`
// too. of_step is for coefficients that went to the same bound in one step, which are rounded to float by the same error. Where
// values are `alike`, R is `coherent`.
//
// Gradients in double, with u = 2^-53 and the constants of kernel values in double. Where a solution is judged they are formed at
// once, in sums of four products that are added up with what their sums lose (exact_products.hpp). Of such a gradient nothing is
// assumed to be independent: all roundings are taken at their worst.
//
//     (largest + 3 u value) |b|_1 + of_row_largest F + min(shared |b|_1, shared_norm |f|)                      (bound_of_formed)
//
// One that a solve in double has updated is a sum of at most n products in each update. A partial sum of k of them is at most
// value sqrt(k) |d_t|_2; n of these have squares that add up to about n^2 / 2, with those of products and coefficients to less
// than (n + 2)^2 / 2, and sum_t |d_t|^2 <= |p|_2^2 (here of variables, not of points). Roundings of sums are as good as
// independent:
//
//     largest |b|_1 + L (n + 2) / sqrt(2) u value |p|_2 + the rest as above                                    (bound_of_updated)
//
// Gradients are kept in double. N additions to one lose at most u G (3 + L sqrt(N)) where |h_i| on the way and |q_i| are at most
// G (bound_of_additions; 3: |K b| <= 2 G and its sum with q are rounded once each). The roundings of the N additions are as good
// as independent, which is a second inequality of 10^-12. This is part of all bounds; it matters where gradients are large, as
// those of regressions are whose targets are far from 0. In a solve in double G counts all g on the way (largest_on_the_way). The
// judge of a solve with float values takes the last gradients as the largest, and the additions of this solve (judge.hpp says
// what that misses).
//
// largest_on_the_way. With K positive semidefinite and a start at 0, the objective F(b) = b'K b / 2 - q'b (solver.hpp calls it f)
// falls from 0 to its minimum F*, and strong convexity gives |f_t - f*|^2 <= 2 (F_t - F*) <= -2 F* for the functions f_t = sum_j
// b_tj K(x_j, .) in the space of the kernel. s b* is feasible for s in [0, 1], because 0 is, so that |f*|^2 <= q'b* and |f*|^2 <=
// -2 F*. So |f_t| <= 2 sqrt(-2 F*), and |q - g_t| <= sqrt(value) |f_t|. F* is not known: 3 in place of 2, with the F that was
// reached, is enough where -F* is at most 2.25 times -F.
#pragma once

#include <vector>

#include "dcsvm/data.hpp"
#include "kernel_functions/rounding.hpp"

namespace dcsvm::qp {

constexpr double kFailure = 1e-12;  ///< of each of the two inequalities in a bound, for all n gradients together

struct GradientError {
  double bound = 0;  ///< R, of every gradient
  double coherent = 0;  ///< the bound that takes no values to be independent
  double likely = 0;  ///< order of magnitude, no bound
  /// With another part, of which likely errors are far smaller.
  GradientError with(double part) const { return {bound + part, coherent + part, likely}; }
};

/// The largest `of` of several.
double largest(const std::vector<GradientError>& errors, double GradientError::* of);

/// L above, for so many rows and this probability.
double factor_of(double rows, double failure);

/// How coefficients have changed since a gradient was true, and how far they went on the way: p above.
struct Change {
  double norm1 = 0, norm2 = 0;
  double path1 = 0, path2 = 0;  ///< |p|_1 and |p|_2, at least those
};

/// n: rows that are bounded at once. norm_of_f: sqrt(b'K b) of the change b; negative: unknown. left_out: bound on the effect of
/// left-out values.
GradientError error_bound(const kernels::Rounding& rounding, Index n, const Change& change, double norm_of_f, double left_out);

/// Of gradients up to this size, to which so many numbers were added. What forms them at once counts as none.
double bound_of_additions(Index n, double largest, double additions);

/// Of gradients that exact_products() has formed of values with this rounding.
double bound_of_formed(const kernels::Rounding& rounding, double norm1, double norm_of_f);

/// Of gradients that a solve in double has updated.
double bound_of_updated(const kernels::Rounding& rounding, Index n, double path, double norm1, double norm_of_f);

/// Of any gradient during a solve from 0 to this objective, K positive semidefinite.
double largest_on_the_way(const kernels::Rounding& rounding, double largest_q, double objective);

}  // namespace dcsvm::qp
