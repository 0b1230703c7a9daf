// Gauss-Legendre rules on [0, 1] for products of factors 1 - c t, 0 <= c <= 1.
#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::svm {

struct GaussRule {
  std::vector<double> nodes, weights;
  Index degree = 0;  ///< products of up to so many factors are integrated without an error that double precision shows
};

/// The rules, smallest first, made when they are needed. Not for several threads at once.
///
/// n nodes integrate polynomials of degree 2n - 1 exactly. Products of many factors need fewer than half as many nodes: the error
/// of a rule is affine in each c, so that it is largest where each c is 0 or 1, which is for (1 - t)^j with some j. For these the
/// error is |sum_q w_q (1 - t_q)^j - 1 / (j + 1)|, which is evaluated here for each j up to `degree`.
class GaussRules {
 public:
  /// The smallest rule for products of `factors`.
  const GaussRule& for_factors(Index factors);

 private:
  std::vector<GaussRule> rules_;
};

}  // namespace dcsvm::svm
