// Folds of a cross-validation, checked and numbered.
#pragma once

#include <vector>

#include "dcsvm/folds.hpp"

namespace dcsvm::svm {

/// Throws ParameterError unless each fold has train and test rows of [0, n), disjoint and without repeats.
void check_folds(const std::vector<Fold>& folds, Index n);

/// All rows by class, then by the fold that tests them, so that the rows of one fold are together in memory. class_of: 0 or more.
std::vector<Index> order_by_fold(const std::vector<int>& class_of, const std::vector<Fold>& folds);

}  // namespace dcsvm::svm
