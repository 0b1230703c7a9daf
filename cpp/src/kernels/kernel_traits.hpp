// What a kernel is in numbers: all that is asked about one outside of the tiles.
#pragma once

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/kernel_params.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernels {

/// The tiles' function; of given values none (linear).
simd::Map map_of(KernelType type);

/// Whether K(x, x) is 1 for all x.
bool is_unit(KernelType type);

/// Whether K(x, y) is a function of |x - y|^2.
inline bool of_squared_distance(KernelType type) { return simd::takes_squared_distance(map_of(type)); }

/// K(x, x) of a point with |x|^2 = norm2. precomputed: 1, which nobody asks for.
double of_itself(const KernelParams& kernel, double norm2);

/// An upper bound of |K|, to which the rounding of its values is relative; precomputed: 1. For sigmoid that of the argument of
/// tanh, which has about the rounding of its argument.
double largest_value(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool);

/// The error of a float kernel value in units of float's rounding error, besides the rounding of the value itself, for points
/// with |x|^2 <= norm2.
double single_error_scale(const KernelParams& kernel, double norm2);

}  // namespace dcsvm::kernels
