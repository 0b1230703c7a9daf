// dcsvm::train: the caller's arrays, a solver, the solution as a model.
#include "dcsvm/train.hpp"

#include <algorithm>
#include <numeric>

#include "base/call.hpp"
#include "base/stop_reason.hpp"
#include "base/vectors.hpp"
#include "clustering/clustering_kernel.hpp"
#include "data/spatial_order.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/regions.hpp"
#include "svm/checkpoint.hpp"
#include "svm/choose_solver.hpp"
#include "svm/early_model.hpp"
#include "svm/fold_trainings.hpp"
#include "svm/model/build_model.hpp"
#include "svm/multilevel/dc_svm.hpp"
#include "svm/params.hpp"
#include "svm/probability/calibrate.hpp"
#include "svm/solve_pairs.hpp"
#include "svm/train.hpp"
#include "svm/train_sampled.hpp"
#include "svm/training_record.hpp"

namespace dcsvm {

namespace {

constexpr Index kFarFrom = 10000;  // rows from which looking for far points can save more than it costs
constexpr double kFarShare = 0.25;  // share of pairs of points that must be far for it

template <class T>
class Training {
 public:
  Training(svm::TrainingProblem& problem, const TrainParams& params, base::Context& context)
      : problem_(problem), params_(params), context_(context), coef_(problem.start), record_(problem, params) {
    const auto start = base::Clock::now();
    rows_ = kernel_matrix::make_summable_rows<T>(*problem.x, problem.kernel, context.cap_bytes / 2, *context.pool);
    leave_out_far_points();
    context_.cap_bytes -= std::min(rows_->bytes(), context.cap_bytes / 2);
    if (coef_.empty()) {
      const auto n = static_cast<std::size_t>((problem.n_classes() - 1) * problem.n);
      base::reserve_large(coef_, n);
      coef_.resize(n);
    }
    report_.seconds["prepare"] = base::seconds_since(start);
  }

  Model run() {
    const svm::Choice choice = svm::choose_solver(problem_, params_, *rows_, context_);
    report_.solver = svm::name_of(choice.solver);
    report_.solver_reason = choice.reason;
    if (choice.dc()) {
      const multilevel::Result levels = solve_levels();
      if (params_.early_level) return finish(svm::early_model(problem_, record_.of(coef_), levels));
      report_.stop_reason == StopReason::converged ? solve_whole(params_.max_iter) : measure_whole();
    } else {
      solve_whole(params_.max_iter);
    }
    svm::ModelData data = record_.expansion(coef_);
    if (params_.probability && !problem_.classes.empty()) data.calibration = calibrate();
    return finish(std::move(data));
  }

 private:
  void leave_out_far_points();
  multilevel::Result solve_levels();

  /// Every pair from coef_. max_iter 0: only measures.
  void solve_whole(std::int64_t max_iter) {
    const auto start = base::Clock::now();
    qp::Options options = svm::solver_options(problem_, params_);
    options.max_iter = max_iter;
    options.accepted_tol = params_.tol;
    const auto solutions =
        svm::solve_pairs(*rows_, problem_, svm::formulation_of(params_), options, coef_, context_, report_.peak_cache_bytes);
    base::reserve_large(report_.problems, solutions.size());
    for (const auto& found : solutions) record_.add(found);
    report_.seconds["solve"] = base::seconds_since(start);
  }

  /// After a cancel: measures the levels' coefficients on the whole problem, without a step.
  void measure_whole() {
    const StopReason reason = report_.stop_reason;
    solve_whole(0);
    report_.stop_reason = reason;
  }

  Calibration calibrate() {
    const auto start = base::Clock::now();
    Calibration calibration;
    if (report_.stop_reason != StopReason::cancelled)
      calibration = svm::calibrate_pairs(*rows_, problem_, params_, coef_, context_);
    if (calibration.empty()) report_.stop_reason = StopReason::cancelled;
    report_.seconds["calibrate"] = base::seconds_since(start);
    return calibration;
  }

  Model finish(svm::ModelData data) { return record_.finish(std::move(data), rows_->n_values(), rows_->bytes(), context_); }

