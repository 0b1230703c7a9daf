// How far the gradients of a solve with float kernel values can be from the true ones.
//
// g = q - K b is the true gradient, h what the solve holds in its place, e = h - g. Written out over the solve,
//
//     h_i = q_i - sum over its updates t of sum over j of d_tj (K_ij + error),     sum over t of d_tj = b_j,
//
// so e_i has three parts. kernel_matrix/rounding.hpp has the constants of each kernel: `deviation`, `largest`, `shared`, max|K|.
//
// 1. Roundings of single values. A value is rounded in the same way in every update, so they add up to sum_j b_j error_ij. An
//    error_ij is a sum of elementary roundings, each of at most a known size; deviation^2 is the sum of the squares of these
//    sizes. If they are independent of each other and of b, with mean zero, Hoeffding's inequality gives, but for a probability
//    of 10^-12,
//
//        |sum_j b_j error_ij| <= L deviation |b|_2   for all n rows i at once,     L = sqrt(2 log(2 n 10^12)), about 9.
//
//    If they are not, the sum is still at most largest |b|_1. (The sizes of the roundings of an inner product are those of
//    partial sums that grow evenly: see value_rounding.cpp, and judge.hpp for how the bound is tested.)
// 2. Roundings of the sums. Products are added up in double but for the few of a strip, each of at most the strip's sum. They
//    differ from update to update, so by the same inequality they come to at most L times 8 u max|K| sqrt(sum_t |d_t|^2), and one
//    update more by b as a whole: gradients of variables that were shrunk are formed so.
// 3. What the values of a row share, and values that were left out (RowSource::negligible). Bounded without probabilities, except
//    for |x_i|^2: the rounding of its sum is taken as at most three times its deviation, which long rows of equal features may
//    exceed.
#pragma once

#include "dcsvm/data.hpp"
#include "kernel_matrix/rounding.hpp"

namespace dcsvm::qp {

constexpr double kFloatRounding = 0x1p-24;  ///< u: half a unit in the last place of 1.0f

constexpr double kFailure = 1e-12;  ///< probability that any gradient is further off than the bound

struct GradientError {
  double bound = 0;  ///< of every gradient, with independent roundings of single values
  double coherent = 0;  ///< the same when all roundings of single values have the sign of their b_j: largest |b|_1
  double leaning = 0;  ///< the same, of values that are each off by three deviations; no bound
  double likely = 0;  ///< order of magnitude; hardly any is larger
};

/// L above, for so many rows and this probability.
double factor_of(double rows, double failure);

/// n: rows that are bounded at once. Of the coefficients norm2 is the 2-norm, norm1 the 1-norm, norm_of_f the norm sqrt(b'K b)
/// (negative: unknown) and squared_steps the sum of the squares of their changes on the way. left_out: bound on the effect of
/// left-out values.
GradientError error_bound(const kernel_matrix::Rounding& rounding, Index n, double norm2, double norm1, double norm_of_f,
                          double squared_steps, double left_out);

}  // namespace dcsvm::qp
