#include "svm/multilevel/level.hpp"

#include <algorithm>

#include "base/jobs.hpp"
#include "svm/multilevel/groups.hpp"
#include "svm/multilevel/pair_problem.hpp"
#include "svm/problems/class_pairs.hpp"

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

PairProblem with_points(const Task& task, const Groups& groups) {
  PairProblem problem;
  problem.positive = task.positive;
  problem.negative = task.negative;
  groups.append(task.cluster, task.positive, problem.points);
  problem.n_positive = static_cast<Index>(problem.points.size());
  groups.append(task.cluster, task.negative, problem.points);
  return problem;
}

void clear(const PairProblem& problem, Index n, std::vector<double>& coef) {
  for (Index i = 0; i < static_cast<Index>(problem.points.size()); ++i) {
    const bool positive = i < problem.n_positive;
    const Index row =
        positive ? data::coef_row(problem.positive, problem.negative) : data::coef_row(problem.negative, problem.positive);
    coef[row * n + problem.points[i]] = 0.0;
  }
}

/// The tasks of one cluster. BiasMode::own: pairs of which one class is absent get 0 instead.
void plan_cluster(const Input& input, const Groups& groups, Index cluster, BiasMode mode, std::vector<double>& coef,
                  ClusterModel& model, std::vector<Task>& tasks) {
  const bool one_problem = input.one_problem() && groups.size(cluster, 0) > 0;
  for (int c = 0; c < input.n_classes; ++c) {
    if (groups.size(cluster, c) > 0 || one_problem) model.classes.push_back(c);
  }
  for (int a = 0; a < input.n_classes; ++a) {
    for (int b = a + 1; b < input.n_classes; ++b) {
      Task task;
      task.cluster = cluster;
      task.positive = a;
      task.negative = b;
      task.pair = static_cast<std::size_t>(data::pair_index(a, b, input.n_classes));
      task.size = groups.size(cluster, a) + groups.size(cluster, b);
      if ((groups.size(cluster, a) > 0 && groups.size(cluster, b) > 0) || one_problem) {
        task.rho = static_cast<Index>(model.rho.size());
        model.rho.push_back(0.0);
      } else if (mode == BiasMode::own) {
        clear(with_points(task, groups), static_cast<Index>(input.class_of->size()), coef);
        continue;
      }
      if (task.size > 0) tasks.push_back(task);
    }
  }
}

/// Totals over the sub-problems' last solves; iterations count every solve.
void merge(const std::vector<qp::Result>& results, int threads, LevelOutcome& out) {
  std::vector<std::int64_t> bytes;
  for (const qp::Result& r : results) {
    out.objective += r.objective;
    out.violation = std::max(out.violation, r.violation);
    if (r.stop_reason != StopReason::converged && out.stop_reason == StopReason::converged) out.stop_reason = r.stop_reason;
    bytes.push_back(r.peak_bytes);
  }
  std::sort(bytes.rbegin(), bytes.rend());
  bytes.resize(std::min(bytes.size(), static_cast<std::size_t>(threads)));
  for (const std::int64_t b : bytes) out.peak_bytes += b;
}

base::Job job_of(Index points, std::size_t value_bytes, std::size_t cap_bytes) {
  return {static_cast<double>(points) * static_cast<double>(points), base::job_cap(points, value_bytes, cap_bytes)};
}

/// One level being solved.
template <class T>
class Level {
 public:
  Level(const Input& input, const kernel_matrix::RowSource<T>& rows, const LevelRequest& request, const TrainParams& params,
        std::vector<BiasSearch>& searches, std::vector<double>& coef, base::Context& context, const Progress& progress)
      : input_(input),
        rows_(rows),
        request_(request),
        params_(params),
        searches_(searches),
        coef_(coef),
        context_(context),
        progress_(progress),
        groups_(input, *request.cluster_of, request.clusters) {}

  LevelOutcome run() {
    out_.clusters.resize(request_.clusters);
    for (Index c = 0; c < request_.clusters; ++c) {
      out_.sizes.push_back(groups_.cluster_size(c));
      plan_cluster(input_, groups_, c, request_.mode, coef_, out_.clusters[c], tasks_);
    }
    qp::Result not_run;
    not_run.stop_reason = StopReason::cancelled;
    results_.assign(tasks_.size(), not_run);
    gradients_.resize(tasks_.size());
    std::vector<char> open(searches_.size(), 1);  // pairs still to be solved
    for (BiasSearch& search : searches_) search.new_level();
    const int rounds = request_.mode == BiasMode::common ? request_.rounds : 1;
    bool finished = true;
    for (int round = 0; finished && round < rounds; ++round) {
      finished = solve_open(open);
      if (!finished || request_.mode != BiasMode::common || !move_biases(open, round + 1 < rounds)) break;
    }
    if (!finished) stop();
    merge(results_, context_.pool->size(), out_);
    if (!finished) out_.stop_reason = StopReason::cancelled;
    return std::move(out_);
  }

