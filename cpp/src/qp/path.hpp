// One problem under a growing box; each solution is the start of the next.
#pragma once

#include <functional>
#include <vector>

#include "qp/solver.hpp"

namespace dcsvm::qp {

/// Solves `unit` with lo and hi multiplied by each of `scales` (ascending, > 0), the first from zeros. The start of the next is
/// t b, 1 <= t <= ratio of the scales, with the t of least objective: feasible, and its gradient q + t (g - q) costs no kernel
/// values. t = 1 where most support vectors are free: they stay where they are, and only those that were bounded move. Calls
/// done(s, beta, result) after each. Options as for solve; its gradient fields are not read.
template <class T>
void solve_path(const kernel_matrix::RowSource<T>& source, const Problem& unit, const std::vector<double>& scales,
                const Options& options, base::Context& context, const Progress& progress,
                const std::function<void(std::size_t, const double*, const Result&)>& done);

}  // namespace dcsvm::qp
