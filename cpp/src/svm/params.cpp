#include "svm/params.hpp"

#include <cmath>
#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::svm {

namespace {

void check_levels(const TrainParams& p) {
  if (p.n_levels < 0) base::reject("n_levels", ">= 0 (0: chosen from the number of samples)", p.n_levels);
  if (p.branching < 2) base::reject("branching", ">= 2", p.branching);
  if (p.sample_size < 1) base::reject("sample_size", ">= 1", p.sample_size);
  if (p.early_level && *p.early_level < 1) base::reject("early_level", ">= 1", *p.early_level);
  if (p.early_level && p.n_levels > 0 && *p.early_level > p.n_levels) base::reject("early_level", "<= n_levels", *p.early_level);
  if (p.early_level && p.solver == SolverType::smo)
    throw ParameterError("early_level needs solver \"dc\" or \"auto\", got \"smo\"");
  if (p.prediction != LevelPrediction::early && !p.early_level) {
    throw ParameterError(std::string("prediction \"") + (p.prediction == LevelPrediction::naive ? "naive" : "bcm") +
                         "\" is a way of early models to predict: it needs early_level");
  }
}

bool is_power_of_two(int n) { return n >= 1 && (n & (n - 1)) == 0; }

void check_samples(const TrainParams& p) {
  const auto within = [](double v) { return v > 0 && v < 1; };
  if (p.n_support_estimate != 0 && p.n_support_estimate < 2)
    base::reject("n_support_estimate", ">= 2, or 0 (found by rand_epsilon and rand_delta)", p.n_support_estimate);
  if (!within(p.rand_epsilon)) base::reject("rand_epsilon", "in (0, 1)", p.rand_epsilon);
  if (!within(p.rand_delta)) base::reject("rand_delta", "in (0, 1)", p.rand_delta);
  if (!(p.sample_factor >= 1) || !std::isfinite(p.sample_factor))
    base::reject("sample_factor", "a finite number >= 1", p.sample_factor);
  if (!is_power_of_two(p.cascade_leaves)) base::reject("cascade_leaves", "a power of two", p.cascade_leaves);
  if (p.cascade_passes < 0) base::reject("cascade_passes", ">= 0 (0: until no point violates)", p.cascade_passes);
  if (p.solver != SolverType::rand && p.solver != SolverType::cascade) return;
  const std::string name = p.solver == SolverType::rand ? "solver \"rand\"" : "solver \"cascade\"";
  if (p.formulation != Formulation::c_svc) throw ParameterError(name + " is for formulation \"c_svc\"");
  if (p.early_level) throw ParameterError("early_level needs solver \"dc\" or \"auto\", got " + name);
}

const char* name_of(Formulation f) {
  switch (f) {
    case Formulation::c_svc: return "c_svc";
    case Formulation::nu_svc: return "nu_svc";
    case Formulation::one_class: return "one_class";
    case Formulation::epsilon_svr: return "epsilon_svr";
    case Formulation::nu_svr: return "nu_svr";
    case Formulation::kernel_ridge: return "kernel_ridge";
  }
  throw ParameterError("formulation is unknown: " + std::to_string(static_cast<int>(f)));
}

// What a formulation uses is in range; what it cannot follow is refused.
void check_formulation(const TrainParams& p) {
  const auto f = p.formulation;
  const std::string name = std::string("formulation \"") + name_of(f) + "\"";
  if (uses_C(f)) base::check_positive("C", p.C);
  if (uses_nu(f) && !(p.nu > 0 && p.nu <= 1)) base::reject("nu", "in (0, 1]", p.nu);
  if (f == Formulation::epsilon_svr && !(p.epsilon >= 0 && std::isfinite(p.epsilon)))
    base::reject("epsilon", "a finite number >= 0", p.epsilon);
  if (uses_nu(f) && !p.fit_intercept) throw ParameterError("fit_intercept: " + name + " always has an intercept");
  if (f != Formulation::c_svc && (p.balanced || !p.class_weight.empty()))
    throw ParameterError("class_weight is for formulation \"c_svc\"; " + name + " takes sample weights");
  if ((f == Formulation::nu_svc || f == Formulation::nu_svr) && (p.solver == SolverType::dc || p.early_level)) {
    throw ParameterError(std::string(p.early_level ? "early_level" : "solver \"dc\"") + ": " + name +
                         " cannot be divided: each cluster would have its own " + (f == Formulation::nu_svc ? "margin" : "tube"));
  }
  if (!is_classifier(f) && p.prediction == LevelPrediction::bcm)
    throw ParameterError("prediction \"bcm\" is of classifiers, got " + name);
}

}  // namespace

void check_params(const TrainParams& p) {
  if (p.formulation == Formulation::kernel_ridge) throw ParameterError("formulation \"kernel_ridge\" is trained by train_ridge");
  check_formulation(p);
  base::check_positive("tol", p.tol);
  base::check_positive("cache_size", p.cache_size);
  base::check_kernel(p.kernel, p.gamma_rule);
  check_levels(p);
  check_samples(p);
  if (p.max_iter < -1) base::reject("max_iter", "-1 (max(10^7, 100 n)) or >= 0", p.max_iter);
  if (p.n_threads < 0) base::reject("n_threads", ">= 0", p.n_threads);
  base::check_class_weight(p.class_weight, p.balanced);
}

}  // namespace dcsvm::svm
