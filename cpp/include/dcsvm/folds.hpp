// Folds of a cross-validation.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm {

/// One fold: the rows that its models are trained on, and the rows that they predict.
struct Fold {
  std::vector<Index> train, test;
};

/// n_folds folds whose tests are all of the n rows, as LIBSVM's svm_cross_validation makes them: `stratified` (classifiers) cuts
/// the shuffled rows of each class into n_folds runs, else all shuffled rows are cut. y: n labels, not read when !stratified.
/// Rows are ascending in each fold. The same seed gives the same folds.
/// Throws ParameterError unless 2 <= n_folds <= n; when `stratified`, DataError for a label that is not finite.
std::vector<Fold> make_folds(const double* y, Index n, int n_folds, bool stratified, std::uint64_t seed);

/// What is written for a held-out row: what predict says (a label, a value), or decision_function's columns. Decision values are
/// those of all classes of y, 0 for pairs with a class that the fold's training rows lack (+1 or -1 when they have one of the
/// two).
enum class HeldOut { predictions, decisions };

}  // namespace dcsvm
