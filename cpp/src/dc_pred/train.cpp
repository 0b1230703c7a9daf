// dcsvm/dc_pred.hpp: Algorithm 2 of Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines (NIPS 2014).
#include <algorithm>
#include <string>

#include "base/call.hpp"
#include "base/jobs.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "dc_pred/leaf_training.hpp"
#include "dc_pred/model_data.hpp"
#include "dc_pred/params.hpp"
#include "dc_pred/predict.hpp"
#include "dc_pred/support_leaves.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/resolve_kernel.hpp"
#include "simd/ops.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm {

namespace {

constexpr Index kLeastRows = 32;     // in a leaf

void copy_rows(const DataView& x, bool centred, const base::Context& context, dc_pred::DcPredProblem& problem) {
  const Index n = static_cast<Index>(problem.taking.size()), d = cols_of(x), stride = data::padded(d);
  const double bytes = 2.0 * static_cast<double>(n) * static_cast<double>(stride) * sizeof(float);  // in order of rows, of leaves
  if (bytes > static_cast<double>(context.cap_bytes)) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 64) +
                   " MB: the rows are held twice as dense float32");
  }
  std::vector<double> mean(d, 0.0);
  if (centred) {
    for (const Index i : problem.taking) data::column_sums(x, i, i + 1, mean.data(), nullptr);
  }
  problem.shift.assign(stride, 0.0F);
  for (Index k = 0; k < d; ++k) problem.shift[k] = static_cast<float>(mean[k] / static_cast<double>(n));
  problem.values = base::Buffer<float>(n * stride);
  problem.norms = base::Buffer<float>(n);
  context.pool->for_range(n, 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      float* row = problem.values.data() + i * stride;
      std::fill(row + d, row + stride, 0.0F);
      data::copy_rows(x, problem.taking.data() + i, 0, 1, row, stride);
      problem.norms[i] = simd::ops<float>().shift_row(row, problem.shift.data(), stride, row);
    }
  });
  problem.rows = {problem.values.data(), problem.norms.data(), n, d, stride};
}

/// The kernel of local models is as good around the mean; support vectors of a given model keep theirs, which only rbf values do
/// when all rows move.
bool centred(const dc_pred::DcPredProblem& problem, const DcPredParams& params) {
  return params.landmarks == Landmarks::kmeans || problem.kernel.type == KernelType::rbf;
}

class Training {
 public:
  /// exact: whose support vectors are landmarks, or null.
  Training(dc_pred::DcPredProblem problem, const DcPredParams& params, const Model* exact, base::Context& context)
      : problem_(std::move(problem)), params_(params), context_(context) {
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
    std::vector<base::Job> jobs(leaves);
    for (Index l = 0; l < leaves; ++l) {
      const auto rows = members(grown, l);
      outcomes[l].leaf = dc_pred::constant_leaf(problem_, rows);
      jobs[l] = base::solve_job(static_cast<Index>(rows.size()), sizeof(float), context_.cap_bytes);
    }
    Progress progress;
    progress.phase = "leaves";
    const bool whole = base::run_jobs(jobs, progress, context_, [&](Index l, base::Context& context, const Progress&) {
      const auto rows = members(grown, l);
      if (constant(rows)) return;
      base::Context own = context;
      own.seed = context_.seed + static_cast<std::uint64_t>(l);
      outcomes[l] =
          expansion_ ? expansion_->leaf(problem_, params_, rows, own) : dc_pred::train_leaf(problem_, params_, rows, own);
    });
    for (auto& outcome : outcomes) {
      model_.report.n_support += outcome.n_support;
      model_.report.violation = std::max(model_.report.violation, outcome.violation);
      if (outcome.stop_reason != StopReason::converged) model_.report.stop_reason = outcome.stop_reason;
      model_.leaves.push_back(std::move(outcome.leaf));
    }
    if (!whole) model_.report.stop_reason = StopReason::cancelled;
  }

