// dcsvm/linear.hpp: training.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/jobs.hpp"
#include "base/stop_reason.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "linear/all_classes.hpp"
#include "linear/column_vectors.hpp"
#include "linear/method.hpp"
#include "linear/model_data.hpp"
#include "linear/params.hpp"
#include "linear/solve.hpp"
#include "linear/stop_detail.hpp"
#include "linear/training.hpp"
#include "linear_fit/one_class.hpp"
#include "linear_fit/stopping.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace linear {

namespace {

// Values of X may be rounded to float for the solvers where the tolerance is at least this share of the default.
constexpr double kRoundTol = 1e-2;  // what solvers leave is then far more than what the rounding (relative 6e-8) changes

constexpr double kPolishWork = 1e7;  // SolveOptions::polish, in values of X: some milliseconds

/// A training on data in memory.
class Training {
 public:
  Training(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs, LinearLabels labels,
           base::Context& context, std::vector<Path>* paths)
      : params_(params),
        inputs_(inputs),
        context_(context),
        data_(&data),
        labels_(std::move(labels)),
        y_(data.y),
        x_(&data.x),
        solver_x_(&data.solver_x()),
        solver_(params, data),
        method_(method_of(params, *x_)),
        paths_(paths) {
    model_.solver = params.solver;
    model_.n_features = x_->features();
    model_.bias = x_->has_bias() ? params.bias : -1.0;
    model_.classes = labels_.classes;
    model_.places = labels_.places();
  }

  LinearData run() {
    const Index vectors = n_vectors(model_);
    if (x_->rows_in_memory()) check_columns(params_, x_->cols(), labels_.classes.size(), small(*x_), context_.cap_bytes);
    if (vectors > 0) {
      if (inputs_.initial_w != nullptr) check_start(inputs_.initial_w, x_->cols(), vectors);
      switch (form_of(params_.solver, labels_.classes.size())) {
        case Form::rows: binary_problems(vectors); break;
        case Form::crammer_singer:
        case Form::softmax: all_classes(); break;
        case Form::one_class: one_class(); break;
      }
    }
    for (double& w : model_.w) w += 0.0;  // -0 becomes 0
    report();
    refuse_overflow();
    return std::move(model_);
  }

 private:
  double weight(Index i) const { return inputs_.sample_weight != nullptr ? inputs_.sample_weight[i] : 1.0; }
  double tol() const { return tol_of(params_); }
  SolveOptions options() const {
    SolveOptions o;
    o.tol = tol();
    o.max_iter = params_.max_iter;
    o.seed = params_.seed;
    o.C = price_of(params_);
    // No polishing where a start was given, by the caller or a search along C, which may be good enough already, nor without a
    // penalty, where there may be no optimum.
    if (std::isfinite(params_.C) && inputs_.initial_w == nullptr && paths_ == nullptr) o.polish = kPolishWork;
    return o;
  }
  std::vector<LinearProblemReport>& reports() { return model_.report.problems; }

  /// Class k against the rest (two classes: against the other), or the regression.
  Problem problem(Index k) const {
    const Index n = x_->rows();
    Problem p;
    p.x = solver_x_;
    p.loss = loss_of(params_.solver);
    p.penalty = penalty_of(params_);
    p.width = params_.epsilon;
    p.regularize_bias = params_.regularize_bias;
    p.y.resize(n);
    p.C.resize(n);
    const bool classes = is_classifier(params_.solver), two = labels_.classes.size() == 2;
    for (Index i = 0; i < n; ++i) {
      const bool positive = classes && labels_.class_of[i] == k;
      p.y[i] = classes ? (positive ? 1.0 : -1.0) : y_[i];
      const double factor = !classes ? 1.0 : positive || two ? labels_.factor[labels_.class_of[i]] : 1.0;
      p.C[i] = price_of(params_) * factor * weight(i);
      if (!std::isfinite(p.C[i])) throw ParameterError("C times weights overflows at row " + std::to_string(i));
    }
    return p;
  }

  /// The start that the caller gave for vector k; empty: none.
  std::vector<double> given_start(Index k, Index vectors) const {
    std::vector<double> start;
    if (inputs_.initial_w == nullptr) return start;
    start.resize(x_->cols());
    for (Index j = 0; j < x_->cols(); ++j) start[j] = inputs_.initial_w[j * vectors + k];
    return start;
  }

