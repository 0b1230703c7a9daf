// Makes a warm start satisfy a cluster's equality constraint.
#pragma once

#include "dcsvm/data.hpp"

namespace dcsvm::qp {

/// Moves beta (lo <= beta <= hi, lo <= 0 <= hi, n values) so that sum beta = 0, within the box. Clusters of a level are not
/// unions of those below, so the start of a cluster seldom has that sum, and the solver keeps the sum that it starts with. The
/// surplus is taken from the free variables (strictly inside the box; the solver must find their values again anyway): those
/// of the heavier sign shrink towards 0 and those of the other grow towards their bound, all by the same fraction of their room,
/// so bounded support vectors stay bounded and others stay at 0. Only when that is not enough the heavier sign is scaled down as
/// a whole.
void balance_sum(double* beta, const double* lo, const double* hi, Index n);

}  // namespace dcsvm::qp
