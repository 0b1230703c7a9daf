// Small models of every kind, built by hand: what the model file tests write, read, damage and compare with the goldens.
// The goldens hold these very values: do not change a sample, add one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/model_data.hpp"

namespace dcsvm::test {

/// Two classes, dense float32 points, RBF.
models::ModelData dense_model();
/// Three classes, CSR float64 points, polynomial, a report with every field set.
models::ModelData sparse_model();
/// Four clusters routed in kernel space: two classes, one class, none (an empty cluster), three classes.
models::ModelData kernel_routed_model();
/// Two clusters with centres in input space, CSR float32 points, prediction by committee.
models::ModelData centre_routed_model();
/// Precomputed kernel, clustered: no points, the sample is a column of rows.
models::ModelData precomputed_model();
/// Precomputed kernel, one expansion, no support vectors at all.
models::ModelData bare_model();
/// epsilon-SVR, dense float64 points: no classes, coefficients of both signs.
models::ModelData regression_model();
/// One-class, two clusters with centres in input space, one of them without support vectors.
models::ModelData one_class_routed_model();

/// Three classes with sigmoids.
models::ModelData calibrated_model();
/// One-class with density marks.
models::ModelData marked_model();

/// All of them by name.
std::vector<std::pair<std::string, models::ModelData>> sample_models();

/// Every field, bit for bit.
bool same(const models::ModelData& a, const models::ModelData& b);

}  // namespace dcsvm::test