  /// Problems [begin, end), solved together.
  void binary_problems(Index begin, Index end, Index vectors, base::Context& context) {
    std::vector<Problem> problems;
    std::vector<SolveOptions> all;
    std::vector<std::vector<double>> starts;
    starts.reserve(end - begin);
    for (Index k = begin; k < end; ++k) {
      problems.push_back(problem(k));
      all.push_back(options());
      starts.push_back(given_start(k, vectors));
      if (!starts.back().empty()) all.back().start = &starts.back();
      if (paths_ != nullptr) all.back().path = &(*paths_)[k];
    }
    std::vector<Solution> solutions = solver_.solve(problems, all, context);
    std::vector<linear_fit::Certificate> found;
    if (problems.size() > 1 && paths_ == nullptr) {  // along C nearly no certificate is needed
      std::vector<Problem*> of;
      std::vector<Solution*> by;
      for (std::size_t t = 0; t < problems.size(); ++t) {
        of.push_back(&problems[t]);
        by.push_back(&solutions[t]);
      }
      found = certified(of, by, context);
    }
    for (Index k = begin; k < end; ++k) {
      const Index t = k - begin;
      settle(k, vectors, problems[t], solutions[t], found.empty() ? nullptr : &found[t], context);
    }
  }

  /// Keeps the solution of problem k where its certificate, computed from X itself, confirms it; else solves on from there with X
  /// first. known: the certificate, or null where it is still to be computed.
  void settle(Index k, Index vectors, Problem& p, Solution& s, const linear_fit::Certificate* known, base::Context& context) {
    if (paths_ != nullptr && s.stop_reason == StopReason::converged && s.violation + s.rounding <= s.limit) {
      LinearProblemReport brief;  // the bound of the rounding confirms it, and nobody reads the rest of the report
      brief.primal_objective = s.objective;
      return keep(k, vectors, s, brief);
    }
    linear_fit::Certificate found = known != nullptr ? *known : certified(p, s, context);
    double part = options().visit_part;
    for (int again = 0; found.report.stop_reason == StopReason::converged && !found.confirms; ++again) {
      if (again == linear_fit::kMostContinued) {
        found.report.stop_reason = StopReason::stagnated;
        break;
      }
      // The tolerance was met only on rounded values, or by decisions z to which many steps have added rounding errors; or the
      // rows meet it, but the gap says that this is not enough.
      const std::vector<double> w = std::move(s.w), alpha = std::move(s.alpha);
      SolveOptions o = options();
      if (solved_in_w(params_.solver, *x_)) {
        o.start = &w;
      } else if (s.w_is_sum) {
        o.start_alpha = &alpha;
        o.visit_part = part *= linear_fit::kTighter;
      }
      const LinearProblemReport before = found.report;
      s = std::move(solver_.solve({p}, {o}, context).front());
      s.n_iter += before.n_iter;
      s.n_inner += before.n_inner;
      s.initial_objective = before.initial_objective;
      s.initial_gradient_norm = before.initial_gradient_norm;
      found = certified(p, s, context);
    }
    if (linear_fit::gave_up(found.report.stop_reason)) try_zero(p, s, found.report, context);
    keep(k, vectors, s, found.report);
  }

  /// Takes w = 0 where that is the optimum, around which a solver finds nothing but rounding.
  void try_zero(const Problem& p, Solution& s, LinearProblemReport& report, base::Context& context) const {
    Solution zero;
    if (!linear_fit::zero_is_optimum(p, zero.alpha, *context.pool)) return;
    zero.w.assign(s.w.size(), 0.0);
    zero.n_iter = report.n_iter;
    zero.n_inner = report.n_inner;
    zero.initial_objective = report.initial_objective;
    zero.initial_gradient_norm = report.initial_gradient_norm;
    report = certificate(p, zero, *context.pool).report;
    report.stop_reason = StopReason::converged;
    s = std::move(zero);
  }

  void keep(Index k, Index vectors, const Solution& s, const LinearProblemReport& report) {
    for (Index j = 0; j < x_->cols(); ++j) model_.w[j * vectors + k] = s.w[j];
    reports()[k] = report;
  }

