#pragma once

#include <string>

#include "dcsvm/c_call.h"
#include "dcsvm/data.hpp"

namespace dcsvm::c_common {

/// Throws DataError ("row 3: what").
[[noreturn]] void fail(Index row, const std::string& what);

/// Throws DataError for a matrix that cannot be read: null arrays, sizes below 0, indptr or indices out of order or range.
void check_matrix(const dcsvm_matrix* x);
/// A checked matrix.
DataView view(const dcsvm_matrix& x);

}  // namespace dcsvm::c_common