  void finish(const dc_pred::GrownTree& grown) {
    DcPredReport& report = model_.report;
    const std::vector<int> depth = model_.tree.depths();
    report.n_leaves = model_.tree.leaves();
    for (Index l = 0; l < report.n_leaves; ++l) {
      const dc_pred::DcPredLeaf& leaf = model_.leaves[l];
      const double share = static_cast<double>(grown.first[l + 1] - grown.first[l]) / static_cast<double>(problem_.rows.n);
      report.n_constant += leaf.basis.m == 0 ? 1 : 0;
      report.n_landmarks += leaf.basis.m;
      report.n_pseudo += leaf.basis.p;
      report.depth += share * depth[l];
      report.cost += share * (depth[l] + dc_pred::leaf_cost(model_, leaf));
    }
    report.gamma = problem_.kernel.gamma;
    report.isa = simd::active_isa();
    report.n_threads = context_.pool->size();
    report.seconds["total"] = base::seconds_since(context_.monitor->start());
  }

  dc_pred::DcPredProblem problem_;
  const DcPredParams& params_;
  base::Context& context_;
  std::unique_ptr<dc_pred::SupportExpansion> expansion_;
  dc_pred::DcPredData model_;
};

/// What the two kinds of training have in common.
TrainParams train_params(const DcPredParams& params) {
  TrainParams same;
  same.kernel = params.kernel;
  same.gamma_rule = params.gamma_rule;
  same.class_weight = params.class_weight;
  same.balanced = params.balanced;
  return same;
}

/// C_i = C times class and sample weight; rows of weight 0 are left out.
dc_pred::DcPredProblem classification(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                                      base::Context& context) {
  const data::Summary summary(x);
  summary.check(*context.pool);
  const Index n = rows_of(x);
  data::check_labels(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  dc_pred::DcPredProblem problem;
  data::find_classes(y, n, problem.classes, problem.class_of);
  for (Index i = 0; sample_weight != nullptr && i < n; ++i) {
    if (sample_weight[i] == 0) problem.class_of[i] = -1;
  }
  const auto factor = data::class_factors(params.class_weight, params.balanced, problem.classes, problem.class_of);
  std::vector<bool> alive(problem.classes.size(), false);
  for (Index i = 0; i < n; ++i) {
    int& c = problem.class_of[i];
    if (c >= 0 && factor[c] == 0) c = -1;
    if (c < 0) continue;
    alive[c] = true;
    problem.taking.push_back(i);
    problem.upper.push_back(params.C * factor[c] * (sample_weight != nullptr ? sample_weight[i] : 1.0));
  }
  if (std::count(alive.begin(), alive.end(), true) < static_cast<std::ptrdiff_t>(alive.size()))
    throw DataError("y: a class has no row of positive weight");
  problem.kernel = kernels::resolve_kernel(summary, params.kernel, params.gamma_rule, *context.pool);
  copy_rows(x, centred(problem, params), context, problem);
  return problem;
}

/// C_i = w_i / (2 alpha): then 1/2 w'w + sum C_i (y_i - f_i)^2 is kernel ridge regression.
dc_pred::DcPredProblem regression(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                                  base::Context& context) {
  const data::Summary summary(x);
  summary.check(*context.pool);
  const Index n = rows_of(x);
  data::check_targets(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  dc_pred::DcPredProblem problem;
  problem.class_of.assign(n, -1);
  for (Index i = 0; i < n; ++i) {
    const double weight = sample_weight != nullptr ? sample_weight[i] : 1.0;
    if (weight == 0) continue;
    problem.class_of[i] = 0;
    problem.taking.push_back(i);
    problem.upper.push_back(weight / (2 * params.alpha));
    problem.targets.push_back(y[i]);
  }
  if (problem.taking.empty()) throw DataError("sample_weight: every row has weight 0");
  problem.kernel = kernels::resolve_kernel(summary, params.kernel, params.gamma_rule, *context.pool);
  copy_rows(x, centred(problem, params), context, problem);
  return problem;
}

DcPredModel learn(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs, const Model* exact,
                  bool numbers, const Hooks& hooks) {
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks);
  const auto prepare = numbers ? regression : classification;
  return Training(prepare(x, y, params, inputs.sample_weight, call.context), params, exact, call.context).run();
}

/// The model of all rows whose support vectors become landmarks.
Model exact_svm(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs, const Hooks& hooks) {
  TrainParams own = train_params(params);
  own.C = params.C;
  own.tol = params.tol;
  own.fit_intercept = params.fit_intercept;
  own.cache_size = params.cache_size;
  own.seed = params.seed;
  own.n_threads = params.n_threads;
  std::vector<double> classes;
  std::vector<int> class_of;
  data::check_labels(y, rows_of(x));
  data::find_classes(y, rows_of(x), classes, class_of);
  dc_pred::need_two_classes(classes.size());
  TrainInputs given;
  given.sample_weight = inputs.sample_weight;
  return train(x, y, own, given, hooks);
}

void run(const DcPredModel& model, const DataView& x, const PredictOptions& options, const data::Output& out) {
  constexpr double kPerRow = 5.0;  // kernel values that a row's walk down the tree and its landmarks are worth
  const auto& m = data::data_for(model, x);
  const double work = kPerRow * static_cast<double>(rows_of(x));
  data::run_prediction(x, work, options, [&](base::ThreadPool& pool) { dc_pred::decide(m, x, pool, out); });
}

}  // namespace

