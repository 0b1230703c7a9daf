// dcsvm/dc_pred.hpp: Algorithm 2 of Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines (NIPS 2014).
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "base/jobs.hpp"
#include "base/param_checks.hpp"
#include "base/require_model.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "dc_pred/leaf_training.hpp"
#include "dc_pred/model_data.hpp"
#include "dc_pred/model_selection.hpp"
#include "dc_pred/params.hpp"
#include "dc_pred/support_leaves.hpp"
#include "dcsvm/errors.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

constexpr Index kLeastRows = 32;  // in a leaf

class Training {
 public:
  /// exact: whose support vectors are landmarks, or null. most_cost: of their model, or 0.
  Training(dc_pred::DcPredProblem problem, const DcPredParams& params, const Model* exact, double most_cost,
           base::Context& context)
      : problem_(std::move(problem)), params_(params), most_cost_(most_cost), context_(context) {
    model_.report.landmarks = name_of(exact == nullptr ? Landmarks::kmeans : Landmarks::support);
    model_.kernel = problem_.kernel;
    model_.pseudo = params.n_pseudo > 0 && exact == nullptr ? params.pseudo : PseudoLandmarks::none;
    model_.kind = dc_pred::feature_kind(model_.kernel, model_.pseudo);
    model_.n_features = problem_.rows.d;
    model_.classes = problem_.classes;
    model_.shift = problem_.shift;
    if (exact == nullptr) return;
    expansion_ = std::make_unique<dc_pred::SupportExpansion>(*exact->data(), problem_, context.cap_bytes, *context.pool);
    model_.report.n_support = expansion_->size();
    model_.report.violation = exact->report().violation;
    model_.report.stop_reason = exact->report().stop_reason;
  }

  DcPredModel run() {
    auto start = base::Clock::now();
    dc_pred::TreeOptions how;
    how.leaves = params_.n_leaves;
    how.least_rows = kLeastRows;
    dc_pred::GrownTree grown = dc_pred::grow_tree(problem_.rows, how, context_);
    model_.tree = std::move(grown.tree);
    model_.report.seconds["tree"] = base::seconds_since(start);
    start = base::Clock::now();
    train_leaves(grown);
    model_.report.seconds["leaves"] = base::seconds_since(start);
    finish(grown);
    return DcPredModel(std::make_shared<const dc_pred::DcPredData>(std::move(model_)));
  }

 private:
  static std::vector<Index> members(const dc_pred::GrownTree& grown, Index leaf) {
    return {grown.order.begin() + grown.first[leaf], grown.order.begin() + grown.first[leaf + 1]};
  }

  // A regression without intercept pulls also a constant towards 0.
  bool constant(const std::vector<Index>& rows) const {
    return (!problem_.regression() || params_.fit_intercept) && dc_pred::is_constant(problem_, rows);
  }

  void train_leaves(const dc_pred::GrownTree& grown) {
    const Index leaves = model_.tree.leaves();
    std::vector<dc_pred::LeafOutcome> outcomes(leaves);
    std::vector<dc_pred::SupportRanking> rankings(expansion_ ? leaves : 0);
    std::vector<base::Job> jobs(leaves);
    for (Index l = 0; l < leaves; ++l) {
      const auto rows = members(grown, l);
      outcomes[l].leaf = dc_pred::constant_leaf(problem_, rows);
      jobs[l] = base::solve_job(static_cast<Index>(rows.size()), sizeof(float), context_.cap_bytes);
    }
    Progress progress;
    progress.phase = "leaves";
    const bool whole = base::run_jobs(jobs, progress, context_, [&](Index l, base::Context& context, const Progress& now) {
      const auto rows = members(grown, l);
      if (constant(rows)) return;
      base::Context own = context;
      own.seed = context_.seed + static_cast<std::uint64_t>(l);
      if (expansion_) {
        rankings[l] = expansion_->rank(problem_, params_, rows, own);
      } else {
        outcomes[l] = dc_pred::train_leaf(problem_, params_, rows, own, now);
      }
    });
    if (expansion_) build_support_leaves(grown, rankings, outcomes);
    for (auto& outcome : outcomes) {
      model_.report.n_support += outcome.n_support;
      model_.report.violation = std::max(model_.report.violation, outcome.violation);
      if (outcome.stop_reason != StopReason::converged) model_.report.stop_reason = outcome.stop_reason;
      model_.leaves.push_back(std::move(outcome.leaf));
    }
    if (!whole) model_.report.stop_reason = StopReason::cancelled;
  }

