#include "svm/multilevel/level.hpp"

#include <algorithm>
#include <utility>

#include "base/jobs.hpp"
#include "base/stop_reason.hpp"
#include "svm/multilevel/groups.hpp"
#include "svm/multilevel/sub_problem.hpp"

namespace dcsvm::multilevel {

namespace {

/// A sub-problem before its points are listed, and where its rho goes.
struct Task {
  Index cluster = 0;
  int positive = 0, negative = 1;
  std::size_t pair = 0;  ///< position among all pairs
  Index rho = -1;        ///< position in the cluster's rho; -1: the cluster lacks one class
  Index size = 0;
};

/// Totals over the sub-problems' last solves, without n_iter, which counts every solve.
void add_totals(const std::vector<qp::Result>& results, int threads, LevelOutcome& out) {
  std::vector<std::int64_t> bytes;
  bytes.reserve(results.size());
  for (const qp::Result& r : results) {
    out.report.objective += r.objective;
    out.report.violation = std::max(out.report.violation, r.violation);
    out.stop_reason = base::worse(out.stop_reason, r.stop_reason);
    bytes.push_back(r.peak_bytes);
  }
  out.peak_bytes += base::side_by_side_bytes(std::move(bytes), threads);
}

/// +1 or -1, the constant decision of least hinge loss: that of the class with more weight; ties to the lower class.
double heavier_class(const svm::BinaryProblem& problem) {
  double weight = 0.0;
  for (std::size_t i = 0; i < problem.points.size(); ++i) weight += problem.hi[i] + problem.lo[i];  // C_i or -C_i
  return weight >= 0.0 ? 1.0 : -1.0;
}

/// One level being solved.
template <class T>
class Level {
 public:
  Level(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const LevelRequest& request,
        const Options& options, std::vector<BiasSearch>& searches, std::vector<double>& coef, base::Context& context,
        const Progress& progress)
      : problem_(problem),
        rows_(rows),
        request_(request),
        options_(options),
        searches_(searches),
        coef_(coef),
        context_(context),
        progress_(progress),
        groups_(problem, *request.cluster_of, request.clusters) {}

  LevelOutcome run() {
    out_.clusters.resize(request_.clusters);
    for (Index c = 0; c < request_.clusters; ++c) {
      out_.report.sizes.push_back(groups_.cluster_size(c));
      plan_cluster(c, out_.clusters[c]);
    }
    qp::Result not_run;
    not_run.stop_reason = StopReason::cancelled;
    results_.assign(tasks_.size(), not_run);
    gradients_.resize(tasks_.size());
    const bool finished = solve_all();
    if (!finished) settle_cancelled();
    add_totals(results_, context_.pool->size(), out_);
    if (!finished) out_.stop_reason = StopReason::cancelled;
    return std::move(out_);
  }

 private:
  void plan_cluster(Index cluster, ClusterModel& model);
  bool solve_all();
  bool solve_open(const std::vector<char>& open);
  bool move_biases(std::vector<char>& open);
  void settle_cancelled();
  bool measure_all();
  void measure(std::size_t t, base::Context& context, const Progress& progress, KeptGradient* gradient);

  /// The task's points with their present coefficients.
  svm::BinaryProblem problem_of(const Task& task) const {
    return svm::make_pair_problem(task.positive, groups_.points(task.cluster, task.positive), task.negative,
                                  groups_.points(task.cluster, task.negative), problem_.upper, coef_.data(), problem_.targets);
  }

  SubProblemOptions options_for(const Task& task) const {
    SubProblemOptions how;
    how.mode = request_.mode;
    how.bias = searches_[task.pair].bias();
    how.tol = request_.tol;
    // Without an early level the whole problem is solved afterwards, and its solution verified.
    how.verify = options_.early_level ? qp::Verify::solution : qp::Verify::report;
    return how;
  }

