// Landmark points by weighted k-means. Theorem 3 of Hsieh, Si and Dhillon (2014, DC-Pred++): with w_i = alpha_i^2 the objective
// sum_i w_i |x_i - u_pi(i)|^2 bounds the change of the solution under the Nystrom approximation.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "data/dense_rows.hpp"

namespace dcsvm::clustering {

/// Centres, up to k x stride row-major (padding 0): seeds drawn by weight x squared distance, then Lloyd's iteration. Rows of
/// weight 0 do not count; fewer distinct rows than k give fewer centres. On the calling thread.
std::vector<float> weighted_kmeans(const data::DenseRows& rows, const std::vector<double>& weight, Index k, int max_iterations,
                                   base::Random& random);

}  // namespace dcsvm::clustering
