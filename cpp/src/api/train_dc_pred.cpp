// dcsvm/dc_pred.hpp: Algorithm 2 of Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines (NIPS 2014).
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "api/call.hpp"
#include "api/check_params.hpp"
#include "api/problem.hpp"
#include "approx/leaf_fit.hpp"
#include "approx/refine_landmarks.hpp"
#include "approx/weighted_kmeans.hpp"
#include "data/check.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "formulations/c_svc.hpp"
#include "formulations/one_vs_one.hpp"
#include "models/dc_pred_data.hpp"
#include "multilevel/schedule.hpp"
#include "predict/dc_pred.hpp"
#include "rows/kernel_rows.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr int kLandmarkRounds = 15;  // of Lloyd
constexpr Index kLeastRows = 32;     // in a leaf
constexpr double kWidths[] = {1.0, 0.25, 0.0625};  // of gamma, tried in each leaf

/// Rows that take part, moved by their mean, as float; and what they are to learn.
struct Problem {
  std::vector<double> classes;
  std::vector<int> class_of;     // of all rows of x; -1: takes no part
  std::vector<Index> taking;     // rows of x
  std::vector<double> upper;     // of `taking`: C_i
  KernelParams kernel;
  std::vector<float> shift;
  base::Buffer<float> values, norms;
  approx::DenseRows rows;        // row i is x's row taking[i]
};

void copy_rows(const DataView& x, const base::Context& context, Problem& problem) {
  const Index n = static_cast<Index>(problem.taking.size()), d = cols_of(x), stride = approx::padded(d);
  const double bytes = 2.0 * static_cast<double>(n) * static_cast<double>(stride) * sizeof(float);  // in order of rows, of leaves
  if (bytes > static_cast<double>(context.cap_bytes)) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 64) +
                   " MB: the rows are held twice as dense float32");
  }
  std::vector<double> mean(at(d), 0.0);
  for (const Index i : problem.taking) data::column_sums(x, i, i + 1, mean.data(), nullptr);
  problem.shift.assign(at(stride), 0.0F);
  for (Index k = 0; k < d; ++k) problem.shift[at(k)] = static_cast<float>(mean[at(k)] / static_cast<double>(n));
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

/// One leaf's training: rows, what they learn, and what comes of it.
class LeafTraining {
 public:
  LeafTraining(const Problem& problem, const DcPredParams& params, const std::vector<Index>& members, base::Context& context)
      : problem_(problem), params_(params), context_(context), random_(context.seed) {
    const auto n = static_cast<Index>(members.size()), stride = problem.rows.stride;
    values_ = base::Buffer<float>(n * stride);
    norms_ = base::Buffer<float>(n);
    for (Index i = 0; i < n; ++i) {
      const Index row = members[at(i)];
      std::copy_n(problem.rows.row(row), stride, values_.data() + i * stride);
      norms_[i] = problem.rows.norms[row];
      upper_.push_back(problem.upper[at(row)]);
      class_of_.push_back(problem.class_of[at(problem.taking[at(row)])]);
    }
    rows_ = {values_.data(), norms_.data(), n, problem.rows.d, stride};
  }

  struct Outcome {
    models::DcPredLeaf leaf;
    Index n_support = 0;
    double violation = 0;
    StopReason stop_reason = StopReason::converged;
  };

  /// The leaf without landmarks: its heaviest class.
  static models::DcPredLeaf constant(const Problem& problem, const std::vector<Index>& members) {
    std::vector<double> weight(problem.classes.size(), 0.0);
    for (const Index i : members) weight[at(problem.class_of[at(problem.taking[at(i)])])] += problem.upper[at(i)];
    const auto heaviest = std::max_element(weight.begin(), weight.end()) - weight.begin();
    models::DcPredLeaf leaf;
    if (weight.size() == 2) {
      leaf.intercept = {heaviest == 0 ? 1.0F : -1.0F};
    } else {
      leaf.intercept.assign(weight.size(), -1.0F);
      leaf.intercept[at(heaviest)] = 1.0F;
    }
    return leaf;
  }

