#include "multilevel/level.hpp"

#include <algorithm>

#include "multilevel/pair_problem.hpp"
#include "multilevel/schedule.hpp"

namespace dcsvm::multilevel {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The points grouped by cluster, then class, ascending within.
class Groups {
 public:
  Groups(const Input& input, const std::vector<std::int32_t>& cluster_of, Index clusters)
      : classes_(input.n_classes), first_(at(clusters * classes_ + 1), 0) {
    const Index n = static_cast<Index>(cluster_of.size());
    const auto group = [&](Index i) { return cluster_of[at(i)] * classes_ + (*input.class_of)[at(i)]; };
    for (Index i = 0; i < n; ++i) {
      if (takes_part(input, i)) ++first_[at(group(i) + 1)];
    }
    for (std::size_t g = 1; g < first_.size(); ++g) first_[g] += first_[g - 1];
    points_.resize(at(first_.back()));
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (Index i = 0; i < n; ++i) {
      if (takes_part(input, i)) points_[at(next[at(group(i))]++)] = i;
    }
  }
  Index size(Index cluster, Index cls) const { return end(cluster, cls) - begin(cluster, cls); }
  Index cluster_size(Index cluster) const { return first_[at((cluster + 1) * classes_)] - first_[at(cluster * classes_)]; }
  void append(Index cluster, Index cls, std::vector<Index>& out) const {
    out.insert(out.end(), points_.begin() + begin(cluster, cls), points_.begin() + end(cluster, cls));
  }
  template <class F>
  void each(Index cluster, Index cls, F&& fn) const {
    for (Index p = begin(cluster, cls); p < end(cluster, cls); ++p) fn(points_[at(p)]);
  }

 private:
  Index begin(Index cluster, Index cls) const { return first_[at(cluster * classes_ + cls)]; }
  Index end(Index cluster, Index cls) const { return first_[at(cluster * classes_ + cls + 1)]; }

  Index classes_;
  std::vector<Index> first_, points_;
};

/// A sub-problem before its points are listed, and where its rho goes.
struct Task {
  Index cluster = 0;
  PairProblem problem;
  std::size_t rho = 0;  ///< position in the cluster's rho
};

void clear_pair(const Input& input, const Groups& groups, Index cluster, int own, int other, std::vector<double>& coef) {
  const Index n = static_cast<Index>(input.class_of->size());
  groups.each(cluster, own, [&](Index i) { coef[at(coef_row(own, other) * n + i)] = 0.0; });
}

/// The tasks of one cluster; pairs without a problem get 0.
void plan_cluster(const Input& input, const Groups& groups, Index cluster, bool bias, std::vector<double>& coef, ClusterModel& model,
                  std::vector<Task>& tasks) {
  std::vector<int> absent;
  for (int c = 0; c < input.n_classes; ++c) (groups.size(cluster, c) > 0 ? model.classes : absent).push_back(c);
  for (std::size_t a = 0; a < model.classes.size(); ++a) {
    for (std::size_t b = a + 1; b < model.classes.size(); ++b) {
      Task task;
      task.cluster = cluster;
      task.problem.positive = model.classes[a];
      task.problem.negative = model.classes[b];
      task.rho = model.rho.size();
      model.rho.push_back(0.0);
      tasks.push_back(std::move(task));
    }
    if (absent.empty()) continue;
    if (bias) {
      for (const int other : absent) clear_pair(input, groups, cluster, model.classes[a], other, coef);
      continue;
    }
    Task task;
    task.cluster = cluster;
    task.problem.positive = model.classes[a];
    task.problem.negative = -1;
    task.problem.partners = absent;
    tasks.push_back(std::move(task));
  }
}

void merge(const std::vector<solver::Result>& results, const std::vector<double>& copies, int threads, LevelOutcome& out) {
  std::vector<std::int64_t> bytes;
  for (std::size_t t = 0; t < results.size(); ++t) {
    const solver::Result& r = results[t];
    out.objective += copies[t] * r.objective;
    out.violation = std::max(out.violation, r.violation);
    out.n_iter += r.n_iter;
    if (r.stop_reason != StopReason::converged && out.stop_reason == StopReason::converged) out.stop_reason = r.stop_reason;
    bytes.push_back(r.peak_bytes);
  }
  std::sort(bytes.rbegin(), bytes.rend());
  bytes.resize(std::min(bytes.size(), static_cast<std::size_t>(threads)));
  for (const std::int64_t b : bytes) out.peak_bytes += b;
}

PairProblem with_points(const Task& task, const Groups& groups) {
  PairProblem problem = task.problem;
  groups.append(task.cluster, problem.positive, problem.points);
  problem.n_positive = static_cast<Index>(problem.points.size());
  if (problem.negative >= 0) groups.append(task.cluster, problem.negative, problem.points);
  return problem;
}

Job job_of(Index points, std::size_t value_bytes, std::size_t cap_bytes) {
  return {static_cast<double>(points) * static_cast<double>(points), job_cap(points, value_bytes, cap_bytes)};
}

}  // namespace

