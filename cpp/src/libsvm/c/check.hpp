#pragma once

#include "dcsvm/libsvm/svm.h"

namespace dcsvm::libsvm {

/// svm_check_parameter. Throws DataError for labels that are no ints, std::bad_alloc.
const char* check_parameter(const svm_problem* prob, const svm_parameter* param);

}  // namespace dcsvm::libsvm
