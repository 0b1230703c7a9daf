#include "svm/multilevel/dc_svm.hpp"

#include <algorithm>
#include <string>

#include "dcsvm/errors.hpp"
#include "svm/multilevel/bias_search.hpp"
#include "svm/multilevel/groups.hpp"
#include "svm/multilevel/level.hpp"

namespace dcsvm::multilevel {

namespace {

constexpr Index kBottomSize = 2000;  ///< points of a bottom cluster: its kernel matrix stays near the cache
/// Levels of fewer clusters are left out when the levels are ours to choose: refining does their work, on fewer points.
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
  Run(const Input& input, const kernel_matrix::RowSource<T>& rows, const TrainParams& params, base::Context& context)
      : input_(input),
        rows_(rows),
        params_(params),
        context_(context),
        partitioner_(input.x, input.kernel, rows, params, context) {
    const std::size_t size = static_cast<std::size_t>((input.n_classes - 1) * rows.size());
    result_.coef = input.start != nullptr ? *input.start : std::vector<double>(size, 0.0);
    for (Index i = 0; i < rows.size(); ++i) {
      if (takes_part(input, i)) everyone_.push_back(i);
    }
    const bool common = partitioner_.local() && !input.one_problem();
    if (params.fit_intercept) mode_ = common ? BiasMode::common : BiasMode::own;
    searches_.resize(static_cast<std::size_t>(input.n_classes) * static_cast<std::size_t>(input.n_classes - 1) / 2);
  }

  Result run() {
    const Index n = static_cast<Index>(everyone_.size());
    const int bottom = resolve_levels(params_, n);
    last_ = resolve_last_level(params_, bottom, n);
    result_.note = what_gave_way();
    for (int level = bottom; level >= last_ && !cancelled(); --level) run_level(level, level == bottom);
    if (mode_ == BiasMode::common) balance_pairs(input_, result_.coef);
    if (!params_.early_level && !cancelled()) {
      run_refine();
      if (!cancelled()) result_.stop_reason = StopReason::converged;  // a start need not be solved to the end
    }
    result_.n_clustering_values = partitioner_.n_values();
    return std::move(result_);
  }

 private:
  std::string what_gave_way() const {
    const std::string n = std::to_string(everyone_.size());
    if (params_.early_level && last_ < *params_.early_level) {
      return "early_level " + std::to_string(last_) + " instead of " + std::to_string(*params_.early_level) + ": " + n +
             " samples have no more";
    }
    return static_cast<std::size_t>(params_.branching) > everyone_.size() ? n + " clusters for " + n + " samples" : "";
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
    LevelReport report;
    report.level = level;
    if (context_.monitor != nullptr) {
      Progress now = progress("clustering", level);
      context_.monitor->progress(now, true);
    }
    PartitionRequest request;
    const Index n = static_cast<Index>(everyone_.size());
    request.clusters = std::min(n, power(params_.branching, level, n));
    request.seed = context_.seed + static_cast<std::uint64_t>(level) * 0x9e3779b97f4a7c15ULL;
    // A model that routes must train on the points that its router would send.
    request.strict_bound = !(params_.early_level && last_ == level);
    std::vector<Index> population = bottom ? std::vector<Index>() : support_of(result_.coef, rows_.size());
    if (static_cast<Index>(population.size()) < request.clusters) population = everyone_;
    result_.partition = partitioner_(population, request, context_);
    report.seconds_clustering = base::seconds_since(start);

    const bool last = level == last_;
    LevelRequest how;
    how.cluster_of = &result_.partition.assignment();
    how.clusters = result_.partition.clusters();
    how.mode = mode_;
    how.tol = params_.tol;
    how.final = params_.early_level && last;
    how.rounds = last ? kLastRounds : kRounds;
    how.bias_tol = last ? params_.tol : kBiasTol;
    LevelOutcome outcome = solve_level(input_, rows_, how, params_, searches_, result_.coef, context_, progress("level", level));
    result_.clusters = std::move(outcome.clusters);
    report.clusters = result_.partition.clusters();
    finish(report, outcome, start);
  }