std::vector<Index> support_of(const std::vector<double>& coef, Index n) {
  std::vector<char> support(at(n), 0);
  for (std::size_t p = 0; p < coef.size(); ++p) {
    if (coef[p] != 0.0) support[p % at(n)] = 1;
  }
  std::vector<Index> points;
  for (Index i = 0; i < n; ++i) {
    if (support[at(i)]) points.push_back(i);
  }
  return points;
}

template <class T>
LevelOutcome solve_level(const Input& input, const rows::RowSource<T>& rows, const std::vector<std::int32_t>& cluster_of,
                         Index clusters, const TrainParams& params, double tol, std::vector<double>& coef, base::Context& context,
                         const Progress& progress) {
  const Groups groups(input, cluster_of, clusters);
  LevelOutcome out;
  out.clusters.resize(at(clusters));
  std::vector<Task> tasks;
  for (Index c = 0; c < clusters; ++c) {
    out.sizes.push_back(groups.cluster_size(c));
    plan_cluster(input, groups, c, params.fit_intercept, coef, out.clusters[at(c)], tasks);
  }
  std::vector<Job> jobs;
  std::vector<double> copies;
  for (const Task& task : tasks) {
    const bool one_sided = task.problem.negative < 0;
    const Index size = groups.size(task.cluster, task.problem.positive) + (one_sided ? 0 : groups.size(task.cluster, task.problem.negative));
    jobs.push_back(job_of(size, sizeof(T), context.cap_bytes));
    copies.push_back(one_sided ? static_cast<double>(task.problem.partners.size()) : 1.0);
  }
  solver::Result not_run;
  not_run.stop_reason = StopReason::cancelled;
  std::vector<solver::Result> results(tasks.size(), not_run);
  const bool finished = run_jobs(jobs, progress, context, [&](Index t, base::Context& own, const Progress& now) {
    const Task& task = tasks[at(t)];
    results[at(t)] = solve_pair_problem(input, rows, with_points(task, groups), params, tol, coef, own, now);
    if (task.problem.negative >= 0) out.clusters[at(task.cluster)].rho[task.rho] = -results[at(t)].bias;
  });
  merge(results, copies, context.pool->size(), out);
  if (!finished) {
    out.stop_reason = StopReason::cancelled;
    for (std::size_t t = 0; t < tasks.size() && params.fit_intercept; ++t) {
      if (results[t].stop_reason == StopReason::cancelled) balance_start(input, with_points(tasks[t], groups), coef);
    }
  }
  return out;
}

template <class T>
LevelOutcome refine(const Input& input, const rows::RowSource<T>& rows, const TrainParams& params, std::vector<double>& coef,
                    base::Context& context, const Progress& progress) {
  const Index n = rows.size();
  LevelOutcome out;
  out.sizes.push_back(static_cast<Index>(support_of(coef, n).size()));
  std::vector<PairProblem> problems;
  std::vector<Job> jobs;
  for (int a = 0; a < input.n_classes; ++a) {
    for (int b = a + 1; b < input.n_classes; ++b) {
      PairProblem problem;
      problem.positive = a;
      problem.negative = b;
      for (const int own : {a, b}) {
        const double* row = coef.data() + coef_row(own, own == a ? b : a) * n;
        for (Index i = 0; i < n; ++i) {
          if ((*input.class_of)[at(i)] == own && row[i] != 0.0) problem.points.push_back(i);
        }
        if (own == a) problem.n_positive = static_cast<Index>(problem.points.size());
      }
      if (problem.points.empty()) continue;
      jobs.push_back(job_of(static_cast<Index>(problem.points.size()), sizeof(T), context.cap_bytes));
      problems.push_back(std::move(problem));
    }
  }
  std::vector<solver::Result> results(problems.size());
  const bool finished = run_jobs(jobs, progress, context, [&](Index p, base::Context& own, const Progress& now) {
    results[at(p)] = solve_pair_problem(input, rows, problems[at(p)], params, params.tol, coef, own, now);
  });
  merge(results, std::vector<double>(results.size(), 1.0), context.pool->size(), out);
  if (!finished) out.stop_reason = StopReason::cancelled;
  return out;
}

#define DCSVM_INSTANTIATE(T)                                                                                                      \
  template LevelOutcome solve_level<T>(const Input&, const rows::RowSource<T>&, const std::vector<std::int32_t>&, Index,          \
                                       const TrainParams&, double, std::vector<double>&, base::Context&, const Progress&);        \
  template LevelOutcome refine<T>(const Input&, const rows::RowSource<T>&, const TrainParams&, std::vector<double>&,              \
                                  base::Context&, const Progress&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::multilevel
