// Kernel values, and sums over them, for programs that put their own training together: dcsvm.dask looks at the rows of a
// partition with these.
#pragma once

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm {

/// out: rows of x x rows of points, row-major: K(x_i, points_j), computed in `precision`. kernel.gamma is used as it is (> 0).
/// Throws ParameterError (precomputed kernel, gamma), DataError (different numbers of columns, NaN or infinity), Interrupted.
void kernel_values(const DataView& x, const DataView& points, const KernelParams& kernel, Precision precision, double* out,
                   const PredictOptions& options = {});

/// out: rows of x x n_sums, row-major: out(i, s) = sum_j coef(s, j) K(x_i, points_j) for coef, n_sums x rows of points,
/// row-major. No kernel value is stored, and a row's sums do not depend on the other rows. Throws as kernel_values; DataError
/// when a coefficient is not finite.
void kernel_sums(const DataView& x, const DataView& points, const double* coef, Index n_sums, const KernelParams& kernel,
                 Precision precision, double* out, const PredictOptions& options = {});

/// K(x, z) of two rows of n_features numbers, a function of the caller's. Several threads call it at the same time, and it must
/// not throw.
using KernelFunction = double (*)(const double* x, const double* z, long n_features);

/// out: n x m, row-major: function(x_i, points_j) for n rows of x and m rows of points, each row n_features numbers one after the
/// other. When points is x, the function is called for i <= j alone and out is symmetric. Values are as the function returns
/// them, unchecked. Throws DataError (NaN or infinity in x or points), Interrupted.
void function_values(const double* x, Index n, const double* points, Index m, Index n_features, KernelFunction function,
                     double* out, const PredictOptions& options = {});

}  // namespace dcsvm