  const svm::TrainingProblem& problem_;
  const kernel_matrix::RowSource<T>& rows_;
  const LevelRequest& request_;
  const Options& options_;
  std::vector<BiasSearch>& searches_;
  std::vector<double>& coef_;
  base::Context& context_;
  const Progress& progress_;
  const Groups groups_;
  std::vector<Task> tasks_;
  std::vector<qp::Result> results_;
  std::vector<KeptGradient> gradients_;  // from round to round: (n_classes - 1) x n numbers in all
  LevelOutcome out_;
};

/// The tasks of one cluster. BiasMode::own: pairs of which one class is absent get 0 instead.
template <class T>
void Level<T>::plan_cluster(Index cluster, ClusterModel& model) {
  const auto k = static_cast<int>(problem_.n_classes());
  const bool one_problem = problem_.classes.empty() && groups_.size(cluster, 0) > 0;
  for (int c = 0; c < k; ++c) {
    if (groups_.size(cluster, c) > 0 || one_problem) model.classes.push_back(c);
  }
  for (int a = 0; a < k; ++a) {
    for (int b = a + 1; b < k; ++b) {
      Task task{cluster, a,
                b,       static_cast<std::size_t>(data::pair_index(a, b, k)),
                -1,      groups_.size(cluster, a) + groups_.size(cluster, b)};
      if ((groups_.size(cluster, a) > 0 && groups_.size(cluster, b) > 0) || one_problem) {
        task.rho = static_cast<Index>(model.rho.size());
        model.rho.push_back(0.0);
      } else if (request_.mode == BiasMode::own) {
        svm::BinaryProblem one_sided = problem_of(task);
        std::fill(one_sided.beta.begin(), one_sided.beta.end(), 0.0);
        one_sided.store(problem_.n, coef_.data());
        continue;
      }
      if (task.size > 0) tasks_.push_back(task);
    }
  }
}

/// BiasMode::common: in rounds, between which each pair's bias moves. False: the host cancelled.
template <class T>
bool Level<T>::solve_all() {
  std::vector<char> open(searches_.size(), 1);  // pairs still to be solved
  for (BiasSearch& search : searches_) search.new_level();
  if (request_.mode != BiasMode::common) return solve_open(open);
  for (int round = 0; round < request_.rounds; ++round) {
    if (!solve_open(open)) return false;
    if (!move_biases(open)) break;
  }
  return measure_all();
}

template <class T>
bool Level<T>::solve_open(const std::vector<char>& open) {
  std::vector<base::Job> jobs;
  std::vector<std::size_t> which;
  jobs.reserve(tasks_.size());
  which.reserve(tasks_.size());
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    if (!open[tasks_[t].pair]) continue;
    jobs.push_back(base::solve_job(tasks_[t].size, sizeof(T), context_.cap_bytes));
    which.push_back(t);
  }
  const bool finished = base::run_jobs(jobs, progress_, context_, [&](Index j, base::Context& own, const Progress& now) {
    const std::size_t t = which[j];
    const Task& task = tasks_[t];
    SubProblemOptions how = options_for(task);
    if (request_.mode == BiasMode::common) {
      how.gradient = &gradients_[t];
      how.verify = qp::Verify::nothing;  // the last round's solution is measured
    }
    how.max_iter = request_.final ? options_.max_iter : warm_start_ceiling(task.size, options_.max_iter);
    svm::BinaryProblem problem = problem_of(task);
    results_[t] = solve_sub_problem(rows_, problem, options_, how, coef_, own, now);
    if (task.rho >= 0) out_.clusters[task.cluster].rho[task.rho] = 0.0 - results_[t].bias;
  });
  for (const std::size_t t : which) out_.report.n_iter += results_[t].n_iter;
  return finished;
}

/// Moves each open pair's bias towards balance; closes those that moved little. False: all are closed. The last round's step
/// serves the level above.
template <class T>
bool Level<T>::move_biases(std::vector<char>& open) {
  std::vector<double> sum(open.size(), 0.0), slope(open.size(), 0.0);
  for (const Task& task : tasks_) {
    if (!open[task.pair]) continue;
    const svm::BinaryProblem problem = problem_of(task);
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
      const double beta = problem.beta[i];
      sum[task.pair] += beta;
      const bool free = beta > problem.lo[i] && beta < problem.hi[i];
      if (free) slope[task.pair] += 1.0 / static_cast<double>(rows_.diagonal(problem.points[i]));
    }
  }
  bool any = false;
  for (std::size_t p = 0; p < open.size(); ++p) {
    if (!open[p]) continue;
    // A free variable alone moves by 1 / K(x,x) per unit of bias; with neighbours, by less.
    const double step = searches_[p].update(sum[p], 0.2 * slope[p]);
    open[p] = step > request_.bias_tol;
    any = any || open[p];
  }
  return any;
}

