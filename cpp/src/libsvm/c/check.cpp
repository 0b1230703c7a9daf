// svm_check_parameter, with LIBSVM's words in LIBSVM's order.
#include "check.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

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

/// (int)y as LIBSVM's own build for x86-64 has it: what is no int, as NaN, is the smallest one. Some callers fill y later, so
/// that it may be anything here; training refuses such labels.
int label_of(double y) {
  constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
  return y > low - 1 && y < high + 1 ? static_cast<int>(y) : std::numeric_limits<int>::min();
}

/// Whether two classes of these sizes have enough rows for nu.
bool is_feasible(double nu, int a, int b) { return !(nu * (a + b) / 2 > std::min(a, b)); }

}  // namespace

const char* check_parameter(const svm_problem* prob, const svm_parameter* param) {
  if (param == nullptr) return "no parameters";
  if (const char* wrong = check_scalars(*param)) return wrong;
  if (param->svm_type != NU_SVC || prob == nullptr || prob->y == nullptr) return nullptr;
  std::unordered_map<int, int> counts;
  for (int i = 0; i < prob->l; ++i) ++counts[label_of(prob->y[i])];
  // The smallest and the largest class are the first two that nu does not suit.
  if (counts.size() < 2) return nullptr;
  const auto [smallest, largest] =
      std::minmax_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return is_feasible(param->nu, smallest->second, largest->second) ? nullptr : "specified nu is infeasible";
}

}  // namespace dcsvm::libsvm
