// LIBSVM's numbering of the class pairs and of the rows of coefficients in one-vs-one.
#pragma once

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Position of the pair (i, j), i < j, among (0,1), (0,2), ..., (k-2,k-1).
constexpr Index pair_index(Index i, Index j, Index k) { return i * (2 * k - i - 1) / 2 + (j - i - 1); }

/// Row of sv_coef that holds the coefficient of a support vector of class `own` in its pair with class `other`.
constexpr Index coef_row(Index own, Index other) { return other > own ? other - 1 : other; }

}  // namespace dcsvm::data