  Outcome run() {
    Outcome outcome;
    const std::vector<double> weight = local_model(outcome);  // alpha^2
    outcome.n_support = std::count_if(weight.begin(), weight.end(), [](double w) { return w > 0; });
    std::vector<float> landmarks = approx::weighted_kmeans(rows_, weight, params_.n_landmarks, kLandmarkRounds, random_);
    const Index m = static_cast<Index>(landmarks.size()) / rows_.stride;
    set_targets();
    const float gamma = refine(landmarks);
    approx::LeafBasis basis = approx::make_basis(std::move(landmarks), m, rows_.d, rows_.stride, gamma);
    std::vector<Index> support;
    for (Index i = 0; i < rows_.n; ++i) {
      if (weight[at(i)] > 0) support.push_back(i);
    }
    approx::add_pseudo(params_.pseudo, params_.n_pseudo, rows_, support, random_, basis);
    outcome.leaf = fit(std::move(basis));
    return outcome;
  }

 private:
  /// Moves the landmarks, and picks how wide this leaf's features are: a dozen landmarks under a very local kernel leave most of
  /// a leaf uncovered. Eq. (5) makes the best of any features. Returns gamma.
  float refine(std::vector<float>& landmarks) {
    const auto own = static_cast<float>(problem_.kernel.gamma);
    if (params_.refine == 0 || problem_.kernel.type != KernelType::rbf) return own;
    approx::RefineProblem problem;
    problem.rows = rows_;
    problem.outputs = outputs_;
    problem.targets = targets_.data();
    problem.C = upper_.data();
    problem.fit_intercept = params_.fit_intercept;
    double best = std::numeric_limits<double>::infinity(), gamma = problem_.kernel.gamma;
    std::vector<float> start;
    for (const double scale : kWidths) {
      std::vector<float> trial = landmarks;
      problem.gamma = problem_.kernel.gamma * scale;
      const double value = approx::refine_landmarks(problem, (params_.refine + 3) / 4, *context_.pool, trial);
      if (!(value < best)) continue;
      best = value;
      gamma = problem.gamma;
      start = std::move(trial);
    }
    problem.gamma = gamma;
    landmarks = std::move(start);
    approx::refine_landmarks(problem, params_.refine, *context_.pool, landmarks);
    return static_cast<float>(gamma);
  }

  /// The leaf's C-SVM, one against one: sum of alpha_i^2 over the pairs.
  std::vector<double> local_model(Outcome& outcome) {
    const auto k = static_cast<Index>(problem_.classes.size());
    const auto members = formulations::members_of(class_of_, static_cast<int>(k));
    const auto source = rows::make_kernel_rows<float>(rows_.view(), problem_.kernel, *context_.pool);
    std::vector<double> weight(at(rows_.n), 0.0);
    solver::Options options;
    options.tol = params_.tol;
    for (int a = 0; a < k; ++a) {
      for (int b = a + 1; b < k; ++b) {
        if (members[at(a)].empty() || members[at(b)].empty()) continue;
        auto pair = formulations::cut_pair(a, b, members, upper_, nullptr);
        const auto subset = rows::make_subset(*source, pair.idx);
        const auto solution = formulations::solve_pair(*subset, pair.sign.data(), pair.upper.data(), params_.fit_intercept,
                                                       options, pair.beta.data(), context_, {});
        for (std::size_t i = 0; i < pair.idx.size(); ++i) weight[at(pair.idx[i])] += pair.beta[i] * pair.beta[i];
        outcome.violation = std::max(outcome.violation, solution.violation);
        if (solution.stop_reason != StopReason::converged) outcome.stop_reason = solution.stop_reason;
      }
    }
    return weight;
  }

