// struct svm_model: made with malloc as programs expect, and read back.
#pragma once

#include <vector>

#include "dcsvm/libsvm/svm.h"
#include "dcsvm/libsvm_model.hpp"
#include "node_rows.hpp"

namespace dcsvm::libsvm {

constexpr bool is_classifier(int svm_type) noexcept { return svm_type == C_SVC || svm_type == NU_SVC; }
constexpr bool is_regression(int svm_type) noexcept { return svm_type == EPSILON_SVR || svm_type == NU_SVR; }
constexpr int n_pairs(int k) noexcept { return k * (k - 1) / 2; }
/// Decision values of a row.
inline int decision_columns(const svm_model& m) { return is_classifier(m.param.svm_type) ? n_pairs(m.nr_class) : 1; }

/// The struct, whose support vectors belong to it (free_sv = 1), or are rows of `x` (free_sv = 0, sv_indices kept). Of `param`
/// only what the model keeps is written. Throws std::bad_alloc.
svm_model* make_c_model(const LibsvmModel& m, svm_node* const* x = nullptr);

/// What a struct must have to be read without crashing. Throws ModelError.
void check_c_model(const svm_model* m);

/// Copies the struct. Throws ModelError.
LibsvmModel read_c_model(const svm_model& m);

}  // namespace dcsvm::libsvm
