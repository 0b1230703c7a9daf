#include "training_text.hpp"

#include <cmath>
#include <cstdio>

#include "c_common/print.hpp"
#include "c_model.hpp"

namespace dcsvm::libsvm {

namespace {

using c_common::info;
using c_common::without_minus_zero;

void warn_unless_converged(StopReason reason) {
  if (reason == StopReason::max_iter) std::fprintf(stderr, "\nWARNING: reaching max number of iterations\n");
  if (reason == StopReason::stagnated) std::fprintf(stderr, "\nWARNING: no progress at the precision of the kernel values\n");
}

void print_warnings(const std::vector<Warning>& warnings) {
  for (const Warning& w : warnings) std::fprintf(stderr, "\nWARNING: %s\n", w.text.c_str());
}

/// Sum of |coefficients| of the support vectors of class i and j in their pair.
double sum_alpha(const Model& model, Index i, Index j) {
  const auto n_sv = model.n_support_per_class();
  const auto& coef = model.sv_coef();
  const auto l = static_cast<Index>(model.support().size());
  double sum = 0;
  Index s = 0;
  for (Index c = 0; c < static_cast<Index>(n_sv.size()); ++c) {
    const Index end = s + n_sv[c];
    const Index row = c == i ? j - 1 : i;
    for (; s < end; ++s) {
      if (c == i || c == j) sum += std::abs(coef[row * l + s]);
    }
  }
  return sum;
}

/// The line between "#iter" and "obj": nu or what stands for it.
void print_constant(const Model& model, const Input& input, const svm_parameter& param, const ProblemReport& r, Index i,
                    Index j) {
  if (param.svm_type == NU_SVC) info("C = %f\n", 1.0 / r.r);
  if (param.svm_type == NU_SVR) info("epsilon = %f\n", without_minus_zero(-r.r));
  if (param.svm_type == EPSILON_SVR) info("nu = %f\n", sum_alpha(model, 0, 1) / (param.C * static_cast<double>(input.data.rows)));
  if (param.svm_type != C_SVC) return;
  double first = param.C, second = param.C;
  for (const auto& [code, factor] : input.params.class_weight) {
    if (static_cast<Index>(code) == i) first *= factor;
    if (static_cast<Index>(code) == j) second *= factor;
  }
  const int rows = input.grouping.counts[i] + input.grouping.counts[j];
  if (first == second) info("nu = %f\n", sum_alpha(model, i, j) / (first * rows));
}

}  // namespace

void print_training(const Model& model, const Input& input, const svm_parameter& param) {
  const bool classifier = is_classifier(param.svm_type);
  const Index k = classifier ? static_cast<Index>(input.grouping.labels.size()) : 2;
  const std::vector<double> rho = model.rho();
  const auto& problems = model.report().problems;
  std::size_t p = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k && p < problems.size(); ++j, ++p) {
      const ProblemReport& r = problems[p];
      info("*\noptimization finished, #iter = %lld\n", static_cast<long long>(r.n_iter));
      warn_unless_converged(r.stop_reason);
      print_constant(model, input, param, r, i, j);
      info("obj = %f, rho = %f\n", without_minus_zero(r.objective), without_minus_zero(rho[p]));
      info("nSV = %td, nBSV = %td\n", r.n_support, r.n_bounded);
    }
  }
  print_warnings(model.report().warnings);
  if (classifier) info("Total nSV = %td\n", static_cast<Index>(model.support().size()));
  if (is_regression(param.svm_type) && !model.calibration().a.empty()) {
    info(
        "Prob. model for test data: target value = predicted value + z,\nz: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= "
        "%g\n",
        model.calibration().a[0]);
  }
}

void print_cross_validation(const CrossValidation& done) {
  info("*\noptimization finished, #iter = %lld\n", static_cast<long long>(done.n_iter));
  print_warnings(done.warnings);
  if (done.n_unconverged > 0) {
    std::fprintf(stderr, "\nWARNING: %td of the folds' problems did not converge\n", done.n_unconverged);
  }
}

}  // namespace dcsvm::libsvm