  void set_targets() {
    outputs_ = problem_.classes.size() == 2 ? 1 : static_cast<Index>(problem_.classes.size());
    targets_.assign(at(outputs_ * rows_.n), -1.0);
    for (Index o = 0; o < outputs_; ++o) {
      for (Index i = 0; i < rows_.n; ++i) {
        if (class_of_[at(i)] == o) targets_[at(o * rows_.n + i)] = 1.0;
      }
    }
  }

  std::vector<double> sampled_kernel(const std::vector<Index>& sample) const {
    const auto n = static_cast<Index>(sample.size());
    const auto kernel = rows::make_cross_kernel<float>(rows_.view(), sample.data(), n, problem_.kernel);
    std::vector<float> queries(at(n * rows_.d)), block(at(n * n));
    data::copy_rows(rows_.view(), sample.data(), 0, n, queries.data(), rows_.d);
    kernel->block(dense(queries.data(), n, rows_.d), 0, n, 0, n, block.data(), n);
    return {block.begin(), block.end()};
  }

  /// Algorithm 1: Eq. (5) on a sample, then the linear problem on features C-bar L, L L' = W-bar; coefficients L w.
  models::DcPredLeaf fit(approx::LeafBasis basis) {
    const approx::FeatureKind kind = approx::feature_kind(problem_.kernel, params_.pseudo);
    const Index k = basis.m + basis.p, n = rows_.n;
    std::vector<Index> all(at(n));
    std::iota(all.begin(), all.end(), Index{0});
    const std::vector<Index> sample = base::sample(all, params_.sample_size, random_);
    const auto factor = approx::weight_factor(approx::feature_matrix(kind, basis, rows_, &sample), k, sampled_kernel(sample));
    const auto c = approx::feature_matrix(kind, basis, rows_);
    std::vector<double> mapped(at(n * factor.cols), 0.0);
    for (Index i = 0; i < n; ++i) {
      double* row = mapped.data() + i * factor.cols;
      for (Index j = 0; j < k; ++j) {
        const double value = c[at(i * k + j)];
        for (Index t = 0; t < factor.cols; ++t) row[t] += value * factor.values[at(j * factor.cols + t)];
      }
    }
    models::DcPredLeaf leaf;
    leaf.coef.assign(at(outputs_ * basis.width()), 0.0F);
    for (Index o = 0; o < outputs_; ++o) {
      approx::LinearFit problem{mapped.data(),         n,          factor.cols, targets_.data() + o * n, upper_.data(),
                                params_.fit_intercept, params_.tol};
      const std::vector<double> w = approx::fit_linear(problem);
      for (Index j = 0; j < k; ++j) {
        double beta = 0;
        for (Index t = 0; t < factor.cols; ++t) beta += factor.values[at(j * factor.cols + t)] * w[at(t)];
        const Index slot = j < basis.m ? j : approx::padded(basis.m) + j - basis.m;
        leaf.coef[at(o * basis.width() + slot)] = static_cast<float>(beta);
      }
      leaf.intercept.push_back(static_cast<float>(params_.fit_intercept ? w.back() : 0.0));
    }
    leaf.basis = std::move(basis);
    return leaf;
  }

  const Problem& problem_;
  const DcPredParams& params_;
  base::Context& context_;
  base::Random random_;
  base::Buffer<float> values_, norms_;
  approx::DenseRows rows_;
  std::vector<double> upper_, targets_;
  std::vector<int> class_of_;
  Index outputs_ = 1;
};

class Training {
 public:
  Training(Problem problem, const DcPredParams& params, base::Context& context)
      : problem_(std::move(problem)), params_(params), context_(context) {
    model_.kernel = problem_.kernel;
    model_.pseudo = params.n_pseudo > 0 ? params.pseudo : PseudoLandmarks::none;
    model_.kind = approx::feature_kind(model_.kernel, model_.pseudo);
    model_.n_features = problem_.rows.d;
    model_.classes = problem_.classes;
    model_.shift = problem_.shift;
  }