 private:
  bool solve_open(const std::vector<char>& open) {
    std::vector<base::Job> jobs;
    std::vector<std::size_t> which;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (!open[tasks_[t].pair]) continue;
      jobs.push_back(job_of(tasks_[t].size, sizeof(T), context_.cap_bytes));
      which.push_back(t);
    }
    const bool finished = base::run_jobs(jobs, progress_, context_, [&](Index j, base::Context& own, const Progress& now) {
      const std::size_t t = which[j];
      PairOptions how;
      how.mode = request_.mode;
      how.bias = searches_[tasks_[t].pair].bias();
      how.tol = request_.tol;
      if (request_.mode == BiasMode::common) how.gradient = &gradients_[t];
      how.max_iter = request_.final ? params_.max_iter : warm_start_ceiling(tasks_[t].size, params_.max_iter);
      results_[t] = solve_pair_problem(input_, rows_, with_points(tasks_[t], groups_), params_, how, coef_, own, now);
      if (tasks_[t].rho >= 0) out_.clusters[tasks_[t].cluster].rho[tasks_[t].rho] = -results_[t].bias;
    });
    for (const std::size_t t : which) out_.n_iter += results_[t].n_iter;
    return finished;
  }

  /// Moves each open pair's bias towards balance; closes those that moved little. False: all are closed. The last round's step
  /// serves the level above.
  bool move_biases(std::vector<char>& open, bool again) {
    std::vector<double> sum(open.size(), 0.0), free(open.size(), 0.0);
    for (const Task& task : tasks_) {
      if (!open[task.pair]) continue;
      const PairProblem problem = with_points(task, groups_);
      for (Index i = 0; i < static_cast<Index>(problem.points.size()); ++i) {
        const Index point = problem.points[i];
        const Index row =
            i < problem.n_positive ? data::coef_row(task.positive, task.negative) : data::coef_row(task.negative, task.positive);
        const double beta = coef_[row * rows_.size() + point];
        sum[task.pair] += beta;
        if (beta != 0.0 && std::abs(beta) < (*input_.upper)[point])
          free[task.pair] += 1.0 / static_cast<double>(rows_.diagonal(point));
      }
    }
    bool any = false;
    for (std::size_t p = 0; p < open.size(); ++p) {
      if (!open[p]) continue;
      // A free variable alone moves by 1 / K(x,x) per unit of bias; with neighbours, by less.
      const double step = searches_[p].update(sum[p], 0.2 * free[p]);
      open[p] = step > request_.bias_tol;
      any = any || open[p];
    }
    return any && again;
  }

  void stop() {
    for (std::size_t t = 0; t < tasks_.size() && request_.mode == BiasMode::own; ++t) {
      if (results_[t].stop_reason == StopReason::cancelled)
        balance_start(input_, with_points(tasks_[t], groups_), params_.nu, coef_);
    }
    if (!params_.early_level) return;  // the whole problem will be measured instead
    if (request_.mode == BiasMode::common) balance_pairs(input_, coef_);
    for (std::size_t t = 0; t < tasks_.size(); ++t) measure(t);
  }

  /// Objective, violation and bias of a sub-problem as it stands, without a step.
  void measure(std::size_t t) {
    const Task& task = tasks_[t];
    const bool solved = results_[t].stop_reason != StopReason::cancelled;
    PairOptions how;
    how.mode = request_.mode;
    how.bias = solved ? results_[t].bias : searches_[task.pair].bias();
    how.tol = request_.tol;
    how.max_iter = 0;
    base::Context own = context_;
    own.cap_bytes = job_of(task.size, sizeof(T), context_.cap_bytes).cap_bytes;
    const PairProblem problem = with_points(task, groups_);
    const StopReason reason = results_[t].stop_reason;
    results_[t] = solve_pair_problem(input_, rows_, problem, params_, how, coef_, own, progress_);
    results_[t].stop_reason = reason;
    if (task.rho < 0) return;
    double bias = results_[t].bias;
    const bool guess = !solved && request_.mode != BiasMode::none && !input_.one_problem();
    if (guess && results_[t].n_support == 0) bias = heavier_class(problem);
    out_.clusters[task.cluster].rho[task.rho] = -bias;
  }

  /// +1 or -1, the constant decision of least hinge loss: that of the class with more weight; ties to the lower class.
  double heavier_class(const PairProblem& problem) const {
    double weight = 0.0;
    for (Index i = 0; i < static_cast<Index>(problem.points.size()); ++i) {
      weight += (i < problem.n_positive ? 1.0 : -1.0) * (*input_.upper)[problem.points[i]];
    }
    return weight >= 0.0 ? 1.0 : -1.0;
  }

  const Input& input_;
  const kernel_matrix::RowSource<T>& rows_;
  const LevelRequest& request_;
  const TrainParams& params_;
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

