// The data of an LS-SVM: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/ls_svm.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

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

/// Its file, defined in file.cpp.
const files::ModelFile<LsSvmData>& file_of(const LsSvmData* type);

}  // namespace dcsvm::least_squares
