// Ties the floors together: problem -> rows -> (multilevel) -> solver -> model.
#include "dcsvm/train.hpp"

#include <algorithm>
#include <numeric>

#include "base/context.hpp"
#include "base/jobs.hpp"
#include "clustering/clustering_kernel.hpp"
#include "data/spatial_order.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/class_segments.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/regions.hpp"
#include "simd/ops.hpp"
#include "svm/choose_solver.hpp"
#include "svm/early_model.hpp"
#include "svm/model/build_model.hpp"
#include "svm/multilevel/dc_svm.hpp"
#include "svm/params.hpp"
#include "svm/probability/calibrate.hpp"
#include "svm/problems/c_svc.hpp"
#include "svm/problems/class_pairs.hpp"
#include "svm/problems/nu_svc.hpp"
#include "svm/problems/training_problem.hpp"
#include "svm/single_problem.hpp"
#include "svm/solve_sampled.hpp"

namespace dcsvm {

namespace {

constexpr Index kSharedPair = 4000;  // mean pair size from which pairs run one by one and share rows
constexpr Index kFarFrom = 10000;    // rows, and
constexpr double kFarShare = 0.25;   // share of far pairs, from which regions are worth their tests

// What one training accumulates over its pairs and phases.
template <class T>
class Training {
 public:
  Training(const svm::TrainingProblem& problem, const TrainParams& params, base::Context& context)
      : problem_(problem), params_(params), context_(context), k_(problem.n_classes()) {
    const auto start = base::Clock::now();
    rows_ = kernel_matrix::make_kernel_rows<T>(*problem.x, problem.kernel, *context.pool);
    leave_out_far_points();
    coef_ = problem.start;
    if (coef_.empty()) coef_.assign((k_ - 1) * problem.n, 0.0);
    report_.seconds["prepare"] = base::seconds_since(start);
  }

  Model run() {
    const svm::Choice choice = svm::choose_solver(problem_, params_, *rows_, context_);
    report_.solver = svm::name_of(choice.solver);
    report_.solver_reason = choice.reason;
    svm::ModelData data;
    if (choice.samples()) {
      conquer_samples();
      data = exact();
    } else if (choice.dc()) {
      auto levels = divide();
      if (params_.early_level) {
        data = svm::early_model(problem_, solution(), levels);
      } else if (report_.stop_reason == StopReason::converged) {
        conquer();
        data = exact();
      } else {
        conquer_nothing();
        data = exact();
      }
    } else {
      conquer();
      data = exact();
    }
    if (params_.probability && !problem_.classes.empty() && !params_.early_level && !choice.samples())
      data.calibration = calibrate();
    return finish(std::move(data));
  }

 private:
  multilevel::Result divide() {
    const auto start = base::Clock::now();
    multilevel::Input input;
    input.formulation = params_.formulation;
    input.y = problem_.y;
    input.x = *problem_.x;
    input.kernel = problem_.kernel;
    input.class_of = &problem_.class_of;
    input.n_classes = static_cast<int>(k_);
    input.upper = &problem_.upper;
    input.order = order();
    input.start = problem_.start.empty() ? nullptr : &coef_;
    auto levels = multilevel::dc_svm(input, *rows_, params_, context_);
    coef_ = levels.coef;
    report_.levels = levels.levels;
    if (!levels.note.empty()) report_.solver_reason += "; " + levels.note;
    report_.stop_reason = levels.stop_reason;
    report_.objective = levels.objective;
    report_.violation = levels.violation;
    report_.n_iter = levels.n_iter;
    report_.n_kernel_values = levels.n_clustering_values;
    report_.peak_cache_bytes = levels.peak_bytes;
    report_.seconds["levels"] = base::seconds_since(start);
    return levels;
  }