  svm::TrainingProblem& problem_;
  const TrainParams& params_;
  base::Context& context_;
  std::unique_ptr<kernel_matrix::RowSource<T>> rows_;
  std::vector<double> coef_;
  svm::TrainingRecord record_;
  Report& report_ = record_.report;
};

// Under a local rbf kernel most pairs of points are so far apart that all their values together are below the tolerance: with
// sum |beta| <= sum C_i, leaving out values up to 0.01 tol / sum C_i moves no gradient by more than 0.01 tol. Each update adds
// its part to the reported violation. Where C_i are small, decision values are, and no value is left out that matters to these.
template <class T>
void Training<T>::leave_out_far_points() {
  // Rows of different clusters never meet.
  const Index together = params_.early_level ? problem_.n / multilevel::early_clusters(params_, problem_.n) : problem_.n;
  if (problem_.kernel.type != KernelType::rbf || together < kFarFrom || std::holds_alternative<CsrView>(problem_.x->view()))
    return;
  if (is_regression(params_.formulation)) return;  // doubled rows cannot leave values out
  constexpr double kSmall = 0.1;  // C_i
  const double largest = *std::max_element(problem_.upper.begin(), problem_.upper.end());
  const double sum = std::accumulate(problem_.upper.begin(), problem_.upper.end(), 0.0);
  const double negligible = 0.01 * params_.tol * std::min(1.0, largest / kSmall) / sum;
  if (clustering::share_below(*rows_, negligible, context_) < kFarShare) return;
  auto near = kernel_matrix::make_kernel_rows<T>(*problem_.x, problem_.kernel, *context_.pool, negligible);
  if (!(near->negligible() > 0.0)) return;
  rows_ = std::move(near);
  problem_.order = data::spatial_order(*problem_.x, kernels::region_size<T>(), *context_.pool);
}

template <class T>
multilevel::Result Training<T>::solve_levels() {
  const auto start = base::Clock::now();
  multilevel::Result levels = multilevel::dc_svm(problem_, *rows_, params_, context_);
  coef_ = levels.coef;
  problem_.start_sums = nullptr;  // they are of another start
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

template <class T>
Model train_as(svm::TrainingProblem& problem, const TrainParams& params, base::Context& context) {
  if (svm::solves_samples(params.solver)) return svm::train_sampled<T>(problem, params, context);
  return Training<T>(problem, params, context).run();
}

/// By a training for each of 5 folds. Nothing (empty) when the host cancels.
Calibration calibrate_by_training(const svm::TrainingProblem& problem, const double* y, const TrainParams& params,
                                  const double* sample_weight, const Hooks& hooks, base::Context& context) {
  const bool classifier = is_classifier(params.formulation);
  const auto folds = svm::calibration_folds(problem.class_of, classifier, params.seed);
  TrainParams own = params;
  own.kernel = problem.kernel;
  own.max_seconds = 0;  // the time of this call is what counts
  Index rows = 0;
  for (const Fold& fold : folds) rows += static_cast<Index>(fold.test.size());
  std::vector<double> held_out(rows * (classifier ? problem.n_pairs() : 1));
  bool cancelled = false;
  Hooks noted = hooks;
  if (hooks.progress || params.max_seconds > 0) {
    noted.progress = [&](const Progress& p) {
      return cancelled = cancelled || context.monitor->cancelled() || (hooks.progress && hooks.progress(p));
    };
  }
  try {
    svm::train_folds(*problem.x, y, own, {params.C}, {problem.kernel.gamma}, folds,
                     classifier ? HeldOut::decisions : HeldOut::predictions, held_out.data(), sample_weight, noted, context);
  } catch (const Interrupted&) {
    if (!cancelled) throw;
    return {};
  }
  return svm::calibrate_held_out(problem, y, folds, std::move(held_out));
}

/// Calibrates a model whose probabilities need further trainings or its own predictions.
Model calibrated(const Model& model, const svm::TrainingProblem& problem, const double* y, const TrainParams& params,
                 const TrainInputs& inputs, const Hooks& hooks, base::Call& call) {
  auto data = std::make_shared<svm::ModelData>(*model.data());
  const auto start = base::Clock::now();
  if (predicts_sides(params.formulation)) {
    std::vector<double> decisions(problem.n);
    decision_function(model, *problem.x, decisions.data(), {params.n_threads, hooks.interrupted});
    data->calibration = svm::calibrate_one_class(std::move(decisions));
  } else {
    data->calibration = calibrate_by_training(problem, y, params, inputs.sample_weight, hooks, call.context);
    if (data->calibration.empty()) data->report.stop_reason = call.monitor.named(StopReason::cancelled);
  }
  data->report.seconds["calibrate"] = base::seconds_since(start);
  data->report.seconds["total"] = base::seconds_since(call.monitor.start());
  return Model(std::move(data));
}

/// The last call of Hooks::progress: what the model's report says.
Model reported(Model model, base::Monitor& monitor) {
  const Report& report = model.report();
  Progress last{"done", 0, 1, 1, report.n_iter, report.violation, report.objective, 0, report.n_support};
  if (!base::was_ended(report.stop_reason)) monitor.progress(last, true);
  return model;
}

}  // namespace

Model svm::train_at(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs, const Hooks& hooks,
                    base::Place* place) {
  svm::check_params(params);
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds);
  const data::Summary summary(x);
  auto problem = svm::make_problem(summary, y, params, inputs, call.pool);
  svm::CallCheckpoint checkpoint(inputs, [&] {
    auto identity = svm::identity_of(x, y, params, inputs, problem.n_pairs() * problem.n, call.pool);
    identity.emplace_back("function", "train");
    return identity;
  });
  call.context.place = place != nullptr ? place : checkpoint.place();
  Model model = problem.solved_in == Precision::double_ ? train_as<double>(problem, params, call.context)
                                                        : train_as<float>(problem, params, call.context);
  const bool done = !params.probability || !model.calibration().empty();
  if (!done && !base::was_ended(model.report().stop_reason)) model = calibrated(model, problem, y, params, inputs, hooks, call);
  model = reported(std::move(model), call.monitor);
  if (!base::was_ended(model.report().stop_reason)) checkpoint.end();
  return model;
}

Model train(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs, const Hooks& hooks) {
  return svm::train_at(x, y, params, inputs, hooks, nullptr);
}

}  // namespace dcsvm
