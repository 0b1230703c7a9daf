#include "svm/multilevel/dc_svm.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/jobs.hpp"
#include "dcsvm/errors.hpp"
#include "svm/multilevel/bias_search.hpp"
#include "svm/multilevel/level.hpp"

namespace dcsvm::multilevel {

namespace {

constexpr Index kBottomSize = 2000;  ///< points of a bottom cluster: its kernel matrix stays near the cache
/// Levels of fewer clusters are left out when n_levels is 0: refining does their work, on fewer points.
constexpr Index kFewestClusters = 16;
constexpr int kRounds = 3;           ///< solves of a level's clusters in search of the common bias
constexpr int kLastRounds = 8;
constexpr double kBiasTol = 0.05;

/// k^level, or n + 1 when that is more than n.
Index power(Index k, int level, Index n) {
  Index clusters = 1;
  for (int l = 0; l < level; ++l) {
    if (clusters > n / k) return n + 1;
    clusters *= k;
  }
  return clusters;
}

/// A run in progress.
template <class T>
class Run {
 public:
  Run(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const Options& options,
      base::Context& context)
      : problem_(problem),
        rows_(rows),
        options_(options),
        context_(context),
        partitioner_(*problem.x, problem.kernel, rows, options, context) {
    const std::size_t k = static_cast<std::size_t>(problem.n_classes()), n = static_cast<std::size_t>(problem.n);
    result_.coef = problem.start.empty() ? std::vector<double>((k - 1) * n, 0.0) : problem.start;
    for (Index i = 0; i < problem.n; ++i) {
      if (problem.class_of[i] >= 0) points_.push_back(i);
    }
    const bool common = partitioner_.local() && !problem.classes.empty();
    if (options.formulation.fit_intercept) mode_ = common ? BiasMode::common : BiasMode::own;
    searches_.resize(k * (k - 1) / 2);
  }

  Result run() {
    const Index n = static_cast<Index>(points_.size());
    const int bottom = resolve_levels(options_, n);
    last_level_ = resolve_last_level(options_, bottom, n);
    result_.note = note();
    for (int level = bottom; level >= last_level_ && !cancelled(); --level) run_level(level, level == bottom);
    if (mode_ == BiasMode::common && !options_.early_level) balance_pairs(problem_, result_.coef);
    if (!options_.early_level && !cancelled()) {
      run_refine();
      if (!cancelled()) result_.stop_reason = StopReason::converged;  // a start need not be solved to the end
    }
    result_.n_clustering_values = partitioner_.n_values();
    return std::move(result_);
  }

 private:
  std::string note() const {
    const std::string n = std::to_string(points_.size());
    if (options_.early_level && last_level_ < *options_.early_level) {
      return "early_level " + std::to_string(last_level_) + " instead of " + std::to_string(*options_.early_level) + ": " + n +
             " samples have no more";
    }
    return static_cast<std::size_t>(options_.branching) > points_.size() ? n + " clusters for " + n + " samples" : "";
  }

  bool cancelled() const { return result_.stop_reason == StopReason::cancelled; }

  Progress progress(const char* phase, int level) const {
    Progress p;
    p.phase = phase;
    p.level = level;
    return p;
  }

  void run_level(int level, bool bottom) {
    const auto start = base::Clock::now();
    if (context_.monitor != nullptr) {
      Progress now = progress("clustering", level);
      context_.monitor->progress(now, true);
    }
    PartitionRequest request;
    const Index n = static_cast<Index>(points_.size());
    request.clusters = std::min(n, power(options_.branching, level, n));
    request.seed = context_.seed + static_cast<std::uint64_t>(level) * 0x9e3779b97f4a7c15ULL;
    // A model that routes must train on the points that its router would send.
    request.strict_bound = !(options_.early_level && last_level_ == level);
    request.least_cut = !options_.early_level && last_level_ == level;  // what it cuts is left to the refine step
    std::vector<Index> population = bottom ? std::vector<Index>() : support_of(result_.coef, rows_.size());
    if (static_cast<Index>(population.size()) < request.clusters) population = points_;
    result_.partition = partition(population, request, level);
    const double clustering = base::seconds_since(start);

    const bool last = level == last_level_;
    LevelRequest how;
    how.cluster_of = &result_.partition.assignment();
    how.clusters = result_.partition.clusters();
    how.final = options_.early_level && last;
    // A model that routes predicts with each cluster's own bias; a common one serves the start of the whole problem.
    how.mode = how.final && mode_ == BiasMode::common ? BiasMode::own : mode_;
    how.tol = options_.tol;
    how.rounds = last ? kLastRounds : kRounds;
    how.bias_tol = last ? options_.tol : kBiasTol;
    LevelOutcome outcome =
        solve_level(problem_, rows_, how, options_, searches_, result_.coef, context_, progress("level", level));
    result_.clusters = std::move(outcome.clusters);
    outcome.report.level = level;
    outcome.report.clusters = result_.partition.clusters();
    outcome.report.seconds_clustering = clustering;
    if (options_.keep_levels) outcome.report.cluster_of = clusters_of_those_that_take_part();
    add(outcome, start);
  }

