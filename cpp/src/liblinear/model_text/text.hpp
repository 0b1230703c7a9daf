// LIBLINEAR's model files: a header of "key values" lines, the line "w", then one line of weights for each feature.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "dcsvm/liblinear_model.hpp"

namespace dcsvm::liblinear {

/// LIBLINEAR's solvers: number and name.
inline constexpr std::array<std::pair<int, const char*>, 12> kSolvers = {{{0, "L2R_LR"},
                                                                          {1, "L2R_L2LOSS_SVC_DUAL"},
                                                                          {2, "L2R_L2LOSS_SVC"},
                                                                          {3, "L2R_L1LOSS_SVC_DUAL"},
                                                                          {4, "MCSVM_CS"},
                                                                          {5, "L1R_L2LOSS_SVC"},
                                                                          {6, "L1R_LR"},
                                                                          {7, "L2R_LR_DUAL"},
                                                                          {11, "L2R_L2LOSS_SVR"},
                                                                          {12, "L2R_L2LOSS_SVR_DUAL"},
                                                                          {13, "L2R_L1LOSS_SVR_DUAL"},
                                                                          {21, "ONECLASS_SVM"}}};
constexpr bool has_each_solver_once() noexcept {
  std::size_t of_ours = 0;
  for (std::size_t i = 0; i < names_of(LinearSolver{}).size(); ++i) {
    const int number = traits_of(static_cast<LinearSolver>(i)).liblinear;
    int times = 0;
    for (const auto& solver : kSolvers) times += int{solver.first == number};
    if (times != int{number >= 0}) return false;
    of_ours += std::size_t{number >= 0};
  }
  return of_ours == kSolvers.size();
}
static_assert(has_each_solver_once(), "kSolvers has each solver that has a number of LIBLINEAR's, and no other");

/// Whether the text starts with a key of that header.
bool looks_like_liblinear(std::string_view text);

/// Sizes and the solver's number. Throws ModelError ("model: what").
void check_liblinear(const LiblinearModel& model);

}  // namespace dcsvm::liblinear
