// LIBSVM's numbering of the class pairs and of the rows of coefficients in one-vs-one.
#pragma once

#include <algorithm>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Position of the pair (i, j), i < j, among (0,1), (0,2), ..., (k-2,k-1).
constexpr Index pair_index(Index i, Index j, Index k) { return i * (2 * k - i - 1) / 2 + (j - i - 1); }

/// Row of sv_coef that holds the coefficient of a support vector of class `own` in its pair with class `other`.
constexpr Index coef_row(Index own, Index other) { return other > own ? other - 1 : other; }

/// Position of the class with most votes, ties to the lower: dec > 0 votes for the pair's first class, else for the second.
/// votes: scratch of n_classes.
inline Index vote(const double* dec, Index n_classes, std::vector<int>& votes) {
  votes.assign(n_classes, 0);
  for (Index i = 0; i < n_classes; ++i) {
    for (Index j = i + 1; j < n_classes; ++j) ++votes[*dec++ > 0 ? i : j];
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

}  // namespace dcsvm::data