/// The host cancelled: sub-problems that were not solved get a feasible start, and a model of this level its biases.
template <class T>
void Level<T>::settle_cancelled() {
  for (std::size_t t = 0; t < tasks_.size() && request_.mode == BiasMode::own; ++t) {
    if (results_[t].stop_reason != StopReason::cancelled) continue;
    svm::BinaryProblem problem = problem_of(tasks_[t]);
    balance_start(options_.formulation, problem);
    problem.store(problem_.n, coef_.data());
  }
  if (!options_.early_level) return;  // the whole problem will be measured instead
  if (request_.mode == BiasMode::common) balance_pairs(problem_, coef_);
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    if (request_.mode == BiasMode::common || results_[t].stop_reason == StopReason::cancelled) {
      base::Context own = context_;
      own.cap_bytes = base::solve_job(tasks_[t].size, sizeof(T), context_.cap_bytes).cap_bytes;
      measure(t, own, progress_, nullptr);
    }
  }
}

/// BiasMode::common: what the report says of the solutions. False: the host cancelled.
template <class T>
bool Level<T>::measure_all() {
  std::vector<base::Job> jobs;
  jobs.reserve(tasks_.size());
  for (const Task& task : tasks_) jobs.push_back(base::solve_job(task.size, sizeof(T), context_.cap_bytes));
  return base::run_jobs(jobs, progress_, context_, [this](Index t, base::Context& own, const Progress& now) {
    measure(static_cast<std::size_t>(t), own, now, &gradients_[t]);
  });
}

/// Objective, violation and bias of a sub-problem as it stands, without a step. gradient: as it stands; null: unknown.
template <class T>
void Level<T>::measure(std::size_t t, base::Context& context, const Progress& progress, KeptGradient* gradient) {
  const Task& task = tasks_[t];
  const StopReason reason = results_[t].stop_reason;
  const std::int64_t peak_bytes = results_[t].peak_bytes;
  const bool solved = reason != StopReason::cancelled;
  SubProblemOptions how = options_for(task);
  if (solved) how.bias = results_[t].bias;
  how.max_iter = 0;
  how.gradient = gradient;
  svm::BinaryProblem problem = problem_of(task);
  results_[t] = solve_sub_problem(rows_, problem, options_, how, coef_, context, progress);
  results_[t].stop_reason = reason;
  results_[t].peak_bytes = std::max(results_[t].peak_bytes, peak_bytes);
  if (task.rho < 0) return;
  double bias = results_[t].bias;
  const bool guess = !solved && request_.mode != BiasMode::none && !problem_.classes.empty();
  if (guess && results_[t].n_support == 0) bias = heavier_class(problem);
  out_.clusters[task.cluster].rho[task.rho] = 0.0 - bias;
}

