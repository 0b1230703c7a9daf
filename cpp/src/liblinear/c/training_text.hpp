// What LIBLINEAR prints about a training; scripts parse it.
#pragma once

#include "dcsvm/linear.hpp"

namespace dcsvm::liblinear {

/// One report for each problem of the training.
void print_training(const LinearModel& model);

}  // namespace dcsvm::liblinear
