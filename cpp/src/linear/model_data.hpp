// The data of a linear model: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <vector>

#include "dcsvm/linear.hpp"
#include "linear/form.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

namespace dcsvm::linear {

struct LinearData {
  LinearSolver solver = LinearSolver::squared_hinge_dual;
  Index n_features = 0;  ///< without the bias
  double bias = -1.0;
  double rho = 0.0;
  std::vector<double> classes;
  /// Of each class in the order of LIBLINEAR's model: ties are decided by LIBLINEAR's rule, a decision of 0 between two classes
  /// for the later one, of equal decisions the earlier class's. Empty: scikit-learn's rule, always for the first of `classes`.
  std::vector<int> places;
  std::vector<double> w;  ///< (n_features + (bias >= 0)) x n_vectors row-major
  LinearReport report;
};

inline Index n_vectors(const LinearData& m) { return vectors_of(m.solver, m.classes.size()); }

/// Its file, defined in file.cpp.
const files::ModelFile<LinearData>& file_of(const LinearData* type);

}  // namespace dcsvm::linear
