// Small models of every kind, built by hand: what the model file tests write, read, damage and compare with the goldens.
// The goldens hold these very values: do not change a sample, add one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "svm/model/model_data.hpp"

namespace dcsvm::test {

/// Two classes, dense float32 points, RBF.
svm::ModelData dense_model();
/// Three classes, CSR float64 points, polynomial, a report with every field set.
svm::ModelData sparse_model();
/// Four clusters routed in kernel space: two classes, one class, none (an empty cluster), three classes.
svm::ModelData kernel_routed_model();
/// Two clusters with centres in input space, CSR float32 points, prediction by committee.
svm::ModelData centre_routed_model();
/// Precomputed kernel, clustered: no points, the sample is a column of rows.
svm::ModelData precomputed_model();
/// Precomputed kernel, one expansion, no support vectors at all.
svm::ModelData bare_model();
/// epsilon-SVR, dense float64 points: no classes, coefficients of both signs.
svm::ModelData regression_model();
/// One-class, two clusters with centres in input space, one of them without support vectors.
svm::ModelData one_class_routed_model();

/// Three classes with sigmoids.
svm::ModelData calibrated_model();
/// One-class with density marks.
svm::ModelData marked_model();

/// All of them by name.
std::vector<std::pair<std::string, svm::ModelData>> sample_models();

/// Every field, bit for bit.
bool same(const svm::ModelData& a, const svm::ModelData& b);

}  // namespace dcsvm::test