  /// Where the host cancels meanwhile: one cluster of all points, which is found at once.
  LevelPartition partition(const std::vector<Index>& population, const PartitionRequest& request, int level) {
    if (context_.monitor == nullptr) return partitioner_(population, request, context_);
    Progress now = progress("clustering", level);
    base::ThreadPool reporting(context_.pool->size(), [&] {
      context_.pool->poll();
      if (context_.monitor->progress(now)) throw base::Cancelled();
    });
    base::Context own = context_;
    own.pool = &reporting;
    try {
      return partitioner_(population, request, own);
    } catch (const base::Cancelled&) {
      return partitioner_({}, {1, request.seed, request.strict_bound, false}, context_);
    }
  }

  void run_refine() {
    const auto start = base::Clock::now();
    LevelOutcome outcome = refine(problem_, rows_, options_, result_.coef, context_, progress("refine", 0));
    outcome.report.clusters = 1;
    add(outcome, start);
  }

  void add(LevelOutcome& outcome, base::Clock::time_point start) {
    LevelReport& report = outcome.report;
    std::vector<Index> support = support_of(result_.coef, rows_.size());
    report.n_support = static_cast<Index>(support.size());
    if (options_.keep_levels) {
      report.sv_coef = coefficients_of(support);
      report.support = std::move(support);
    }
    report.seconds = base::seconds_since(start);
    result_.stop_reason = outcome.stop_reason;
    result_.objective = report.objective;
    result_.violation = report.violation;
    result_.n_iter += report.n_iter;
    result_.peak_bytes = std::max(result_.peak_bytes, outcome.peak_bytes);
    result_.levels.push_back(std::move(report));
  }

  std::vector<std::int32_t> clusters_of_those_that_take_part() const {
    std::vector<std::int32_t> cluster_of(result_.partition.assignment());
    for (Index i = 0; i < problem_.n; ++i) {
      if (problem_.class_of[i] < 0) cluster_of[i] = -1;
    }
    return cluster_of;
  }

  std::vector<double> coefficients_of(const std::vector<Index>& support) const {
    std::vector<double> sv_coef;
    for (auto row = result_.coef.begin(); row != result_.coef.end(); row += problem_.n) {
      for (const Index i : support) sv_coef.push_back(row[i]);
    }
    return sv_coef;
  }

  const svm::TrainingProblem& problem_;
  const kernel_matrix::RowSource<T>& rows_;
  const Options& options_;
  base::Context& context_;
  Partitioner<T> partitioner_;
  std::vector<Index> points_;  ///< those that take part
  int last_level_ = 1;
  BiasMode mode_ = BiasMode::none;
  std::vector<BiasSearch> searches_;  ///< one per pair of classes
  Result result_;
};

}  // namespace

int resolve_early_level(const Options& options, Index n) {
  int level = 1;
  while (level < options.early_level.value_or(1) && power(options.branching, level + 1, n) <= n) ++level;
  return level;
}

Index early_clusters(const Options& options, Index n) { return power(options.branching, resolve_early_level(options, n), n); }

int resolve_levels(const Options& options, Index n) {
  const auto text = [](Index v) { return std::to_string(v); };
  const int given = std::max(1, options.n_levels);
  const bool few = options.branching == TrainParams().branching && given == 1;  // then each point is a cluster
  if (power(options.branching, given, n) > n && !few) {
    throw ParameterError(std::string(options.n_levels > 0 ? "n_levels" : "branching") + ": branching^levels = " +
                         text(options.branching) + "^" + text(given) + " clusters are more than the " + text(n) + " samples");
  }
  if (options.n_levels > 0) return options.n_levels;
  int levels = resolve_early_level(options, n);
  if (options.early_level) return levels;
  while (n / power(options.branching, levels, n) > kBottomSize && power(options.branching, levels + 1, n) <= n) ++levels;
  return levels;
}

int resolve_last_level(const Options& options, int bottom, Index n) {
  if (options.early_level) return resolve_early_level(options, n);
  int last = 1;
  while (options.n_levels == 0 && last < bottom && power(options.branching, last, n) < kFewestClusters) ++last;
  return last;
}

template <class T>
Result dc_svm(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const Options& options,
              base::Context& context) {
  return Run<T>(problem, rows, options, context).run();
}

template Result dc_svm<float>(const svm::TrainingProblem&, const kernel_matrix::RowSource<float>&, const Options&,
                              base::Context&);
template Result dc_svm<double>(const svm::TrainingProblem&, const kernel_matrix::RowSource<double>&, const Options&,
                               base::Context&);

}  // namespace dcsvm::multilevel
