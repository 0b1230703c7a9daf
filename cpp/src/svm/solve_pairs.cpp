#include "svm/solve_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/jobs.hpp"
#include "base/vectors.hpp"
#include "base/workspace.hpp"
#include "kernel_matrix/class_segments.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::svm {

namespace {

constexpr Index kLargePair = 4000;  // mean size of a pair from which pairs run one by one and share rows
constexpr Index kSmallPair = 64;  // size up to which packing the points of each pair costs more than reading its values

template <class T>
class PairSolver {
 public:
  PairSolver(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const FormulationParams& params,
             const qp::Options& options, std::vector<double>& coef, base::Context& context, std::int64_t& peak_bytes)
      : rows_(rows),
        problem_(problem),
        params_(params),
        options_(options),
        coef_(coef),
        context_(context),
        peak_bytes_(peak_bytes),
        members_(points_by_class(problem.class_of, problem.n_classes(), problem.order)) {
    const auto k = static_cast<int>(problem.n_classes());
    const auto pairs = static_cast<std::size_t>(k) * static_cast<std::size_t>(k - 1) / 2;
    pairs_.reserve(pairs);
    base::reserve_large(solutions_, pairs);
    for (int a = 0; a < k; ++a) {
      for (int b = a + 1; b < k; ++b) pairs_.emplace_back(a, b);
      solutions_.resize(pairs_.size());
      context.pool->poll();  // millions of pairs take seconds
    }
    progress_.phase = "solve";
  }

  std::vector<Solution> run() {
    const bool several = pairs_.size() > 1;
    // Rows that several pairs need are worth sharing where a value costs more than reading a kept one, unless sums of them go
    // through weights.
    const bool shared = !rows_.linear_rows() && rows_.work_per_value() >= kernel_matrix::kShareWork;
    if (several && shared && problem_.n * 2 / problem_.n_classes() >= kLargePair) {
      solve_in_order();
    } else if (!several) {
      progress_.total = 1;
      solve_pair(0, context_, [&](BinaryProblem& pair) { return solve_subset(rows_, pair, options_, context_, progress_); });
    } else if ((shared || largest_pair() <= kSmallPair) && !rows_.linear_rows() && serves_in_memory()) {
      solve_in_memory();
    } else {
      solve_side_by_side(rows_, 0);
    }
    return std::move(solutions_);
  }

 private:
  /// Calls solve with pair number p, from and to coef_. Different pairs use different entries.
  template <class Solve>
  void solve_pair(std::size_t p, const base::Context& context, const Solve& solve) {
    const auto [a, b] = pairs_[p];
    const auto kept = base::borrowed<BinaryProblem>(context);
    BinaryProblem& pair = *kept;
    make_pair_problem(a, members_[a], b, members_[b], problem_.upper, coef_.data(), problem_.targets, pair);
    pair.sums = of_pair(problem_.start_sums, p, pair);
    pair.fixed = of_pair(problem_.fixed_sums, p, pair);
    solutions_[p] = solve(pair);
    pair.store(problem_.n, coef_.data());
  }

  /// The entries of pair number p, for its points, of n_pairs x n values; empty where there are none.
  std::vector<double> of_pair(const double* values, std::size_t p, const BinaryProblem& pair) const {
    std::vector<double> own;
    if (values == nullptr) return own;
    own.reserve(pair.points.size());
    for (const Index i : pair.points) own.push_back(values[static_cast<Index>(p) * problem_.n + i]);
    return own;
  }

  /// Whether the sums that the caller gave are those of kernel values, as far as a few rows tell. rows: of all points.
  static bool sums_fit(const kernel_matrix::RowSource<T>& rows, const BinaryProblem& pair, const std::vector<Index>& points,
                       double tol, base::Context& context) {
    constexpr Index kLookedAt = 16;
    constexpr double kOfTol = 0.25, kErrors = 4.0;  // the sums may be of double values, those here of float
    if (pair.sums.empty()) return true;
    const Index n = pair.size(), m = std::min(n, kLookedAt);
    std::vector<Index> looked(m), support;
    std::vector<double> found(m, 0.0), beta;
    for (Index t = 0; t < m; ++t) looked[t] = points[t * n / m];
    for (Index i = 0; i < n; ++i) {
      if (pair.beta[i] == 0.0) continue;
      support.push_back(points[i]);
      beta.push_back(pair.beta[i]);
    }
    rows.multiply(looked.data(), m, support.data(), beta.data(), static_cast<Index>(support.size()), found.data(),
                  context.cap_bytes / 4, *context.pool);
    const double norm = std::sqrt(std::inner_product(beta.begin(), beta.end(), beta.begin(), 0.0));
    double largest = 0;
    for (const double sum : found) largest = std::max(largest, std::abs(sum));
    const double allowed = kOfTol * tol * std::min(1.0, largest) + kErrors * rows.rounding().typical * norm;
    for (Index t = 0; t < m; ++t) {
      if (!(std::abs(found[t] - pair.sums[t * n / m]) <= allowed)) return false;
    }
    return true;
  }

  /// rows: of all points that take part, in their places.
  Solution solve_subset(const kernel_matrix::RowSource<T>& rows, BinaryProblem& pair, const qp::Options& options,
                        base::Context& context, const Progress& progress) const {
    std::vector<Index> points = pair.points;
    for (std::size_t k = 0; k < points.size() && !place_.empty(); ++k) points[k] = place_[points[k]];
    if (!sums_fit(rows, pair, points, options.tol, context)) pair.sums.clear();
    const bool all = pair.size() == rows.size() && std::is_sorted(points.begin(), points.end());
    if (all) return solve_binary(rows, pair, params_, options, context, progress);
    return solve_binary(*kernel_matrix::make_subset(rows, std::move(points)), pair, params_, options, context, progress);
  }

