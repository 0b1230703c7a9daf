// Between the library's models and struct model, whose arrays come from malloc because C programs free them.
#pragma once

#include "dcsvm/liblinear/linear_extra.h"
#include "dcsvm/liblinear_model.hpp"

namespace dcsvm::liblinear {

constexpr bool is_regression(int solver_type) noexcept {
  return solver_type >= L2R_L2LOSS_SVR && solver_type <= L2R_L1LOSS_SVR_DUAL;
}
constexpr bool is_classifier(int solver_type) noexcept {
  return (solver_type >= L2R_LR && solver_type <= L2R_LR_DUAL) || solver_type == DCSVM_MULTINOMIAL;
}
constexpr bool has_probabilities(int solver_type) noexcept {
  return solver_type == L2R_LR || solver_type == L2R_LR_DUAL || solver_type == L1R_LR || solver_type == DCSVM_MULTINOMIAL;
}
/// The library's solver. Throws ParameterError for a number that is neither LIBLINEAR's nor DCSVM_MULTINOMIAL.
inline LinearSolver solver_of(int solver_type) {
  return solver_type == DCSVM_MULTINOMIAL ? LinearSolver::multinomial : linear_solver(solver_type);
}
/// Weight vectors of the model: decision values of a row.
constexpr int n_vectors(const model& m) noexcept { return m.nr_class == 2 && m.param.solver_type != MCSVM_CS ? 1 : m.nr_class; }
/// Rows of w: features and the bias.
constexpr Index n_weight_rows(const model& m) noexcept { return static_cast<Index>(m.nr_feature) + (m.bias >= 0 ? 1 : 0); }

/// In `param` only solver_type is set. Throws std::bad_alloc.
model* make_c_model(const LiblinearModel& m);

/// Checks that the struct can be read safely: solver, sizes and arrays. Throws ModelError.
void check_c_model(const model* m);

/// Copies the struct. Throws ModelError.
LiblinearModel read_c_model(const model& m);

/// free_model_content and free_and_destroy_model.
void free_content(model* m) noexcept;
void destroy(model** m) noexcept;

}  // namespace dcsvm::liblinear
