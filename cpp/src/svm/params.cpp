#include "svm/params.hpp"

#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "svm/train_sampled.hpp"

namespace dcsvm::svm {

namespace {

// What needs levels, or excludes them.
void check_levels(const TrainParams& p) {
  if (p.early_level && p.n_levels > 0 && *p.early_level > p.n_levels) {
    throw ParameterError("early_level must be <= n_levels = " + std::to_string(p.n_levels) + ", got " +
                         std::to_string(*p.early_level));
  }
  if (p.early_level && p.solver != SolverType::dc && p.solver != SolverType::automatic)
    throw ParameterError(std::string("early_level needs solver \"dc\" or \"auto\", got \"") + name_of(p.solver) + '"');
  if (p.early_level && p.clustering == ClusteringType::random) {
    throw ParameterError(
        "clustering \"random\" is a baseline for exact training: its clusters cannot route queries, which early_level needs");
  }
  if (p.prediction != LevelPrediction::early && !p.early_level) {
    throw ParameterError(std::string("prediction \"") + name_of(p.prediction) +
                         "\" is a way of early models to predict: it needs early_level");
  }
}

// What a formulation cannot follow.
void check_formulation(const TrainParams& p) {
  const auto f = p.formulation;
  const std::string name = std::string("formulation \"") + name_of(f) + "\"";
  if (p.quantile != 0 && f != Formulation::epsilon_svr)
    throw ParameterError("quantile is for formulation \"epsilon_svr\", got " + name);
  if (uses_nu(f) && !p.fit_intercept) throw ParameterError("fit_intercept: " + name + " always has an intercept");
  if (f != Formulation::c_svc && (p.balanced || !p.class_weight.empty()))
    throw ParameterError("class_weight is for formulation \"c_svc\"; " + name + " takes sample weights");
  if (f != Formulation::c_svc && solves_samples(p.solver))
    throw ParameterError(std::string("solver \"") + name_of(p.solver) + "\" is for formulation \"c_svc\"");
  if (!traits_of(f).divides && (p.solver == SolverType::dc || p.early_level)) {
    throw ParameterError(std::string(p.early_level ? "early_level" : "solver \"dc\"") + ": " + name +
                         " cannot be divided: each cluster would have its own " + (is_classifier(f) ? "margin" : "tube"));
  }
}

}  // namespace

void check_params(const TrainParams& p) {
  const auto f = p.formulation;
  if (f == Formulation::kernel_ridge) throw ParameterError("formulation \"kernel_ridge\" is trained by train_ridge");
  base::check_ranges(p, [&](std::string_view name) {
    if (name == "C") return uses_C(f);
    if (name == "nu") return uses_nu(f);
    return (name != "epsilon" && name != "quantile") || traits_of(f).epsilon;
  });
  base::check_kernel(p.kernel, p.gamma_rule);
  check_formulation(p);
  check_levels(p);
  if ((p.cascade_leaves & (p.cascade_leaves - 1)) != 0)
    throw ParameterError("cascade_leaves must be a power of two, got " + std::to_string(p.cascade_leaves));
  base::check_class_weight(p.class_weight, p.balanced);
}

}  // namespace dcsvm::svm