  qp::Options no_steps() const {
    qp::Options options = options_;
    options.max_iter = 0;
    return options;
  }

  /// Points of the two largest classes.
  Index largest_pair() const {
    std::array<std::size_t, 2> largest{};
    for (const auto& members : members_) {
      const std::size_t smaller = std::min(members.size(), largest[0]);
      largest = {std::max(members.size(), largest[0]), std::max(smaller, largest[1])};
    }
    return static_cast<Index>(largest[0] + largest[1]);
  }

  /// Whether the pairs compute all of their values anyway, and those of all fit.
  bool serves_in_memory() const {
    return rows_.negligible() == 0 && largest_pair() <= qp::kWholeTile &&
           matrix_bytes() <= static_cast<double>(context_.cap_bytes) / 2;
  }

  /// Pairs so small that each would compute all of its values read them from the whole matrix. There the points of a class are
  /// neighbours, so that what a pair reads of a row is two stretches of it.
  void solve_in_memory() {
    std::vector<Index> by_class;
    for (const auto& members : members_) by_class.insert(by_class.end(), members.begin(), members.end());
    place_.resize(static_cast<std::size_t>(problem_.n));  // rows of weight 0 have none
    for (std::size_t k = 0; k < by_class.size(); ++k) place_[by_class[k]] = static_cast<Index>(k);
    const auto ordered = kernel_matrix::make_subset(rows_, std::move(by_class));
    const auto stored = kernel_matrix::make_stored_rows(*ordered, *context_.pool);
    const auto bytes = static_cast<std::size_t>(matrix_bytes());
    context_.cap_bytes -= bytes;
    solve_side_by_side(*stored, static_cast<std::int64_t>(bytes));
    context_.cap_bytes += bytes;
  }

  /// Of the whole kernel matrix.
  double matrix_bytes() const { return static_cast<double>(problem_.n) * static_cast<double>(problem_.n) * sizeof(T); }

  /// rows: those of all points that take part, in their places, of which `held` bytes are in memory.
  void solve_side_by_side(const kernel_matrix::RowSource<T>& rows, std::int64_t held) {
    std::vector<base::Job> jobs;
    jobs.reserve(pairs_.size());
    for (const auto& [a, b] : pairs_) {
      if (b == a + 1) context_.pool->poll();
      const auto n = static_cast<Index>(members_[a].size() + members_[b].size());
      jobs.push_back(base::solve_job(n, sizeof(T), context_.cap_bytes));
    }
    std::vector<char> started(pairs_.size(), 0);
    base::run_jobs(jobs, progress_, context_, [&](Index p, base::Context& own, const Progress& now) {
      solve_pair(p, own, [&](BinaryProblem& pair) { return solve_subset(rows, pair, options_, own, now); });
      started[p] = 1;
    });
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      if (started[p] != 0) continue;
      base::Context own = context_;
      own.cap_bytes = jobs[p].cap_bytes;
      solve_pair(p, own, [&](BinaryProblem& pair) { return solve_subset(rows, pair, no_steps(), own, progress_); });
      solutions_[p].stop_reason = StopReason::cancelled;
    }
    std::vector<std::int64_t> bytes;
    bytes.reserve(solutions_.size());
    for (const Solution& s : solutions_) bytes.push_back(s.peak_bytes);
    peak_bytes_ = std::max(peak_bytes_, held + base::side_by_side_bytes(std::move(bytes), context_.pool->size()));
  }

  /// Large pairs one after another, each with all threads. Rows within a class are kept while pairs of that class are left.
  void solve_in_order() {
    base::Context own = context_;
    own.cap_bytes = context_.cap_bytes / 2;
    kernel_matrix::ClassSegments<T> store(rows_, members_, context_.cap_bytes - own.cap_bytes);
    progress_.total = static_cast<Index>(pairs_.size());
    std::int64_t solving = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const int a = pairs_[p].first, b = pairs_[p].second;
      const bool cancelled = own.monitor != nullptr && own.monitor->cancelled();
      solve_pair(p, own, [&](BinaryProblem& pair) {
        return solve_binary(*store.pair(a, b), pair, params_, cancelled ? no_steps() : options_, own, progress_);
      });
      if (cancelled) solutions_[p].stop_reason = StopReason::cancelled;
      solving = std::max(solving, solutions_[p].peak_bytes);
      ++progress_.done;
      if (b + 1 == problem_.n_classes()) store.drop(a);
    }
    peak_bytes_ = std::max(peak_bytes_, static_cast<std::int64_t>(store.peak_bytes()) + solving);
  }

  const kernel_matrix::RowSource<T>& rows_;
  const TrainingProblem& problem_;
  const FormulationParams& params_;
  const qp::Options& options_;
  std::vector<double>& coef_;
  base::Context& context_;
  std::int64_t& peak_bytes_;
  const std::vector<std::vector<Index>> members_;  // of each class
  std::vector<Index> place_;  // of each point in the rows that pairs are solved on; empty: its own number
  std::vector<std::pair<int, int>> pairs_;
  std::vector<Solution> solutions_;
  Progress progress_;
};

}  // namespace

template <class T>
std::vector<Solution> solve_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem,
                                  const FormulationParams& params, const qp::Options& options, std::vector<double>& coef,
                                  base::Context& context, std::int64_t& peak_bytes) {
  return PairSolver<T>(rows, problem, params, options, coef, context, peak_bytes).run();
}

#define DCSVM_INSTANTIATE(T)                                                                                        \
  template std::vector<Solution> solve_pairs<T>(const kernel_matrix::RowSource<T>&, const TrainingProblem&,         \
                                                const FormulationParams&, const qp::Options&, std::vector<double>&, \
                                                base::Context&, std::int64_t&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::svm
