// A C-SVC problem that is only ever solved on some of its points, and looked at as a whole in between. What RandSVM and the
// cascade share.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "dcsvm/model.hpp"
#include "qp/origins.hpp"
#include "svm/problems/solve_binary.hpp"

namespace dcsvm::sampled {

/// A C-SVC problem over all points of `rows`. Keeps references.
template <class T>
struct WholeProblem {
  const kernel_matrix::RowSource<T>& rows;
  const svm::BinaryProblem& binary;  ///< its beta is not read
  bool fit_intercept;
};

/// What both solvers are asked for.
struct SampledOptions {
  double tol = 0;              ///< of the whole problem; samples and parts are solved to a little less than half
  double accepted_tol = 0;     ///< >= tol: what counts as converged, whatever ended the rounds
  std::int64_t max_iter = -1;  ///< SMO steps: of all of RandSVM's rounds, of each part of the cascade; -1: LIBSVM's ceiling
  bool shrinking = true;
};

/// With the samples solved to kInside tol and the others within kOutside tol of the margin, no pair of points violates by more
/// than 0.95 tol.
constexpr double kInside = 0.45, kOutside = 0.5;

/// A solution on a sample, what it means for the whole, and how it came about.
struct SampledSolution : svm::Solution {
  /// For each round (numbered from 1): `sizes` the points solved; n_support, objective and violation of the whole problem,
  /// infinity where not all points were looked at.
  std::vector<LevelReport> rounds;

  /// Adds steps, memory and seconds of one of its solves.
  void add_costs(const qp::Result& of);
  /// Adds a round that solved `clusters` problems, the last of `points` points, in `steps` SMO steps.
  void add_round(Index clusters, Index points, std::int64_t steps, base::Clock::time_point start);
};

/// Solves the problem of points `idx` (ascending; both signs, when there is a bias) from their values in `beta` (of idx,
/// feasible) and leaves the solution there. `gradient`: that of the start, of idx; empty: not known.
template <class T>
svm::Solution solve_on(const WholeProblem<T>& whole, const std::vector<Index>& idx, std::vector<double>& beta,
                       std::vector<double> gradient, qp::Options options, base::Context& context, const Progress& progress);

/// Both must be ascending; so is the result.
std::vector<Index> union_of(const std::vector<Index>& a, const std::vector<Index>& b);

/// Adds a point of each sign that `idx` lacks, in ascending position.
void add_missing_sign(const svm::BinaryProblem& problem, std::vector<Index>& idx);

/// Points with beta = 0 that violate the margin by more than asked, ascending.
struct Violators {
  std::vector<Index> idx;
  bool all = true;  ///< else enough were found before all points had been looked at
};

/// Coefficients of the whole problem and their gradient g = y - K beta, which is known part by part: a part of the points is
/// brought up to date when it is looked at.
template <class T>
class WholeSolution {
 public:
  /// beta: feasible, of all points. The gradient is up to date. Packs the columns of all points into at most `budget` bytes.
  /// Points are dealt at random (`seed`) to parts of `part_rows` or more.
  WholeSolution(const WholeProblem<T>& problem, const std::vector<double>& beta, std::size_t budget, base::ThreadPool& pool,
                Index part_rows = std::numeric_limits<Index>::max(), std::uint64_t seed = 0);

  Index size() const { return static_cast<Index>(beta_.size()); }
  const std::vector<double>& beta() const { return beta_; }
  /// Of points in parts that are up to date.
  const std::vector<double>& gradient() const { return gradient_; }
  /// beta becomes `values` at the points idx (ascending) and 0 elsewhere; no part is up to date then.
  void set_beta(const std::vector<Index>& idx, const std::vector<double>& values);
  /// Brings all parts up to date. Kernel values: of their points times the coefficients that changed since the last time.
  void update_all(base::ThreadPool& pool);
  /// Violators of the decision with this bias by more than `slack`. Updates parts in turn, going on where the
  /// last call stopped, until at least `enough` are found.
  Violators violators(double bias, double slack, Index enough, base::ThreadPool& pool);
  /// Points with beta != 0, ascending.
  std::vector<Index> support() const;
  /// 1/2 beta'K beta - y'beta, LIBSVM's dual objective. All parts up to date.
  double objective() const;
  /// Maximal KKT violation over all points. All parts up to date.
  double violation() const;
  /// The points that violate most, ascending: with a bias the worst pair, without a bias the one worst point. All parts up to
  /// date.
  std::vector<Index> worst_violators() const;
  /// The decision's bias: the mean gradient of the free points, else the middle of what the optimality conditions allow; 0 for
  /// problems without bias. All parts up to date.
  double bias() const;
  std::size_t bytes() const;
  /// What the gradients were formed from (qp/origins.hpp).
  qp::Origins origins() const;

 private:
  using Coefficients = std::vector<std::pair<Index, double>>;  // the non-zeros, ascending
  struct Part {
    std::vector<Index> idx;
    std::unique_ptr<kernel_matrix::Columns<T>> columns;  // null until the part is looked at
    std::shared_ptr<const Coefficients> seen;   // those whose gradient the part has
  };
  void update(Part& part, base::ThreadPool& pool);
  bool can_grow(std::size_t i) const { return beta_[i] < problem_.binary.hi[i]; }
  bool can_fall(std::size_t i) const { return beta_[i] > problem_.binary.lo[i]; }
  struct Extremes {
    double up = -std::numeric_limits<double>::infinity(), low = std::numeric_limits<double>::infinity();
    Index up_at = -1, low_at = -1;
  };
  /// The largest gradient of points that may grow, the least of points that may fall.
  Extremes extremes() const;

  const WholeProblem<T>& problem_;
  std::size_t budget_;
  std::vector<double> beta_, gradient_;
  std::vector<double> path_;  // by variable: all changes of beta_ added up, without sign
  std::shared_ptr<const Coefficients> now_;
  std::vector<Part> parts_;
  std::size_t next_ = 0;  // part to look at first
};

/// What a run of either solver works with.
template <class T>
struct SampledRun {
  SampledRun(const WholeProblem<T>& whole_problem, const SampledOptions& options, const std::vector<double>& beta,
             const base::Context& caller, const Progress& start, Index part_rows = std::numeric_limits<Index>::max())
      : problem(whole_problem),
        context(caller),
        progress(start),
        random(caller.seed),
        solver{kInside * options.tol, options.max_iter, options.shrinking},
        whole(problem, beta, caller.cap_bytes - caller.cap_bytes / 2, *caller.pool, part_rows, caller.seed) {
    context.cap_bytes = caller.cap_bytes / 2;
    solver.verify = qp::Verify::nothing;  // the whole problem's solution is judged
  }

  /// Goes on with the exact solver from what the rounds reached, where they stopped above tol for no other reason than their own,
  /// and has the result judged (qp/verify.hpp).
  SampledSolution finish(const SampledOptions& options, std::vector<double>& beta);

  const WholeProblem<T>& problem;
  base::Context context;  ///< half of the memory is for the samples' problems, half for `whole`
  Progress progress;
  base::Random random;
  qp::Options solver;  ///< of the samples' problems
  WholeSolution<T> whole;
  SampledSolution total;
};

}  // namespace dcsvm::sampled