  /// The certificates of solutions on X itself, which is the problems' X from then on.
  std::vector<linear_fit::Certificate> certified(const std::vector<Problem*>& problems, const std::vector<Solution*>& solutions,
                                                 base::Context& context) const {
    std::vector<linear_fit::Candidate> all;
    for (std::size_t k = 0; k < problems.size(); ++k) {
      Problem& p = *problems[k];
      Solution& s = *solutions[k];
      // Without the rounding of X and of many small steps. Weights of columns in which no support vector has a value are exactly
      // 0.
      if (s.w_is_sum) x_->transposed(s.alpha.data(), s.w.data(), *context.pool);
      // A descent that visited the rows of X itself has compared them with the tolerance already.
      if (p.x == x_ && s.rule == linear_fit::Rule::rows) s.rule = linear_fit::Rule::none;
      p.x = x_;
      all.push_back({&p, &s});
    }
    return linear_fit::certificates(all, *context.pool);
  }
  linear_fit::Certificate certified(Problem& p, Solution& s, base::Context& context) const {
    return certified(std::vector<Problem*>{&p}, {&s}, context).front();
  }

  void binary_problems(Index vectors) {
    model_.w.assign(x_->cols() * vectors, 0.0);
    reports().resize(vectors);
    for (LinearProblemReport& r : reports()) r.stop_reason = StopReason::cancelled;
    const Index group = solver_.group_size(vectors, context_);
    if (group > 1 || vectors == 1 || !x_->rows_in_memory()) {  // not in memory: each problem has vectors of its own under the cap
      for (Index k = 0; k < vectors; k += group) binary_problems(k, std::min(vectors, k + group), vectors, context_);
      return;
    }
    // Passes over the data: enough to be worth a thread of its own, whatever the data. As many side by side as the cap allows.
    const auto held = static_cast<std::size_t>(column_bytes(x_->cols(), solver_vectors(params_, small(*x_))));
    const base::Job job{1e3 * static_cast<double>(x_->stored()),
                        std::max(context_.cap_bytes / static_cast<std::size_t>(vectors), held)};
    Progress progress;
    progress.phase = "classes";
    base::run_jobs(std::vector<base::Job>(vectors, job), progress, context_,
                   [&](Index k, base::Context& context, const Progress&) { binary_problems(k, k + 1, vectors, context); });
  }

  void all_classes() {
    AllClasses solved = solve_all_classes(*data_, params_, inputs_, labels_, options(), context_);
    reports() = {solved.report};
    method_ = solved.method;
    model_.w = std::move(solved.w);
  }

  void one_class() {
    linear_fit::OneClassProblem p{x_, {}, params_.nu};
    for (Index i = 0; i < x_->rows(); ++i) {
      if (weight(i) != 0 && weight(i) != 1) {
        throw DataError("sample_weight must be 0 or 1 for one_class, row " + std::to_string(i) +
                        " has another; repeat rows, or train the kernel SVM's one_class with a linear kernel, which has weights");
      }
      if (weight(i) > 0) p.rows.push_back(i);
    }
    if (p.rows.empty()) throw DataError("one_class needs at least one row of weight > 0");
    Solution s = solve_one_class(p, options(), context_);
    reports() = {certificate(p, s, *context_.pool).report};
    model_.w = std::move(s.w);
    model_.rho = s.rho;
  }

  void report() {
    LinearReport& r = model_.report;
    for (const LinearProblemReport& p : r.problems) {
      r.primal_objective += p.primal_objective;
      r.dual_objective += p.dual_objective;
      r.violation = std::max(r.violation, p.violation);
      r.gradient_norm = std::isnan(p.gradient_norm) ? p.gradient_norm : std::max(r.gradient_norm, p.gradient_norm);
      r.n_iter += p.n_iter;
      r.n_inner += p.n_inner;
      r.n_support += p.n_support;
      r.n_nonzero += p.n_nonzero;
      r.stop_reason = base::worse(r.stop_reason, p.stop_reason);
    }
    r.method = name_of(method_);
    r.stop_detail = stop_detail(model_, method_);
    r.tol = tol();
    r.isa = simd::active_isa();
  }

