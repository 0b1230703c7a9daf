// k-means for thousands of centres: seeds are drawn in batches, because one by one they would take most of the time.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "clustering/centres.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::clustering {

/// Positions in `points`: seeds drawn by squared distance, as spread_rows.
std::vector<Index> batch_seeds(const Points& points, Index k, base::Context& context);

/// Rows of x: k-means++ seeds among `sample`, drawn by squared distance in about 16 batches (k-means||, Bahmani et al. 2012).
/// Fewer than k when the sample has fewer distinct rows. The same for any number of threads.
std::vector<Index> spread_rows(const DataView& x, const std::vector<Index>& sample, Index k, base::Context& context);

/// spread_rows, then at most max_iterations of Lloyd's iteration on the sample: centres, size x cols of x, row-major.
std::vector<double> many_centres(const DataView& x, const std::vector<Index>& sample, Index k, int max_iterations,
                                 base::Context& context);

}  // namespace dcsvm::clustering
