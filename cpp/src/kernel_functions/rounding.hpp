// How far computed kernel values are from the exact ones: what certificates (qp/judge.hpp) are argued from.
//
// The error of K(x_i, x_j) in the arithmetic of T has two parts.
// - What the other values of row i do not share: roundings of the products and sums of x_i and x_j, of |x_j|^2, of the kernel's
//   function, and of x_j. Together they are at most `largest`, all of them at their worst, to first order in the unit of
//   rounding. The elementary roundings, each of at most a size that is known, are as good as independent with mean zero (the
//   model of Higham and Mary 2019, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41);
//   `deviation` is the root of the sum of the squares of these sizes (no standard deviation), with partial sums that grow evenly.
//   Where values may be `alike` this is not taken to be so, and `largest` counts. Long sums of equal products, as constant
//   features give, have roundings of one sign: there `deviation` is too small, and only the tests of judge.hpp guard.
// - What all values of row i share, so that it does not average out in a sum over j. The rounding of gamma and coef0, and of the
//   features of x_i, also by a shift: with f = sum_j b_j K(x_j, .), it changes the sum by at most `shared` |b|_1, and for a
//   positive definite kernel, with |f|^2 = b'K b, by at most `shared_norm` |f|. For x_i moves to a point x' where |f(x_i) -
//   f(x')| <= |f| |phi(x_i) - phi(x')|, and a relative error of gamma adds that times the derivative of f by log gamma, of which
//   the kernels have a bound (log_gamma_norm). And the rounding of |x_i|^2: `of_row`, with the same meaning as `deviation`, and
//   `of_row_largest`, at its worst. Where it is a factor of all values of the row it adds that times f(x_i).
#pragma once

#include <cmath>
#include <limits>

#include "dcsvm/kernel_params.hpp"

namespace dcsvm::kernels {

struct Rounding {
  double typical = 0;  ///< order of magnitude of a value's error; no bound
  double largest = 0;  ///< bound of the first part
  double deviation = 0;  ///< of the first part
  double shared = 0;  ///< bound of the second part, for each value
  double shared_norm = std::numeric_limits<double>::infinity();  ///< the same by the norm of f; infinite: K may be indefinite
  double value = 1;  ///< bound of |K|
  /// Of sums of values times coefficients d, formed in T: their roundings have sizes whose squares add up to at most
  /// (sums |d|_2)^2. 0: such sums are formed in double.
  double sums = 0;
  /// X (or a given K) has at most 256 different values in all, or values come from byte products, or every product and partial
  /// sum is exact, as with small whole numbers: the same values may come again and again, each with the same rounding.
  bool alike = false;
  /// What the rounding of |x_i|^2 moves all values of row i by: with roundings that are independent, and at their worst.
  double of_row = 0, of_row_largest = 0;
  bool of_row_is_factor = false;  ///< it multiplies all values of the row alike
  double of_step = 0;  ///< |K| times the relative rounding of a coefficient to T, where sums are formed in T
  bool by_columns = false;  ///< a value is rounded otherwise where other columns are computed with it, and not stored
  double gamma = 0;  ///< its relative error: what that makes of b'K b is counted in the objective
};

/// What is rounded of an inner product before a kernel's function sees it, and in which units the function counts: a kernel's
/// rounding() makes a Rounding of it.
struct OfProducts {
  double u;  ///< half a unit in the last place of 1
  double norm2;  ///< the largest |x|^2
  double largest;  ///< bound of |K|
  double deviation, worst;  ///< of the sum, in u |x| |y|: one deviation, and all roundings at their worst. 0: it is exact
  bool bytes;  ///< the sum is an exact integer, which is converted and scaled
  double moved;  ///< of bytes: what the features move by to the grid, in u |x| |y|
};

/// Of v = gamma x'y + coef0: what is rounded in one value, and in gamma, coef0 and the features of x_i.
struct Argument {
  double deviation, largest, shared;
};
inline Argument argument_of(const KernelParams& kernel, const OfProducts& of) {
  const double product = kernel.gamma * of.norm2;
  const auto own = [&](double of_sum) {
    return of.u * ((of.bytes ? 3.0 + of.moved : 2.0 + of_sum) * product + std::abs(kernel.coef0));
  };
  return {own(of.deviation), own(of.worst), of.u * ((of.bytes ? 2.0 + of.moved : 3.0) * product + std::abs(kernel.coef0))};
}

/// Values that are rounded once when they are stored, and are exact before: the matrix is given.
template <class T>
Rounding rounding_of_given(double largest_value) {
  const double error = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_value;
  return {error, error, error, 0.0, std::numeric_limits<double>::infinity(), largest_value};
}

}  // namespace dcsvm::kernels
