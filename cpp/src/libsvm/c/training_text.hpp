// What LIBSVM prints about a training; scripts parse it.
#pragma once

#include "dcsvm/cross_validate.hpp"
#include "training.hpp"

namespace dcsvm::libsvm {

/// One report for each binary problem, then the number of support vectors.
void print_training(const Model& model, const Input& input, const svm_parameter& param);

void print_cross_validation(const CrossValidation& done);

}  // namespace dcsvm::libsvm