DcPredModel train_dc_pred(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                          const Hooks& hooks) {
  dc_pred::check_params(params);
  if (params.landmarks == Landmarks::support) {
    const Model exact = exact_svm(x, y, params, inputs, hooks);
    if (exact.report().stop_reason != StopReason::cancelled) return compress(exact, x, params, hooks);
    DcPredParams own = params;  // no support vectors to choose from: leaves that had no turn
    own.landmarks = Landmarks::kmeans;
    Hooks stopped = hooks;
    stopped.progress = [](const Progress&) { return true; };
    return learn(x, y, own, inputs, nullptr, false, stopped);
  }
  return learn(x, y, params, inputs, nullptr, false, hooks);
}

DcPredModel train_dc_pred_ridge(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                                const Hooks& hooks) {
  dc_pred::check_params(params);
  if (params.balanced || !params.class_weight.empty()) throw ParameterError("class_weight is of classifiers");
  if (params.landmarks == Landmarks::support)
    throw ParameterError("landmarks: for \"support\" compress a model of train_ridge or of another regression");
  return learn(x, y, params, inputs, nullptr, true, hooks);
}

DcPredModel compress(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks) {
  base::require_model(model.data());
  if (model.formulation() == Formulation::one_class)
    throw ParameterError("model cannot be compressed: it tells no classes apart and predicts no numbers");
  if (model.kernel().type == KernelType::precomputed)
    throw ParameterError("model cannot be compressed: its kernel is precomputed, so it has no input space");
  DcPredParams own = params;
  own.kernel = model.kernel();
  own.gamma_rule = GammaRule::value;
  if (is_classifier(model.formulation())) own.C = model.data()->C;
  dc_pred::check_params(own);
  const bool support = own.landmarks == Landmarks::support;
  if (support) {
    dc_pred::check_expansion(*model.data());
    own.class_weight.clear();  // they are in the model's coefficients
    own.balanced = false;
  }
  PredictOptions options;
  options.n_threads = params.n_threads;
  options.interrupted = hooks.interrupted;
  std::vector<double> labels(rows_of(x));
  predict(model, x, labels.data(), options);
  return learn(x, labels.data(), own, {}, support ? &model : nullptr, !is_classifier(model.formulation()), hooks);
}

void decision_function(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  data::Output output;
  output.decisions = out;
  run(model, x, options, output);
}

void predict(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  data::Output output;
  output.labels = out;
  run(model, x, options, output);
}

DcPredRow::DcPredRow(const DcPredModel& model) : data_(model.data()) {
  room_.resize(dc_pred::scratch_size(base::require_model(data_)) + data_->outputs());
}

void DcPredRow::decide(const float* x, float* out) noexcept { dc_pred::decide_row(*data_, x, room_.data(), out); }

double DcPredRow::predict(const float* x) noexcept {
  float* out = room_.data() + dc_pred::scratch_size(*data_);
  decide(x, out);
  return dc_pred::answer(*data_, out);
}

}  // namespace dcsvm
