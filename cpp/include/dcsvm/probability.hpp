// Probabilities from decision values, for models that have none of their own.
#pragma once

#include <utility>

#include "dcsvm/data.hpp"

namespace dcsvm {

/// (a, b) of P(positive | decision value f) = 1 / (1 + exp(a f + b)), by Platt's method, fitted to n decision values, best of
/// rows that the model was not trained on. positive: n, whether the row is of the positive class. Lin, Lin, Weng: A note on
/// Platt's probabilistic outputs (Machine Learning 68, 2007). Throws DataError for n < 1 or a decision value that is not finite.
std::pair<double, double> fit_sigmoid(const double* decisions, const bool* positive, Index n);

/// out (n x k, row-major): probabilities of k >= 2 classes from decision values of their k (k - 1) / 2 pairs (i, j), i < j, n x
/// pairs row-major; a and b: a sigmoid for each pair, positive for class i. Wu, Lin, Weng: Probability estimates for multi-class
/// classification by pairwise coupling (JMLR 5, 2004).
void couple_pairs(const double* a, const double* b, Index k, const double* decisions, Index n, double* out);

}  // namespace dcsvm
