// F5: a binary C-SVC problem that is only ever solved on some of its points, and looked at as a whole in between. What the
// randomised solver and the cascade share.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "svm/problems/c_svc.hpp"

namespace dcsvm::sampled {

/// The whole problem: all points of `rows`, signs +1 / -1 and C_i, with or without bias. Keeps references.
template <class T>
struct PairData {
  const kernel_matrix::RowSource<T>& rows;
  const std::int8_t* sign;
  const double* upper;
  bool fit_intercept;
};

/// Solves the problem of points `idx` (ascending; both signs, when there is a bias) from their values in `beta` (of idx,
/// feasible) and leaves the solution there. `gradient`: that of the start, of idx; empty: not known.
template <class T>
svm::Solution solve_on(const PairData<T>& data, const std::vector<Index>& idx, std::vector<double>& beta,
                       std::vector<double> gradient, qp::Options options, base::Context& context, const Progress& progress);

/// Adds a point of each sign that `idx` lacks, in ascending position.
template <class T>
void need_both_signs(const PairData<T>& data, std::vector<Index>& idx);

/// Points with beta = 0 that are inside the margin by more than asked, ascending.
struct Violators {
  std::vector<Index> idx;
  bool all = true;  ///< else enough were found before all points had been looked at
};

/// A point of the whole problem: beta, and its gradient g = y - K beta, which is known part by part: a part of the points is
/// brought up to date when it is looked at.
template <class T>
class WholePoint {
 public:
  /// beta: feasible, of all points. The gradient is up to date. Packs the columns of all points into at most `budget` bytes.
  /// Points are dealt at random (`seed`) to parts of `part_rows` or more.
  WholePoint(const PairData<T>& data, const std::vector<double>& beta, std::size_t budget, base::ThreadPool& pool,
             Index part_rows = std::numeric_limits<Index>::max(), std::uint64_t seed = 0);

  Index size() const { return static_cast<Index>(beta_.size()); }
  const std::vector<double>& beta() const { return beta_; }
  /// Of points in parts that are up to date.
  const std::vector<double>& gradient() const { return gradient_; }
  /// beta becomes `values` at the points idx (ascending) and 0 elsewhere; no part is up to date then.
  void place(const std::vector<Index>& idx, const std::vector<double>& values);
  /// Brings all parts up to date. Kernel values: of their points times the coefficients that changed since the last time.
  void look(base::ThreadPool& pool);
  /// Violators of the decision with this bias by more than `slack`. Brings parts up to date, the one after the last before
  /// first, until at least `enough` are found.
  Violators violators(double bias, double slack, Index enough, base::ThreadPool& pool);
  /// Points with beta != 0, ascending.
  std::vector<Index> support() const;
  /// 1/2 beta'K beta - y'beta, LIBSVM's dual objective. All parts up to date.
  double objective() const;
  /// Maximal KKT violation over all points. All parts up to date.
  double violation() const;
  /// The points that violate most, ascending: a pair with bias, one without. All parts up to date.
  std::vector<Index> worst() const;
  /// The decision's bias: the mean gradient of the free points, else the middle of what the optimality conditions allow; 0 for
  /// problems without. All parts up to date.
  double bias() const;
  std::size_t bytes() const;

 private:
  using Coefficients = std::vector<std::pair<Index, double>>;  // the non-zeros, ascending
  struct Part {
    std::vector<Index> idx;
    std::unique_ptr<kernel_matrix::Columns<T>> columns;  // null until the part is looked at
    std::shared_ptr<const Coefficients> seen;   // whose gradient it has
  };
  void update(Part& part, base::ThreadPool& pool);
  bool below_high(std::size_t i) const { return beta_[i] < (data_.sign[i] > 0 ? data_.upper[i] : 0.0); }
  bool above_low(std::size_t i) const { return beta_[i] > (data_.sign[i] > 0 ? 0.0 : -data_.upper[i]); }
  struct Extremes {
    double up = -std::numeric_limits<double>::infinity(), low = std::numeric_limits<double>::infinity();
    Index up_at = -1, low_at = -1;
  };
  /// The largest gradient of points that may grow, the least of points that may fall.
  Extremes extremes() const;

  const PairData<T>& data_;
  std::size_t budget_;
  std::vector<double> beta_, gradient_;
  std::shared_ptr<const Coefficients> now_;
  std::vector<Part> parts_;
  std::size_t next_ = 0;  // part to look at first
};

}  // namespace dcsvm::sampled
