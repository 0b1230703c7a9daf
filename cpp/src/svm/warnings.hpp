// What a caller should know about data and solutions that no error refuses.
#pragma once

#include <optional>
#include <vector>

#include "dcsvm/model.hpp"

namespace dcsvm::svm {

/// "scale" and "offset" of features, from 1000 to 2000 evenly spaced rows (all rows of fewer); kernel matrices, and sparse data
/// of which more than half is zeros, have none. x: finite.
std::vector<Warning> data_warnings(const DataView& x, KernelType kernel);

/// "margin": the smallest margin r of nu_svc's problems is not above its tol, so that r and what is divided by it are rounding.
std::optional<Warning> margin_warning(const std::vector<ProblemReport>& problems, double tol);

/// "tolerance": a problem that ended as converged has a relative gap above what is allowed (qp/scaled_solve.hpp), else 0.
std::optional<Warning> tolerance_warning(double relative_gap, double tol);

}  // namespace dcsvm::svm
