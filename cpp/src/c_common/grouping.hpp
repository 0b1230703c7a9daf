#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::c_common {

/// Classes as LIBSVM and LIBLINEAR number them: by first appearance of (int)y, except that +1 comes before -1 when there are just
/// these two.
struct Grouping {
  std::vector<int> labels;
  std::vector<int> counts;
  std::vector<double> codes;  ///< l: position of each row's class in `labels`
};
/// Throws DataError for a label that an int cannot hold.
Grouping group(const double* y, Index l);

}  // namespace dcsvm::c_common
