// What an LS-SVM is: plain data that training fills, prediction reads and io stores.
#pragma once

#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/ls_svm.hpp"

namespace dcsvm::least_squares {

struct LsSvmData {
  KernelParams kernel;
  bool normalise = false;
  bool regression = false;
  Index n_features = 0;
  std::vector<double> classes;    ///< ascending; regression: empty
  data::PointStore points;              ///< the training rows, of norm 1 when `normalise`
  std::vector<double> coef;       ///< n_outputs x points.rows row-major
  std::vector<double> intercept;  ///< n_outputs
  LsSvmReport report;
};

/// Scales each row to norm 1; a row of zeros stays.
void normalise_rows(data::PointStore& points);

}  // namespace dcsvm::least_squares