  // Where sums or products of X and C left the range of double, no weights can be trusted. A training that was cancelled before
  // its first step has none.
  void refuse_overflow() const {
    const LinearReport& r = model_.report;
    const bool judged = r.n_iter > 0 || r.stop_reason != StopReason::cancelled;
    const bool finite = std::isfinite(r.primal_objective) && std::isfinite(r.violation) &&
                        std::all_of(model_.w.begin(), model_.w.end(), [](double w) { return std::isfinite(w); });
    if (!judged || finite) return;
    std::ostringstream text;
    text << std::setprecision(3) << "the training left the range of float64 (objective " << r.primal_objective << ", violation "
         << r.violation << "): X, y, bias, the weights or C=" << params_.C
         << " is too large; scale X to values near 1, or lower C";
    throw DataError(text.str());
  }

  const LinearParams& params_;
  const LinearInputs& inputs_;
  base::Context& context_;
  const TrainingData* data_;
  LinearLabels labels_;
  const double* y_;
  const Matrix* x_;
  const Matrix* solver_x_;  // x_, or nearly
  ProblemSolver solver_;
  Method method_;
  std::vector<Path>* paths_;  // of the problems; or null
  LinearData model_;
};

}  // namespace

DataView checked(const DataView& x, const double* y, const LinearParams& params, const LinearInputs& inputs,
                 const base::Context& context) {
  data::check_given(x);
  // As little as it can be: the classes and the values are known later, but X by columns is made first.
  check_columns(params, cols_of(x), 2, false, context.cap_bytes);
  if (rows_of(x) > 0) data::check_data(x, *context.pool);
  if (inputs.sample_weight != nullptr) data::check_weights(inputs.sample_weight, rows_of(x));
  if (is_regression(params.solver)) data::check_targets(y, rows_of(x));
  return x;
}

TrainingData::TrainingData(const DataView& view, const double* targets, const LinearParams& params, const LinearInputs& inputs,
                           base::Context& context)
    : y(targets),
      matrix(std::make_unique<const Matrix>(checked(view, targets, params, inputs, context),
                                            params.solver == LinearSolver::one_class ? -1.0 : params.bias, context.cap_bytes,
                                            *context.pool)),
      x(*matrix) {
  if (!small(x)) compact = x.compact(tol_of(params) >= kRoundTol * default_tol(params.solver), context.cap_bytes, *context.pool);
  if (has_l1(params) && !forms_hessian(params.solver, x)) {
    const bool centred = params.solver == LinearSolver::multinomial && params.bias >= 0 && !params.regularize_bias;
    columns = std::make_unique<products::Columns>(solver_x(), context.cap_bytes, *context.pool, centred);
  }
}

LinearData train_on(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs, LinearLabels labels,
                    base::Context& context, std::vector<Path>* paths) {
  return Training(data, params, inputs, std::move(labels), context, paths).run();
}

void finish_report(LinearReport& report, const TrainingData& data, double data_seconds, base::Call& call) {
  const double total = base::seconds_since(call.monitor.start());
  report.seconds = {{"data", data_seconds}, {"solve", total - data_seconds}, {"total", total}};
  report.peak_cache_bytes = static_cast<std::int64_t>(data.bytes());
  report.n_threads = call.pool.size();
  base::name_end_of_each(report, &call.monitor);
  if (base::was_ended(report.stop_reason)) return;
  Progress last{"done", 0, 1, 1, report.n_iter, report.violation, report.primal_objective, 0, report.n_support};
  call.monitor.progress(last, true);
}

LinearLabels labels_for(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs) {
  return is_classifier(params.solver) ? make_labels(data.y, data.x.rows(), params, inputs) : LinearLabels();
}

}  // namespace linear

LinearModel train_linear(const DataView& x, const double* y, const LinearParams& params, const LinearInputs& inputs,
                         const Hooks& hooks) {
  linear::check_params(params, inputs);
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds);
  const linear::TrainingData data(x, y, params, inputs, call.context);
  const double data_seconds = base::seconds_since(call.monitor.start());
  linear::LinearData model = linear::train_on(data, params, inputs, linear::labels_for(data, params, inputs), call.context);
  linear::finish_report(model.report, data, data_seconds, call);
  return LinearModel(std::make_shared<const linear::LinearData>(std::move(model)));
}

}  // namespace dcsvm
