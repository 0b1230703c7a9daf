// An order of the rows in which neighbours in the list are neighbours in space.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// The rows of x (n x d) along the leaves of a k-d tree (Bentley 1975): each node is cut at the median of its feature of largest
/// variance, the left part a multiple of `leaf` rows. Ties go by row number, so the order is the same for any number of threads.
/// Needs n x d floats of memory while it runs. O(n d log(n / leaf)).
std::vector<Index> spatial_order(const DataView& x, Index leaf, base::ThreadPool& pool);

}  // namespace dcsvm::data