  Calibration calibrate() {
    const auto start = base::Clock::now();
    Calibration calibration;
    if (report_.stop_reason != StopReason::cancelled) calibration = svm::calibrate_pairs(*rows_, problem_, params_, context_);
    if (calibration.empty()) report_.stop_reason = StopReason::cancelled;
    report_.seconds["calibrate"] = base::seconds_since(start);
    return calibration;
  }
  void leave_out_far_points();
  const std::vector<Index>* order() const { return order_.empty() ? nullptr : &order_; }
  // The whole problem from coef_: every pair's, or the only one.
  void conquer();
  void conquer_pairs(std::vector<svm::Solution>& results);
  void conquer_samples();
  // The host cancelled in the levels: measure the whole problem where they stopped, without a step.
  void conquer_nothing() {
    const StopReason reason = report_.stop_reason;
    stepless_ = true;
    conquer();
    report_.stop_reason = reason;
  }
  svm::Solution solve_pair(const kernel_matrix::RowSource<T>& rows, svm::Pair& pair, base::Context& context,
                           const Progress& progress, bool stepless);
  svm::Solution solve_subset(const kernel_matrix::RowSource<T>& rows, svm::Pair& pair, base::Context& context,
                             const Progress& progress);
  void conquer_in_order(const std::vector<std::vector<Index>>& members, Progress progress, std::vector<svm::Solution>& results);
  void collect(const std::vector<svm::Solution>& results);
  qp::Options options(bool stepless) const { return {tol(), stepless ? 0 : params_.max_iter, params_.shrinking}; }
  double tol() const { return svm::solver_tol(problem_, params_); }

  svm::OneVsOneSolution solution() const {
    return {*problem_.x, problem_.kernel.type == KernelType::precomputed, problem_.classes, problem_.class_of, coef_};
  }
  svm::ModelData exact() { return svm::build_expansion(solution(), rho_); }

  Model finish(svm::ModelData data) {
    data.formulation = params_.formulation;
    if (uses_nu(params_.formulation)) data.nu = params_.nu;
    if (params_.formulation == Formulation::epsilon_svr) data.epsilon = params_.epsilon;
    data.kernel = problem_.kernel;
    data.precision = problem_.precision;
    data.fit_intercept = params_.fit_intercept;
    data.prediction = params_.prediction;
    if (uses_C(params_.formulation)) data.C = params_.C;
    report_.n_support = static_cast<Index>(data.support.size());
    report_.n_kernel_values += rows_->n_values();
    report_.precision = problem_.precision == Precision::double_ ? "double" : "single";
    report_.gamma = problem_.kernel.gamma;
    report_.isa = simd::active_isa();
    report_.n_threads = context_.pool->size();
    report_.seconds["total"] = context_.monitor != nullptr ? base::seconds_since(context_.monitor->start()) : 0.0;
    data.report = std::move(report_);
    return Model(std::make_shared<const svm::ModelData>(std::move(data)));
  }