  DcPredModel run() {
    auto start = base::Clock::now();
    approx::TreeOptions how;
    how.leaves = params_.n_leaves;
    how.least_rows = kLeastRows;
    approx::GrownTree grown = approx::grow_tree(problem_.rows, how, context_);
    model_.tree = std::move(grown.tree);
    model_.report.seconds["tree"] = base::seconds_since(start);
    start = base::Clock::now();
    train_leaves(grown);
    model_.report.seconds["leaves"] = base::seconds_since(start);
    finish(grown);
    return DcPredModel(std::make_shared<const models::DcPredData>(std::move(model_)));
  }

 private:
  static std::vector<Index> members(const approx::GrownTree& grown, Index leaf) {
    return {grown.order.begin() + grown.first[at(leaf)], grown.order.begin() + grown.first[at(leaf + 1)]};
  }

  bool one_class(const std::vector<Index>& rows) const {
    const auto of = [&](Index i) { return problem_.class_of[at(problem_.taking[at(i)])]; };
    return std::all_of(rows.begin(), rows.end(), [&](Index i) { return of(i) == of(rows.front()); });
  }

  void train_leaves(const approx::GrownTree& grown) {
    const Index leaves = model_.tree.leaves();
    std::vector<LeafTraining::Outcome> outcomes(at(leaves));
    std::vector<multilevel::Job> jobs(at(leaves));
    for (Index l = 0; l < leaves; ++l) {
      const auto rows = members(grown, l);
      outcomes[at(l)].leaf = LeafTraining::constant(problem_, rows);
      const auto n = static_cast<double>(rows.size());
      jobs[at(l)] = {n * n, multilevel::job_cap(static_cast<Index>(rows.size()), sizeof(float), context_.cap_bytes)};
    }
    Progress progress;
    progress.phase = "leaves";
    const bool whole = multilevel::run_jobs(jobs, progress, context_, [&](Index l, base::Context& context, const Progress&) {
      const auto rows = members(grown, l);
      if (one_class(rows)) return;
      base::Context own = context;
      own.seed = context_.seed + static_cast<std::uint64_t>(l);
      outcomes[at(l)] = LeafTraining(problem_, params_, rows, own).run();
    });
    for (auto& outcome : outcomes) {
      model_.report.n_support += outcome.n_support;
      model_.report.violation = std::max(model_.report.violation, outcome.violation);
      if (outcome.stop_reason != StopReason::converged) model_.report.stop_reason = outcome.stop_reason;
      model_.leaves.push_back(std::move(outcome.leaf));
    }
    if (!whole) model_.report.stop_reason = StopReason::cancelled;
  }

  void finish(const approx::GrownTree& grown) {
    DcPredReport& report = model_.report;
    const std::vector<int> depth = model_.tree.depths();
    report.n_leaves = model_.tree.leaves();
    for (Index l = 0; l < report.n_leaves; ++l) {
      const models::DcPredLeaf& leaf = model_.leaves[at(l)];
      const double share =
          static_cast<double>(grown.first[at(l + 1)] - grown.first[at(l)]) / static_cast<double>(problem_.rows.n);
      report.n_constant += leaf.basis.m == 0 ? 1 : 0;
      report.n_landmarks += leaf.basis.m;
      report.n_pseudo += leaf.basis.p;
      report.depth += share * depth[at(l)];
      report.cost += share * (depth[at(l)] + models::leaf_cost(model_, leaf));
    }
    report.gamma = problem_.kernel.gamma;
    report.isa = simd::active_isa();
    report.n_threads = context_.pool->size();
    report.seconds["total"] = base::seconds_since(context_.monitor->start());
  }

