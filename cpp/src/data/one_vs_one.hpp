// LIBSVM's numbering of the class pairs and of the rows of coefficients in one-vs-one.
#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Position of the pair (i, j), i < j, among (0,1), (0,2), ..., (k-2,k-1).
constexpr Index pair_index(Index i, Index j, Index k) { return i * (2 * k - i - 1) / 2 + (j - i - 1); }

/// Row of sv_coef that holds the coefficient of a support vector of class `own` in its pair with class `other`.
constexpr Index coef_row(Index own, Index other) { return other > own ? other - 1 : other; }

/// For which class of a pair a decision of 0 votes: LIBSVM's rule (and that of scikit-learn's SVC), or scikit-learn's of others.
enum class ZeroVotes { later, earlier };

/// Position of the class with most votes, of equal ones the earlier class. A pair's decision above 0 votes for its first class,
/// one below 0 for its second. `places`: of each class in the order that says which is earlier; empty: the classes' own. votes:
/// scratch of n_classes.
inline Index vote(const double* dec, Index n_classes, std::vector<int>& votes, ZeroVotes zero,
                  const std::vector<int>& places = {}) {
  votes.assign(n_classes, 0);
  const auto earlier = [&](Index i, Index j) { return places.empty() ? i < j : places[i] < places[j]; };
  for (Index i = 0; i < n_classes; ++i) {
    int of_first = 0;  // without branches on the signs, which nothing predicts
    for (Index j = i + 1; j < n_classes; ++j, ++dec) {
      int first = *dec > 0 ? 1 : 0;
      if (*dec == 0 && earlier(i, j) == (zero == ZeroVotes::earlier)) first = 1;
      of_first += first;
      votes[j] += 1 - first;
    }
    votes[i] += of_first;
  }
  Index winner = 0;
  for (Index c = 1; c < n_classes; ++c) {
    if (votes[c] > votes[winner] || (votes[c] == votes[winner] && earlier(c, winner))) winner = c;
  }
  return winner;
}

}  // namespace dcsvm::data
