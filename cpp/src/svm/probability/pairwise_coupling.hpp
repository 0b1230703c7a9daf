// Probabilities of classes from the decision values of their pairs.
#pragma once

#include "dcsvm/model.hpp"

namespace dcsvm::svm {

/// p (k values, sum 1) from r (k x k row-major, r[i k + j] the probability of class i given i or j, r_ij + r_ji = 1, in (0, 1)):
/// min sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2. Wu, Lin, Weng: Probability estimates for multi-class classification by
/// pairwise coupling (2004), second approach, Algorithm 2; stops at 0.005 / k as LIBSVM does.
void couple(const double* r, Index k, double* p);

/// The share of training rows of a one-class model less dense than decision value f, in steps of its 10 marks.
double density(double f, const std::vector<double>& marks);

/// out: n x columns from n x pairs decision values. classes: k, 0 for one-class.
void probabilities(const Calibration& calibration, Index k, const double* decisions, Index n, double* out);

}  // namespace dcsvm::svm