  const svm::TrainingProblem& problem_;
  const TrainParams& params_;
  base::Context& context_;
  Index k_;
  std::unique_ptr<kernel_matrix::RowSource<T>> rows_;
  std::vector<Index> order_;  // spatial, when far points are left out
  std::vector<double> coef_, rho_;
  Report report_;
  bool stepless_ = false;
};

// Under a local rbf kernel most pairs of points are so far apart that all their values together are below the tolerance: with
// sum |beta| <= sum C_i, leaving out values up to 0.01 tol / sum C_i moves no gradient by more than 0.01 tol. Each update adds
// its part to the reported violation.
template <class T>
void Training<T>::leave_out_far_points() {
  if (problem_.kernel.type != KernelType::rbf || problem_.n < kFarFrom || std::holds_alternative<CsrView>(problem_.x->view()))
    return;
  if (is_regression(params_.formulation)) return;  // doubled rows offer no regions
  if (params_.solver == SolverType::rand || params_.solver == SolverType::cascade) return;  // samples leave little to leave out
  const double negligible = 0.01 * params_.tol / std::accumulate(problem_.upper.begin(), problem_.upper.end(), 0.0);
  if (clustering::share_below(*rows_, negligible, context_) < kFarShare) return;
  rows_ = kernel_matrix::make_kernel_rows<T>(*problem_.x, problem_.kernel, *context_.pool, negligible);
  if (rows_->negligible() > 0.0) order_ = data::spatial_order(*problem_.x, kernels::region_size<T>(), *context_.pool);
}

// rows: the pair's own.
template <class T>
svm::Solution Training<T>::solve_pair(const kernel_matrix::RowSource<T>& rows, svm::Pair& pair, base::Context& context,
                                      const Progress& progress, bool stepless) {
  const auto how = options(stepless);
  if (params_.formulation == Formulation::nu_svc) {
    return svm::solve_nu_pair(rows, pair.sign.data(), pair.upper.data(), params_.nu, how, pair.beta.data(), context, progress);
  }
  return svm::solve_pair(rows, pair.sign.data(), pair.upper.data(), params_.fit_intercept, how, pair.beta.data(), context,
                         progress);
}

// rows: of all points.
template <class T>
svm::Solution Training<T>::solve_subset(const kernel_matrix::RowSource<T>& rows, svm::Pair& pair, base::Context& context,
                                        const Progress& progress) {
  const bool all = static_cast<Index>(pair.idx.size()) == rows.size() && std::is_sorted(pair.idx.begin(), pair.idx.end());
  if (all) return solve_pair(rows, pair, context, progress, stepless_);
  return solve_pair(*kernel_matrix::make_subset(rows, pair.idx), pair, context, progress, stepless_);
}

template <class T>
void Training<T>::conquer() {
  const auto start = base::Clock::now();
  std::vector<svm::Solution> results;
  if (problem_.classes.empty()) {
    Progress progress;
    progress.phase = "solve";
    progress.total = 1;
    results.push_back(svm::solve_one_problem(*rows_, problem_, params_, order(), options(stepless_), coef_, context_, progress));
  } else {
    conquer_pairs(results);
  }
  collect(results);
  report_.seconds["solve"] = base::seconds_since(start);
}

template <class T>
void Training<T>::conquer_pairs(std::vector<svm::Solution>& results) {
  const auto members = svm::members_of(problem_.class_of, static_cast<int>(k_), order());
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < k_; ++a) {
    for (int b = a + 1; b < k_; ++b) pairs.emplace_back(a, b);
  }
  results.resize(pairs.size());
  Progress progress;
  progress.phase = "solve";
  // Several pairs share the whole matrix when it fits half the cap and is worth its memory: all points are in k - 1 of them.
  const double matrix = static_cast<double>(problem_.n) * static_cast<double>(problem_.n) * sizeof(T);
  std::unique_ptr<kernel_matrix::RowSource<T>> stored;
  std::size_t cap = context_.cap_bytes;
  const bool costly = rows_->work_per_value() >= kernel_matrix::kShareWork;
  if (pairs.size() > 1 && costly && matrix < static_cast<double>(cap) / 2) {
    stored = kernel_matrix::make_stored_rows(*rows_, *context_.pool);
    cap -= static_cast<std::size_t>(matrix);
    report_.peak_cache_bytes = std::max(report_.peak_cache_bytes, static_cast<std::int64_t>(matrix));
  }
  const kernel_matrix::RowSource<T>& source = stored ? *stored : *rows_;
  if (!stored && pairs.size() > 1 && problem_.n * 2 / k_ >= kSharedPair) {
    return conquer_in_order(members, progress, results);
  }
  std::vector<base::Job> jobs(pairs.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const double n = static_cast<double>(members[pairs[p].first].size() + members[pairs[p].second].size());
    jobs[p].cost = n * n;
    jobs[p].cap_bytes = pairs.size() == 1 ? cap : base::job_cap(static_cast<Index>(n), sizeof(T), cap);
  }
  base::Context own = context_;
  own.cap_bytes = cap;
  std::vector<char> done(pairs.size(), 0);
  const auto solve = [&](Index j, base::Context& context, const Progress& now) {
    auto pair = svm::cut_pair(pairs[j].first, pairs[j].second, members, problem_.upper, coef_.data());
    results[j] = solve_subset(source, pair, context, now);
    svm::put_pair(pair, problem_.n, coef_.data());  // pairs write disjoint entries
    done[j] = 1;
  };
  base::run_jobs(jobs, progress, own, solve);
  // The host cancelled before some pairs had their turn: measure them where they are.
  for (Index j = 0; j < static_cast<Index>(pairs.size()); ++j) {
    if (done[j]) continue;
    stepless_ = true;
    own.cap_bytes = jobs[j].cap_bytes;
    solve(j, own, progress);
    results[j].stop_reason = StopReason::cancelled;
  }
}

template <class T>
void Training<T>::conquer_samples() {
  const auto start = base::Clock::now();
  std::string how;
  std::vector<svm::Solution> results;
  for (const auto& found : svm::solve_sampled(*rows_, problem_, params_, coef_, context_, how)) {
    results.push_back(found);
    report_.levels.insert(report_.levels.end(), found.rounds.begin(), found.rounds.end());
  }
  report_.solver_reason += "; " + how;
  collect(results);
  report_.seconds["solve"] = base::seconds_since(start);
}

// Large pairs one after another, each with all threads; rows within a class are kept while pairs of that class are left.
template <class T>
void Training<T>::conquer_in_order(const std::vector<std::vector<Index>>& members, Progress progress,
                                   std::vector<svm::Solution>& results) {
  base::Context own = context_;
  own.cap_bytes = context_.cap_bytes / 2;
  kernel_matrix::ClassSegments<T> store(*rows_, members, context_.cap_bytes - own.cap_bytes);
  progress.total = static_cast<Index>(results.size());
  for (int a = 0; a < k_; ++a) {
    for (int b = a + 1; b < k_; ++b) {
      auto pair = svm::cut_pair(a, b, members, problem_.upper, coef_.data());
      auto& result = results[data::pair_index(a, b, k_)];
      const bool cancelled = own.monitor != nullptr && own.monitor->cancelled();
      result = solve_pair(*store.pair(a, b), pair, own, progress, stepless_ || cancelled);
      if (cancelled) result.stop_reason = StopReason::cancelled;
      svm::put_pair(pair, problem_.n, coef_.data());
      ++progress.done;
    }
    store.drop(a);
  }
  std::int64_t solving = 0;
  for (const auto& r : results) solving = std::max(solving, r.peak_bytes);
  report_.peak_cache_bytes = std::max(report_.peak_cache_bytes, static_cast<std::int64_t>(store.peak_bytes()) + solving);
}

template <class T>
void Training<T>::collect(const std::vector<svm::Solution>& results) {
  report_.objective = report_.violation = 0;
  report_.stop_reason = StopReason::converged;
  const auto rank = [](StopReason r) {
    switch (r) {
      case StopReason::cancelled: return 4;
      case StopReason::max_iter: return 3;
      case StopReason::support_limit: return 2;
      case StopReason::stagnated: return 1;
      default: return 0;
    }
  };
  rho_.clear();
  for (const auto& r : results) {
    rho_.push_back(-r.bias);
    report_.problems.push_back({r.objective, r.violation, r.stop_reason, r.n_iter, r.n_support, r.n_bounded, r.r});
    report_.objective += r.objective;
    report_.violation = std::max(report_.violation, r.violation);
    report_.n_iter += r.n_iter;
    report_.peak_cache_bytes = std::max(report_.peak_cache_bytes, r.peak_bytes);
    if (rank(r.stop_reason) > rank(report_.stop_reason)) report_.stop_reason = r.stop_reason;
    report_.seconds["solve.rows"] += r.seconds_rows;
    report_.seconds["solve.inner"] += r.seconds_inner;
    report_.seconds["solve.select"] += r.seconds_select - r.seconds_rows;  // tiles are filled while selecting
    report_.seconds["solve.update"] += r.seconds_update;
  }
}

template <class T>
Model train_as(const svm::TrainingProblem& problem, const TrainParams& params, base::Context& context) {
  return Training<T>(problem, params, context).run();
}

}  // namespace

