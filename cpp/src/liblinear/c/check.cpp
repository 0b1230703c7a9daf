// check_parameter, with LIBLINEAR's words in LIBLINEAR's order.
#include "check.hpp"

#include "c_model.hpp"

namespace dcsvm::liblinear {

namespace {

constexpr bool takes_start(int type) {
  return type == L2R_LR || type == L2R_L2LOSS_SVC || type == L2R_L2LOSS_SVR || type == DCSVM_MULTINOMIAL;
}
constexpr bool takes_free_bias(int type) { return takes_start(type) || type == L1R_L2LOSS_SVC || type == L1R_LR; }

}  // namespace

const char* check(double bias, const parameter* param) noexcept {
  if (param == nullptr) return "no parameters";
  const int type = param->solver_type;
  if (param->eps <= 0) return "eps <= 0";
  if (param->C <= 0) return "C <= 0";
  if (param->p < 0 && type == L2R_L2LOSS_SVR) return "p < 0";
  if (bias >= 0 && type == ONECLASS_SVM) return "prob->bias >=0, but this is ignored in ONECLASS_SVM";
  if (param->regularize_bias == 0) {
    if (bias != 1.0) return "To not regularize bias, must specify -B 1 along with -R";
    if (!takes_free_bias(type)) {
      return "-R option supported only for solver L2R_LR, L2R_L2LOSS_SVC, L1R_L2LOSS_SVC, L1R_LR, and L2R_L2LOSS_SVR";
    }
  }
  if (!is_classifier(type) && !is_regression(type) && type != ONECLASS_SVM) return "unknown solver type";
  if (param->init_sol != nullptr && !takes_start(type)) {
    return "Initial-solution specification supported only for solvers L2R_LR, L2R_L2LOSS_SVC, and L2R_L2LOSS_SVR";
  }
  if (param->w_recalc && type != L2R_L2LOSS_SVC_DUAL && type != L2R_L1LOSS_SVC_DUAL) {
    return "Recalculating w in the end is only for dual solvers for L2-regularized L1/L2-loss SVM";
  }
  return nullptr;
}

}  // namespace dcsvm::liblinear