  /// Leaves of one class, and those that had no turn, have no ranking and stay as they are.
  void build_support_leaves(const dc_pred::GrownTree& grown, const std::vector<dc_pred::SupportRanking>& rankings,
                            std::vector<dc_pred::LeafOutcome>& outcomes) const {
    std::vector<Index> counts;
    counts.reserve(rankings.size());
    for (const auto& ranking : rankings) counts.push_back(ranking.count());
    if (most_cost_ > 0) {
      std::vector<double> shares;
      shares.reserve(rankings.size());
      for (Index l = 0; l < model_.tree.leaves(); ++l) shares.push_back(share(grown, l));
      counts = dc_pred::share_out(rankings, shares, model_.tree.depths(), most_cost_, [&](Index m) { return leaf_cost(m, 0); });
    }
    for (std::size_t l = 0; l < rankings.size(); ++l) {
      if (rankings[l].made) outcomes[l].leaf = expansion_->leaf(problem_, rankings[l], counts[l]);
    }
  }

  double share(const dc_pred::GrownTree& grown, Index leaf) const {
    return static_cast<double>(grown.first[leaf + 1] - grown.first[leaf]) / static_cast<double>(problem_.rows.n);
  }
  double leaf_cost(Index m, Index p) const {
    return dc_pred::leaf_cost(m, p, model_.n_features, model_.outputs(), model_.pseudo);
  }

  void finish(const dc_pred::GrownTree& grown) {
    DcPredReport& report = model_.report;
    const std::vector<int> depth = model_.tree.depths();
    report.n_leaves = model_.tree.leaves();
    for (Index l = 0; l < report.n_leaves; ++l) {
      const dc_pred::DcPredLeaf& leaf = model_.leaves[l];
      report.n_constant += leaf.basis.m == 0 ? 1 : 0;
      report.n_landmarks += leaf.basis.m;
      report.n_pseudo += leaf.basis.p;
      report.depth += share(grown, l) * depth[l];
      report.cost += share(grown, l) * (depth[l] + leaf_cost(leaf.basis.m, leaf.basis.p));
    }
    report.gamma = problem_.kernel.gamma;
    report.isa = simd::active_isa();
    report.n_threads = context_.pool->size();
    report.seconds["total"] = base::seconds_since(context_.monitor->start());
  }

  dc_pred::DcPredProblem problem_;
  const DcPredParams& params_;
  double most_cost_;
  base::Context& context_;
  std::unique_ptr<dc_pred::SupportExpansion> expansion_;
  dc_pred::DcPredData model_;
};

/// exact: whose support vectors become landmarks, or null. most_cost: of their model, or 0.
DcPredModel learn(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight, bool regression,
                  const Hooks& hooks, const Model* exact = nullptr, double most_cost = 0) {
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks);
  dc_pred::DcPredProblem problem = dc_pred::make_problem(x, y, params, sample_weight, regression, call.context);
  return Training(std::move(problem), params, exact, most_cost, call.context).run();
}

void check_all(const DcPredParams& params, const DcPredBudget& budget) {
  dc_pred::check_params(params);
  if (budget.cost != 0) base::check_number("budget", budget.cost, above(0), false);
}

std::vector<double> answers(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks) {
  PredictOptions options;
  options.n_threads = params.n_threads;
  options.interrupted = hooks.interrupted;
  std::vector<double> labels(rows_of(x));
  predict(model, x, labels.data(), options);
  return labels;
}