Model train(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs, const Hooks& hooks) {
  svm::check_params(params);
  base::Monitor monitor(hooks);
  base::ThreadPool pool(base::resolve_threads(params.n_threads), [&monitor] { monitor.poll(); });
  const data::Summary summary(x);
  const auto problem = svm::make_problem(summary, y, params, inputs, pool);
  base::Context context;
  context.pool = &pool;
  context.monitor = &monitor;
  context.seed = params.seed;
  context.cap_bytes = static_cast<std::size_t>(std::min(params.cache_size * 1048576.0, 0x1p60));  // 2^60: no machine has more
  Model model = problem.precision == Precision::double_ ? train_as<double>(problem, params, context)
                                                        : train_as<float>(problem, params, context);
  const bool more = params.probability && model.calibration().empty() && model.report().stop_reason != StopReason::cancelled;
  if (!more) return model;
  auto data = std::make_shared<svm::ModelData>(*model.data());
  const auto start = base::Clock::now();
  data->calibration = params.formulation == Formulation::one_class
                          ? svm::calibrate_one_class(model, x, {params.n_threads, hooks.interrupted})
                          : svm::calibrate_by_training(problem, y, params, inputs.sample_weight, hooks, pool);
  if (params.formulation != Formulation::one_class && data->calibration.empty()) data->report.stop_reason = StopReason::cancelled;
  data->report.seconds["calibrate"] = base::seconds_since(start);
  data->report.seconds["total"] = base::seconds_since(monitor.start());
  return Model(std::move(data));
}

}  // namespace dcsvm
