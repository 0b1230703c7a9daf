// What a kernel is in numbers: all that is asked about one outside of the tiles.
#pragma once

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/kernel_params.hpp"
#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

/// What is summed over the features.
Term term_of(KernelType type);

/// Whether K is a function of a distance, and of |x - y|^2.
bool takes_distance(KernelType type);
bool takes_squared_distance(KernelType type);

/// Whether Form::bytes has tiles for the kernel.
bool byte_products_serve(KernelType type);

/// Whether K(x, x) is 1 for all x.
bool is_unit(KernelType type);

/// Whether K divides by |x|^2.
bool is_ratio(KernelType type);

/// K(x, x) of a point with |x|^2 = norm2. precomputed: 1, which nobody asks for.
double of_itself(const KernelParams& kernel, double norm2);

/// An upper bound of |K|, to which the rounding of its values is relative; precomputed: 1. For sigmoid that of the argument of
/// tanh, which has about the rounding of its argument.
double largest_value(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool);

/// The error of a float kernel value in units of float's rounding error, besides the rounding of the value itself, for points
/// with |x|^2 <= norm2.
double single_error_scale(const KernelParams& kernel, double norm2);

}  // namespace dcsvm::kernels