/// The model whose leaves sum over support vectors of `exact`, which predicts y; most_cost 0: as many as params say.
DcPredModel expand(const Model& exact, const DataView& x, const double* y, const DcPredParams& params, const Hooks& hooks,
                   double most_cost) {
  DcPredParams own = params;
  own.landmarks = Landmarks::support;
  own.kernel = exact.kernel();
  own.gamma_rule = GammaRule::value;
  own.class_weight.clear();  // they are in the model's coefficients
  own.balanced = false;
  const bool regression = !is_classifier(exact.formulation());
  return learn(x, y, own, nullptr, regression, hooks, &exact, most_cost);
}

/// The model of all rows whose support vectors become landmarks.
Model exact_svm(const DataView& x, const double* y, const double* sample_weight, const DcPredParams& params, const Hooks& hooks) {
  TrainParams own;
  own.kernel = params.kernel;
  own.gamma_rule = params.gamma_rule;
  own.class_weight = params.class_weight;
  own.balanced = params.balanced;
  own.C = params.C;
  own.tol = params.tol;
  own.fit_intercept = params.fit_intercept;
  own.cache_size = params.cache_size;
  own.seed = params.seed;
  own.n_threads = params.n_threads;
  TrainInputs given;
  given.sample_weight = sample_weight;
  return train(x, y, own, given, hooks);
}

std::size_t count_classes(const DataView& x, const double* y) {
  std::vector<double> classes;
  std::vector<int> class_of;
  data::check_labels(y, rows_of(x));
  data::find_classes(y, rows_of(x), classes, class_of);
  return classes.size();
}

/// Every leaf predicts its larger class.
DcPredModel cancelled(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                      const Hooks& hooks) {
  DcPredParams own = params;
  own.landmarks = Landmarks::kmeans;
  Hooks stopped = hooks;
  stopped.progress = [](const Progress&) { return true; };
  return learn(x, y, own, sample_weight, false, stopped);
}

dc_pred::Learners learners(bool regression) {
  dc_pred::Learners how;
  how.centres = [regression](const DataView& x, const double* y, const double* sample_weight, const DcPredParams& params,
                             const Hooks& hooks) { return learn(x, y, params, sample_weight, regression, hooks); };
  how.answers = answers;
  how.support = expand;
  return how;
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
    dc_pred::Learners how = learners(false);
    if (n_classes == 2) how.exact = exact_svm;
    return dc_pred::train_within(budget, x, y, inputs.sample_weight, false, params, hooks, how);
  }
  if (!support) return learn(x, y, params, inputs.sample_weight, false, hooks);
  const Model exact = exact_svm(x, y, inputs.sample_weight, params, hooks);
  if (exact.report().stop_reason == StopReason::cancelled) return cancelled(x, y, params, inputs.sample_weight, hooks);
  return expand(exact, x, answers(exact, x, params, hooks).data(), params, hooks, 0);
}

DcPredModel train_dc_pred_ridge(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                                const Hooks& hooks, const DcPredBudget& budget) {
  check_all(params, budget);
  if (params.balanced || !params.class_weight.empty()) throw ParameterError("class_weight is of classifiers");
  if (params.landmarks == Landmarks::support)
    throw ParameterError("landmarks: for \"support\" compress a model of train_ridge or of another regression");
  if (budget.cost == 0) return learn(x, y, params, inputs.sample_weight, true, hooks);
  return dc_pred::train_within(budget, x, y, inputs.sample_weight, true, params, hooks, learners(true));
}

DcPredModel compress(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks,
                     const DcPredBudget& budget) {
  base::require_model(model.data());
  if (model.formulation() == Formulation::one_class)
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
  const std::vector<double> labels = answers(model, x, params, hooks);
  if (budget.cost > 0) {
    dc_pred::Learners how = learners(regression);
    if (dc_pred::can_expand(*model.data())) {
      how.exact = [&](const DataView&, const double*, const double*, const DcPredParams&, const Hooks&) { return model; };
    }
    return dc_pred::train_within(budget, x, labels.data(), nullptr, regression, own, hooks, how);
  }
  if (own.landmarks == Landmarks::support) return expand(model, x, labels.data(), own, hooks, 0);
  return learn(x, labels.data(), own, nullptr, regression, hooks);
}

}  // namespace dcsvm
