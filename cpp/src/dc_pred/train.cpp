// dcsvm/dc_pred.hpp: Algorithm 2 of Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines (NIPS 2014).
#include <algorithm>
#include <vector>

#include "base/param_checks.hpp"
#include "base/require_model.hpp"
#include "base/stop_reason.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "dc_pred/learn.hpp"
#include "dc_pred/model_data.hpp"
#include "dc_pred/model_selection.hpp"
#include "dc_pred/params.hpp"
#include "dc_pred/support_leaves.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"

namespace dcsvm {

namespace {

constexpr double kNoTime = 1e-9;  // seconds: a limit that has passed

void check_all(const DcPredParams& params, const DcPredBudget& budget) {
  dc_pred::check_params(params);
  if (budget.cost == 0) return;
  base::check_number("budget", budget.cost, above(0), false);
  base::refuse_max_seconds(params.max_seconds, "the trials of a budget");
}

std::size_t count_classes(const DataView& x, const double* y) {
  std::vector<double> classes;
  std::vector<int> class_of;
  data::check_labels(y, rows_of(x));
  data::find_classes(y, rows_of(x), classes, class_of);
  return classes.size();
}

/// Every leaf predicts its larger class: what the training was ended for before it had leaves.
DcPredModel ended(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight, const Hooks& hooks,
                  StopReason why) {
  DcPredParams own = params;
  own.landmarks = Landmarks::kmeans;
  Hooks stopped = hooks;
  stopped.progress = [](const Progress&) { return true; };
  if (why == StopReason::time_limit) {
    own.max_seconds = kNoTime;
    stopped.progress = {};
  }
  return dc_pred::learn(x, y, own, sample_weight, false, stopped);
}

}  // namespace

DcPredModel train_dc_pred(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                          const Hooks& hooks, const DcPredBudget& budget) {
  check_all(params, budget);
  const bool support = params.landmarks == Landmarks::support,
             tried = budget.cost > 0 && params.landmarks == Landmarks::automatic;
  const std::size_t n_classes = support || tried ? count_classes(x, y) : 0;
  if (support) dc_pred::need_two_classes(n_classes);
  if (budget.cost > 0) {
    const auto exact = n_classes == 2 ? dc_pred::ExactModels::of_rows() : dc_pred::ExactModels::none();
    return dc_pred::train_within(budget, x, y, inputs.sample_weight, false, params, hooks, exact);
  }
  if (!support) return dc_pred::learn(x, y, params, inputs.sample_weight, false, hooks);
  const auto start = base::Clock::now();
  const Model exact = dc_pred::exact_svm(x, y, inputs.sample_weight, params, hooks);
  const StopReason why = exact.report().stop_reason;
  if (base::was_ended(why)) return ended(x, y, params, inputs.sample_weight, hooks, why);
  const std::vector<double> labels = dc_pred::answers(exact, x, params, hooks);
  DcPredParams rest = params;
  if (params.max_seconds > 0) rest.max_seconds = std::max(kNoTime, params.max_seconds - base::seconds_since(start));
  return dc_pred::expand(exact, x, labels.data(), rest, hooks, 0);
}

DcPredModel train_dc_pred_ridge(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                                const Hooks& hooks, const DcPredBudget& budget) {
  check_all(params, budget);
  if (params.balanced || !params.class_weight.empty()) throw ParameterError("class_weight is of classifiers");
  if (params.landmarks == Landmarks::support)
    throw ParameterError("landmarks: for \"support\" compress a model of train_ridge or of another regression");
  if (budget.cost == 0) return dc_pred::learn(x, y, params, inputs.sample_weight, true, hooks);
  return dc_pred::train_within(budget, x, y, inputs.sample_weight, true, params, hooks, dc_pred::ExactModels::none());
}

DcPredModel compress(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks,
                     const DcPredBudget& budget) {
  base::require_model(model.data());
  if (predicts_sides(model.formulation()))
    throw ParameterError("model cannot be compressed: it tells no classes apart and predicts no numbers");
  if (model.kernel().type == KernelType::precomputed)
    throw ParameterError("model cannot be compressed: its kernel is precomputed, so it has no input space");
  DcPredParams own = params;
  own.kernel = model.kernel();
  own.gamma_rule = GammaRule::value;
  if (is_classifier(model.formulation())) own.C = model.data()->C;
  check_all(own, budget);
  if (own.landmarks == Landmarks::support) dc_pred::check_expansion(*model.data());
  const bool regression = !is_classifier(model.formulation());
  const std::vector<double> labels = dc_pred::answers(model, x, params, hooks);
  if (budget.cost > 0) {
    const auto exact = dc_pred::can_expand(*model.data()) ? dc_pred::ExactModels::given(model) : dc_pred::ExactModels::none();
    return dc_pred::train_within(budget, x, labels.data(), nullptr, regression, own, hooks, exact);
  }
  if (own.landmarks == Landmarks::support) return dc_pred::expand(model, x, labels.data(), own, hooks, 0);
  return dc_pred::learn(x, labels.data(), own, nullptr, regression, hooks);
}

}  // namespace dcsvm
