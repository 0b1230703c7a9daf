// Between LibsvmModel and struct svm_model, whose arrays come from malloc because C programs free them.
#pragma once

#include <vector>

#include "dcsvm/libsvm/svm.h"
#include "dcsvm/libsvm_model.hpp"
#include "node_rows.hpp"

namespace dcsvm::libsvm {

constexpr bool is_classifier(int svm_type) noexcept { return svm_type == C_SVC || svm_type == NU_SVC; }
constexpr bool is_regression(int svm_type) noexcept { return svm_type == EPSILON_SVR || svm_type == NU_SVR; }
constexpr int n_pairs(int k) noexcept { return k * (k - 1) / 2; }
/// Number of decision values of a row.
inline int decision_columns(const svm_model& m) { return is_classifier(m.param.svm_type) ? n_pairs(m.nr_class) : 1; }

/// Without `x` the struct owns copies of its support vectors (free_sv = 1); with `x` they point to its rows (free_sv = 0, and
/// sv_indices is set). In `param` only svm_type and the kernel are set. Throws std::bad_alloc.
svm_model* make_c_model(const LibsvmModel& m, svm_node* const* x = nullptr);

/// Checks that the struct can be read safely: types, sizes and arrays. Throws ModelError.
void check_c_model(const svm_model* m);

/// Copies the struct. Throws ModelError.
LibsvmModel read_c_model(const svm_model& m);

}  // namespace dcsvm::libsvm
