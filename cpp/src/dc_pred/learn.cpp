#include "dc_pred/learn.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "base/jobs.hpp"
#include "base/stop_reason.hpp"
#include "dc_pred/leaf_training.hpp"
#include "dc_pred/model_data.hpp"
#include "dc_pred/support_leaves.hpp"
#include "dcsvm/predict.hpp"
#include "dcsvm/train.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr Index kLeastRows = 32;  // in a leaf

class Training {
 public:
  /// exact: whose support vectors are landmarks, or null. most_cost: of their model, or 0.
  Training(DcPredProblem problem, const DcPredParams& params, const Model* exact, double most_cost, base::Context& context)
      : problem_(std::move(problem)), params_(params), most_cost_(most_cost), context_(context) {
    model_.report.landmarks = name_of(exact == nullptr ? Landmarks::kmeans : Landmarks::support);
    model_.kernel = problem_.kernel;
    model_.pseudo = params.n_pseudo > 0 && exact == nullptr ? params.pseudo : PseudoLandmarks::none;
    model_.kind = feature_kind(model_.kernel, model_.pseudo);
    model_.n_features = problem_.rows.d;
    model_.classes = problem_.classes;
    model_.shift = problem_.shift;
    if (exact == nullptr) return;
    expansion_ = std::make_unique<SupportExpansion>(*exact->data(), problem_, context.cap_bytes, *context.pool);
    model_.report.n_support = expansion_->size();
    model_.report.violation = exact->report().violation;
    model_.report.stop_reason = exact->report().stop_reason;
  }

  DcPredModel run() {
    auto start = base::Clock::now();
    TreeOptions how;
    how.leaves = params_.n_leaves;
    how.least_rows = kLeastRows;
    GrownTree grown = grow_tree(problem_.rows, how, context_);
    model_.tree = std::move(grown.tree);
    model_.report.seconds["tree"] = base::seconds_since(start);
    start = base::Clock::now();
    train_leaves(grown);
    model_.report.seconds["leaves"] = base::seconds_since(start);
    finish(grown);
    return DcPredModel(std::make_shared<const DcPredData>(std::move(model_)));
  }

 private:
  static std::vector<Index> members(const GrownTree& grown, Index leaf) {
    return {grown.order.begin() + grown.first[leaf], grown.order.begin() + grown.first[leaf + 1]};
  }

  // A regression without intercept pulls also a constant towards 0.
  bool constant(const std::vector<Index>& rows) const {
    return (!problem_.regression() || params_.fit_intercept) && is_constant(problem_, rows);
  }

  void train_leaves(const GrownTree& grown) {
    const Index leaves = model_.tree.leaves();
    std::vector<LeafOutcome> outcomes(leaves);
    std::vector<SupportRanking> rankings(expansion_ ? leaves : 0);
    std::vector<base::Job> jobs(leaves);
    for (Index l = 0; l < leaves; ++l) {
      const auto rows = members(grown, l);
      outcomes[l].leaf = constant_leaf(problem_, rows);
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
        outcomes[l] = train_leaf(problem_, params_, rows, own, now);
      }
    });
    if (expansion_) build_support_leaves(grown, rankings, outcomes);
    for (auto& outcome : outcomes) {
      model_.report.n_support += outcome.n_support;
      model_.report.violation = std::max(model_.report.violation, outcome.violation);
      model_.report.stop_reason = base::worse(model_.report.stop_reason, outcome.stop_reason);
      model_.leaves.push_back(std::move(outcome.leaf));
    }
    if (!whole) model_.report.stop_reason = StopReason::cancelled;
  }

  /// Leaves of one class, and those that had no turn, have no ranking and stay as they are.
  void build_support_leaves(const GrownTree& grown, const std::vector<SupportRanking>& rankings,
                            std::vector<LeafOutcome>& outcomes) const {
    std::vector<Index> counts;
    counts.reserve(rankings.size());
    for (const auto& ranking : rankings) counts.push_back(ranking.count());
    if (most_cost_ > 0) {
      std::vector<double> shares;
      shares.reserve(rankings.size());
      for (Index l = 0; l < model_.tree.leaves(); ++l) shares.push_back(share(grown, l));
      counts = share_out(rankings, shares, model_.tree.depths(), most_cost_, [&](Index m) { return leaf_cost(m, 0); });
    }
    for (std::size_t l = 0; l < rankings.size(); ++l) {
      if (rankings[l].made) outcomes[l].leaf = expansion_->leaf(problem_, rankings[l], counts[l]);
    }
  }

  double share(const GrownTree& grown, Index leaf) const {
    return static_cast<double>(grown.first[leaf + 1] - grown.first[leaf]) / static_cast<double>(problem_.rows.n);
  }
  double leaf_cost(Index m, Index p) const {
    return dc_pred::leaf_cost(m, p, model_.n_features, model_.outputs(), model_.pseudo);
  }

  void finish(const GrownTree& grown) {
    DcPredReport& report = model_.report;
    const std::vector<int> depth = model_.tree.depths();
    report.n_leaves = model_.tree.leaves();
    for (Index l = 0; l < report.n_leaves; ++l) {
      const DcPredLeaf& leaf = model_.leaves[l];
      report.n_constant += leaf.basis.m == 0 ? 1 : 0;
      report.n_landmarks += leaf.basis.m;
      report.n_pseudo += leaf.basis.p;
      report.depth += share(grown, l) * depth[l];
      report.cost += share(grown, l) * (depth[l] + leaf_cost(leaf.basis.m, leaf.basis.p));
    }
    base::name_end(report, context_.monitor);
    report.gamma = problem_.kernel.gamma;
    report.isa = simd::active_isa();
    report.n_threads = context_.pool->size();
    report.seconds["total"] = base::seconds_since(context_.monitor->start());
  }

  DcPredProblem problem_;
  const DcPredParams& params_;
  double most_cost_;
  base::Context& context_;
  std::unique_ptr<SupportExpansion> expansion_;
  DcPredData model_;
};

}  // namespace

DcPredModel learn(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight, bool regression,
                  const Hooks& hooks, const Model* exact, double most_cost) {
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds);
  DcPredProblem problem = make_problem(x, y, params, sample_weight, regression, call.context);
  return Training(std::move(problem), params, exact, most_cost, call.context).run();
}

std::vector<double> answers(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks) {
  PredictOptions options;
  options.n_threads = params.n_threads;
  options.interrupted = hooks.interrupted;
  std::vector<double> labels(rows_of(x));
  predict(model, x, labels.data(), options);
  return labels;
}

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
  own.max_seconds = params.max_seconds;
  TrainInputs given;
  given.sample_weight = sample_weight;
  return train(x, y, own, given, hooks);
}

}  // namespace dcsvm::dc_pred