/// A pair on its support vectors.
svm::BinaryProblem support_problem(const svm::TrainingProblem& problem, int a, int b, const std::vector<double>& coef) {
  std::vector<Index> support[2];
  for (Index p = 0; p < problem.n; ++p) {
    const Index i = problem.order.empty() ? p : problem.order[p];
    const int own = problem.class_of[i];
    if (own != a && own != b) continue;
    if (coef[data::coef_row(own, own == a ? b : a) * problem.n + i] != 0.0) support[own == a ? 0 : 1].push_back(i);
  }
  return svm::make_pair_problem(a, support[0], b, support[1], problem.upper, coef.data(), problem.targets);
}

}  // namespace

std::int64_t warm_start_ceiling(Index size, std::int64_t max_iter) {
  const std::int64_t ceiling = 10000 + 100 * static_cast<std::int64_t>(size);  // large clusters together: LIBSVM's for all n
  return max_iter < 0 ? ceiling : std::min(max_iter, ceiling);
}

std::vector<Index> support_of(const std::vector<double>& coef, Index n) {
  std::vector<char> support(n, 0);
  for (std::size_t p = 0; p < coef.size(); ++p) {
    if (coef[p] != 0.0) support[p % static_cast<std::size_t>(n)] = 1;
  }
  std::vector<Index> points;
  for (Index i = 0; i < n; ++i) {
    if (support[i]) points.push_back(i);
  }
  return points;
}

void balance_pairs(const svm::TrainingProblem& problem, std::vector<double>& coef) {
  for (int a = 0; a < problem.n_classes(); ++a) {
    for (int b = a + 1; b < problem.n_classes(); ++b) {
      svm::BinaryProblem pair = support_problem(problem, a, b, coef);
      balance_start({}, pair);
      pair.store(problem.n, coef.data());
    }
  }
}

template <class T>
LevelOutcome solve_level(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows,
                         const LevelRequest& request, const Options& options, std::vector<BiasSearch>& searches,
                         std::vector<double>& coef, base::Context& context, const Progress& progress) {
  return Level<T>(problem, rows, request, options, searches, coef, context, progress).run();
}

template <class T>
LevelOutcome refine(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const Options& options,
                    std::vector<double>& coef, base::Context& context, const Progress& progress) {
  LevelOutcome out;
  out.report.sizes.push_back(static_cast<Index>(support_of(coef, rows.size()).size()));
  std::vector<svm::BinaryProblem> pairs;
  std::vector<base::Job> jobs;
  for (int a = 0; a < problem.n_classes(); ++a) {
    for (int b = a + 1; b < problem.n_classes(); ++b) {
      svm::BinaryProblem pair = support_problem(problem, a, b, coef);
      if (pair.points.empty()) continue;
      jobs.push_back(base::solve_job(pair.size(), sizeof(T), context.cap_bytes));
      pairs.push_back(std::move(pair));
    }
  }
  SubProblemOptions how;
  how.mode = options.formulation.fit_intercept ? BiasMode::own : BiasMode::none;
  how.tol = options.tol;
  how.keep_sum = true;
  std::vector<qp::Result> results(pairs.size());
  const bool finished = base::run_jobs(jobs, progress, context, [&](Index p, base::Context& own, const Progress& now) {
    SubProblemOptions its = how;
    its.max_iter = warm_start_ceiling(pairs[p].size(), options.max_iter);
    results[p] = solve_sub_problem(rows, pairs[p], options, its, coef, own, now);
  });
  for (const qp::Result& r : results) out.report.n_iter += r.n_iter;
  add_totals(results, context.pool->size(), out);
  if (!finished) out.stop_reason = StopReason::cancelled;
  return out;
}

#define DCSVM_INSTANTIATE(T)                                                                                                 \
  template LevelOutcome solve_level<T>(const svm::TrainingProblem&, const kernel_matrix::RowSource<T>&, const LevelRequest&, \
                                       const Options&, std::vector<BiasSearch>&, std::vector<double>&, base::Context&,       \
                                       const Progress&);                                                                     \
  template LevelOutcome refine<T>(const svm::TrainingProblem&, const kernel_matrix::RowSource<T>&, const Options&,           \
                                  std::vector<double>&, base::Context&, const Progress&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::multilevel