  void run_refine() {
    const auto start = base::Clock::now();
    LevelReport report;
    report.clusters = 1;
    LevelOutcome outcome = refine(input_, rows_, params_, result_.coef, context_, progress("refine", 0));
    finish(report, outcome, start);
  }

  void finish(LevelReport& report, LevelOutcome& outcome, base::Clock::time_point start) {
    report.sizes = std::move(outcome.sizes);
    report.n_support = static_cast<Index>(support_of(result_.coef, rows_.size()).size());
    report.objective = outcome.objective;
    report.violation = outcome.violation;
    report.n_iter = static_cast<Index>(outcome.n_iter);
    report.seconds = base::seconds_since(start);
    result_.levels.push_back(std::move(report));
    result_.stop_reason = outcome.stop_reason;
    result_.objective = outcome.objective;
    result_.violation = outcome.violation;
    result_.n_iter += outcome.n_iter;
    result_.peak_bytes = std::max(result_.peak_bytes, outcome.peak_bytes);
  }

  const Input& input_;
  const kernel_matrix::RowSource<T>& rows_;
  const TrainParams& params_;
  base::Context& context_;
  Partitioner<T> partitioner_;
  std::vector<Index> everyone_;  ///< the points that take part
  int last_ = 1;  ///< the level to stop after
  BiasMode mode_ = BiasMode::none;
  std::vector<BiasSearch> searches_;  ///< one per pair of classes
  Result result_;
};

}  // namespace

int resolve_early_level(const TrainParams& params, Index n) {
  int level = 1;
  while (level < params.early_level.value_or(1) && power(params.branching, level + 1, n) <= n) ++level;
  return level;
}

int resolve_levels(const TrainParams& params, Index n) {
  const auto text = [](Index v) { return std::to_string(v); };
  if (params.branching < 2) throw ParameterError("branching must be >= 2, got " + text(params.branching));
  if (params.n_levels < 0) throw ParameterError("n_levels must be >= 0, got " + text(params.n_levels));
  if (params.early_level && *params.early_level < 1) {
    throw ParameterError("early_level must be >= 1, got " + text(*params.early_level));
  }
  const int early = params.early_level.value_or(0);
  if (params.n_levels > 0 && early > params.n_levels) {
    throw ParameterError("early_level must be at most n_levels = " + text(params.n_levels) + ", got " + text(early));
  }
  const int given = std::max(1, params.n_levels);
  const bool few = params.branching == TrainParams().branching && given == 1;  // then each point is a cluster
  if (power(params.branching, given, n) > n && !few) {
    throw ParameterError(std::string(params.n_levels > 0 ? "n_levels" : "branching") + ": branching^levels = " +
                         text(params.branching) + "^" + text(given) + " clusters are more than the " + text(n) + " samples");
  }
  if (params.n_levels > 0) return params.n_levels;
  int levels = resolve_early_level(params, n);
  while (n / power(params.branching, levels, n) > kBottomSize && power(params.branching, levels + 1, n) <= n) ++levels;
  return levels;
}

int resolve_last_level(const TrainParams& params, int bottom, Index n) {
  if (params.early_level) return resolve_early_level(params, n);
  int last = 1;
  while (params.n_levels == 0 && last < bottom && power(params.branching, last, n) < kFewestClusters) ++last;
  return last;
}

template <class T>
Result dc_svm(const Input& input, const kernel_matrix::RowSource<T>& rows, const TrainParams& params, base::Context& context) {
  return Run<T>(input, rows, params, context).run();
}

template Result dc_svm<float>(const Input&, const kernel_matrix::RowSource<float>&, const TrainParams&, base::Context&);
template Result dc_svm<double>(const Input&, const kernel_matrix::RowSource<double>&, const TrainParams&, base::Context&);

}  // namespace dcsvm::multilevel
