// Fits what Calibration keeps to decision values: Platt's sigmoid, Laplace scale, density marks. LIBSVM's rules and constants.
#pragma once

#include <utility>
#include <vector>

namespace dcsvm::svm {

/// 1 / (1 + exp(z)); exp never overflows.
double logistic(double z);

/// (a, b) of P(positive | f) = 1 / (1 + exp(a f + b)): least cross-entropy against Platt's smoothed targets, by Newton's method
/// with backtracking. Lin, Lin, Weng: A note on Platt's probabilistic outputs (Machine Learning 68, 2007), Algorithm 1.
std::pair<double, double> fit_sigmoid(const std::vector<double>& decisions, const std::vector<char>& positive);

/// Scale of the Laplace density of residuals y - prediction: their mean absolute value, without those beyond 5 standard
/// deviations. Lin, Weng: Simple probabilistic predictions for support vector regression (2004).
double fit_laplace(const std::vector<double>& residuals);

/// LIBSVM's marks of a one-class model (svm_one_class_probability): middles of 5 bins of equally many training rows on each side
/// of 0, ascending; empty when a side has fewer than 5 rows.
std::vector<double> density_marks(std::vector<double> decisions);

}  // namespace dcsvm::svm