/// The points of a pair, all or those with a coefficient.
PairProblem whole_pair(const Input& input, int a, int b, bool support_only, const std::vector<double>& coef) {
  const Index n = static_cast<Index>(input.class_of->size());
  PairProblem problem;
  problem.positive = a;
  problem.negative = b;
  for (const int own : {a, b}) {
    const double* row = coef.data() + data::coef_row(own, own == a ? b : a) * n;
    for (Index p = 0; p < n; ++p) {
      const Index i = point_at(input, p);
      if ((*input.class_of)[i] == own && takes_part(input, i) && (!support_only || row[i] != 0.0)) problem.points.push_back(i);
    }
    if (own == a) problem.n_positive = static_cast<Index>(problem.points.size());
  }
  return problem;
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

void balance_pairs(const Input& input, std::vector<double>& coef) {
  for (int a = 0; a < input.n_classes; ++a) {
    for (int b = a + 1; b < input.n_classes; ++b) balance_start(input, whole_pair(input, a, b, true, coef), 0.0, coef);
  }
}

template <class T>
LevelOutcome solve_level(const Input& input, const kernel_matrix::RowSource<T>& rows, const LevelRequest& request,
                         const TrainParams& params, std::vector<BiasSearch>& searches, std::vector<double>& coef,
                         base::Context& context, const Progress& progress) {
  return Level<T>(input, rows, request, params, searches, coef, context, progress).run();
}

template <class T>
LevelOutcome refine(const Input& input, const kernel_matrix::RowSource<T>& rows, const TrainParams& params,
                    std::vector<double>& coef, base::Context& context, const Progress& progress) {
  LevelOutcome out;
  out.sizes.push_back(static_cast<Index>(support_of(coef, rows.size()).size()));
  std::vector<PairProblem> problems;
  std::vector<base::Job> jobs;
  for (int a = 0; a < input.n_classes; ++a) {
    for (int b = a + 1; b < input.n_classes; ++b) {
      PairProblem problem = whole_pair(input, a, b, true, coef);
      if (problem.points.empty()) continue;
      jobs.push_back(job_of(static_cast<Index>(problem.points.size()), sizeof(T), context.cap_bytes));
      problems.push_back(std::move(problem));
    }
  }
  PairOptions how;
  how.mode = params.fit_intercept ? BiasMode::own : BiasMode::none;
  how.tol = params.tol;
  how.keep_sum = true;
  std::vector<qp::Result> results(problems.size());
  const bool finished = base::run_jobs(jobs, progress, context, [&](Index p, base::Context& own, const Progress& now) {
    PairOptions mine = how;
    mine.max_iter = warm_start_ceiling(static_cast<Index>(problems[p].points.size()), params.max_iter);
    results[p] = solve_pair_problem(input, rows, problems[p], params, mine, coef, own, now);
  });
  for (const qp::Result& r : results) out.n_iter += r.n_iter;
  merge(results, context.pool->size(), out);
  if (!finished) out.stop_reason = StopReason::cancelled;
  return out;
}

#define DCSVM_INSTANTIATE(T)                                                                                                  \
  template LevelOutcome solve_level<T>(const Input&, const kernel_matrix::RowSource<T>&, const LevelRequest&,                 \
                                       const TrainParams&, std::vector<BiasSearch>&, std::vector<double>&, base::Context&,    \
                                       const Progress&);                                                                      \
  template LevelOutcome refine<T>(const Input&, const kernel_matrix::RowSource<T>&, const TrainParams&, std::vector<double>&, \
                                  base::Context&, const Progress&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::multilevel
