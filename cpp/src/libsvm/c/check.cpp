// svm_check_parameter, with LIBSVM's words in LIBSVM's order.
#include "check.hpp"

#include <algorithm>

#include "c_model.hpp"
#include "training.hpp"

namespace dcsvm::libsvm {

namespace {

const char* check_scalars(const svm_parameter& p) {
  const int type = p.svm_type, kernel = p.kernel_type;
  if (type < C_SVC || type > NU_SVR) return "unknown svm type";
  if (kernel < LINEAR || kernel > PRECOMPUTED) return "unknown kernel type";
  if ((kernel == POLY || kernel == RBF || kernel == SIGMOID) && p.gamma < 0) return "gamma < 0";
  if (kernel == POLY && p.degree < 0) return "degree of polynomial kernel < 0";
  if (p.cache_size <= 0) return "cache_size <= 0";
  if (p.eps <= 0) return "eps <= 0";
  if ((type == C_SVC || is_regression(type)) && p.C <= 0) return "C <= 0";
  if ((type == NU_SVC || type == ONE_CLASS || type == NU_SVR) && (p.nu <= 0 || p.nu > 1)) return "nu <= 0 or nu > 1";
  if (type == EPSILON_SVR && p.p < 0) return "p < 0";
  if (p.shrinking != 0 && p.shrinking != 1) return "shrinking != 0 and shrinking != 1";
  if (p.probability != 0 && p.probability != 1) return "probability != 0 and probability != 1";
  return nullptr;
}

}  // namespace

const char* check_parameter(const svm_problem* prob, const svm_parameter* param) {
  if (param == nullptr) return "no parameters";
  if (const char* wrong = check_scalars(*param)) return wrong;
  if (param->svm_type != NU_SVC || prob == nullptr || prob->y == nullptr) return nullptr;
  const c_common::Grouping g = c_common::group(prob->y, prob->l);
  for (std::size_t i = 0; i < g.counts.size(); ++i) {
    for (std::size_t j = i + 1; j < g.counts.size(); ++j) {
      if (param->nu * (g.counts[i] + g.counts[j]) / 2 > std::min(g.counts[i], g.counts[j])) return "specified nu is infeasible";
    }
  }
  return nullptr;
}

}  // namespace dcsvm::libsvm
