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

}  // namespace dcsvm
