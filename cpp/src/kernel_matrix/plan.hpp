// How points are packed for kernel tiles, and how their kernel values keep their digits.
#pragma once

#include <limits>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "kernel_functions/rounding.hpp"
#include "kernels/point_set.hpp"
#include "kernels/regions.hpp"

namespace dcsvm::kernel_matrix {

// How the points of x are packed for a kernel.
template <class T>
struct Plan {
  simd::MapParams<T> map;
  kernels::Form form = kernels::Form::dense;
  kernels::ByteGrid grid;     // of the bytes form
  bool off_grid = false;      // x has features that are on the grid but for the rounding to float (simd/bytes.hpp)
  std::vector<double> shift;  // empty: none
  double largest_norm2 = 0;   // of the shifted rows, where `map` takes near ones from differences; else 0
  kernels::Reach<T> reach;
};

/// What is subtracted from dense points, and their mean squared norm then. It is the mean, but 0 in features that are mostly
/// zero: their zeros save products (kernels::StripPlan), which is worth more than a few digits.
struct Centre {
  std::vector<double> point;
  double norm;
};
Centre centre_of(const data::Moments& moments);

/// For rows idx[0..n) of x (null: all). Byte products where they can be had (`bytes`): they cancel no digits, so need neither
/// shift nor differences. negligible > 0: values up to it may be left out, where reach.limit2 comes out above 0.
template <class T>
Plan<T> make_plan(const data::Summary& x, const Index* idx, Index n, const KernelParams& kernel, double negligible,
                  base::ThreadPool& pool, bool bytes = true);

/// For decisions and certificates, where lost digits are multiplied by coefficients: squared distances of dense points all from
/// differences, as long as d is small enough that this costs little.
template <class T>
void take_differences(Plan<T>& plan, Index d);

/// Whether K(x, .) of a query is known: take_differences() makes 0 of a distance that overflows, where the other forms say NaN.
template <class T>
bool overflows(const simd::MapParams<T>& map, T norm) {
  return map.near_below >= std::numeric_limits<T>::infinity() && !(norm <= std::numeric_limits<T>::max());
}

/// MapParams::near_below of a kernel of distances for points of mean squared norm `norm`.
template <class T>
T near_below(const KernelParams& kernel, double norm);
/// For the rbf kernel and points of a region, of squared norm up to `norm`.
template <class T>
T near_below_in_region(double gamma, double norm);

/// What rounding leaves of an inner product of d terms, in half-ulps of |x| |y|: one deviation.
double of_inner_product(Index d);

/// The largest |x - shift|^2 of rows idx[0..n) of x (null: all n).
double largest_shifted_norm2(const DataView& x, const Index* idx, Index n, const std::vector<double>& shift,
                             base::ThreadPool& pool);

/// What region_near_below leaves of an rbf value's rounding, in half-ulps of 1 times the roundings of an inner product.
template <class T>
double lost_in_region();

/// How far values of `kernel` between rows of x are from the exact ones when they are computed as planned.
template <class T>
kernels::Rounding rounding_of(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool);

}  // namespace dcsvm::kernel_matrix