  Problem problem_;
  const DcPredParams& params_;
  base::Context& context_;
  models::DcPredData model_;
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
Problem classification(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                       base::Context& context) {
  data::check_data(x, *context.pool);
  const Index n = rows_of(x);
  data::check_labels(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  Problem problem;
  api::find_classes(y, n, problem.classes, problem.class_of);
  for (Index i = 0; sample_weight != nullptr && i < n; ++i) {
    if (sample_weight[i] == 0) problem.class_of[at(i)] = -1;
  }
  const auto factor = api::class_factors(train_params(params), problem.classes, problem.class_of);
  std::vector<bool> alive(problem.classes.size(), false);
  for (Index i = 0; i < n; ++i) {
    int& c = problem.class_of[at(i)];
    if (c >= 0 && factor[at(c)] == 0) c = -1;
    if (c < 0) continue;
    alive[at(c)] = true;
    problem.taking.push_back(i);
    problem.upper.push_back(params.C * factor[at(c)] * (sample_weight != nullptr ? sample_weight[i] : 1.0));
  }
  if (std::count(alive.begin(), alive.end(), true) < static_cast<std::ptrdiff_t>(alive.size()))
    throw DataError("y: a class has no row of positive weight");
  problem.kernel = api::resolve_kernel(x, train_params(params), *context.pool);
  copy_rows(x, context, problem);
  return problem;
}

const models::DcPredData& checked(const DcPredModel& model, const DataView& x) {
  if (model.empty()) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  const models::DcPredData& m = *model.data();
  if (cols_of(x) != m.n_features) {
    throw DataError("X has " + std::to_string(cols_of(x)) + " features, but the model was trained with " +
                    std::to_string(m.n_features));
  }
  return m;
}

void run(const DcPredModel& model, const DataView& x, const PredictOptions& options, const prediction::Output& out) {
  const models::DcPredData& m = checked(model, x);
  const int n_threads = base::resolve_threads(options.n_threads);
  if (rows_of(x) == 0) return;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Monitor monitor(hooks);
  constexpr Index kWorthThreads = 20000;  // rows: a thread costs as much to start as some thousand decisions
  base::ThreadPool pool(rows_of(x) < kWorthThreads ? 1 : n_threads, [&] { monitor.poll(); });
  data::check_data(x, pool);
  prediction::decide(m, x, pool, out);
}

}  // namespace

DcPredModel train_dc_pred(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs,
                          const Hooks& hooks) {
  api::check_params(params);
  api::Call call(params.n_threads, params.seed, params.cache_size, hooks);
  return Training(classification(x, y, params, inputs.sample_weight, call.context), params, call.context).run();
}

DcPredModel compress(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks) {
  if (model.empty()) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  if (!is_classifier(model.formulation())) throw ParameterError("model cannot be compressed: it is not a classifier");
  if (model.kernel().type == KernelType::precomputed)
    throw ParameterError("model cannot be compressed: its kernel is precomputed, so it has no input space");
  DcPredParams own = params;
  own.kernel = model.kernel();
  own.gamma_rule = GammaRule::value;
  own.C = model.data()->C;
  api::check_params(own);
  PredictOptions options;
  options.n_threads = params.n_threads;
  options.interrupted = hooks.interrupted;
  std::vector<double> labels(at(rows_of(x)));
  predict(model, x, labels.data(), options);
  return train_dc_pred(x, labels.data(), own, {}, hooks);
}

void decision_function(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  prediction::Output output;
  output.decisions = out;
  run(model, x, options, output);
}

void predict(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options) {
  prediction::Output output;
  output.labels = out;
  run(model, x, options, output);
}

DcPredRow::DcPredRow(const DcPredModel& model) : data_(model.data()) {
  if (!data_) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  room_.resize(at(prediction::scratch_size(*data_) + data_->outputs()));
}

void DcPredRow::decide(const float* x, float* out) noexcept { prediction::decide_row(*data_, x, room_.data(), out); }

double DcPredRow::predict(const float* x) noexcept {
  float* out = room_.data() + prediction::scratch_size(*data_);
  decide(x, out);
  return prediction::answer(*data_, out);
}

}  // namespace dcsvm
