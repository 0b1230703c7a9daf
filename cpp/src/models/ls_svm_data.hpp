// What an LS-SVM is: plain data that training fills, prediction reads and io stores.
#pragma once

#include <vector>

#include "dcsvm/ls_svm.hpp"
#include "models/model_data.hpp"

namespace dcsvm::models {

struct LsSvmData {
  KernelParams kernel;
  bool normalise = false;
  bool regression = false;
  Index n_features = 0;
  std::vector<double> classes;    ///< ascending; regression: empty
  PointStore points;              ///< the training rows, of norm 1 when `normalise`
  std::vector<double> coef;       ///< n_outputs x points.rows row-major
  std::vector<double> intercept;  ///< n_outputs
  LsSvmReport report;
};

/// Scales each row to norm 1; a row of zeros stays.
void normalise_rows(PointStore& points);

}  // namespace dcsvm::models
