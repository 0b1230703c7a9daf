// F5: a binary C-SVC problem that is only ever solved on some of its points, and looked at as a whole in between. What the
// randomised solver and the cascade share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/context.hpp"
#include "formulations/c_svc.hpp"

namespace dcsvm::approx {

/// The whole problem: all points of `rows`, signs +1 / -1 and C_i, with or without bias. Keeps references.
template <class T>
struct PairData {
  const rows::RowSource<T>& rows;
  const std::int8_t* sign;
  const double* upper;
  bool fit_intercept;
};

/// Solves the problem of points `idx` (ascending; both signs, when there is a bias) from their values in `beta` (of idx,
/// feasible) and leaves the solution there. `gradient`: that of the start, of idx; empty: not known.
template <class T>
formulations::Solution solve_on(const PairData<T>& data, const std::vector<Index>& idx, std::vector<double>& beta,
                                std::vector<double> gradient, solver::Options options, base::Context& context,
                                const Progress& progress);

/// Adds a point of each sign that `idx` lacks, in ascending position.
template <class T>
void need_both_signs(const PairData<T>& data, std::vector<Index>& idx);

/// A point of the whole problem: beta, and its gradient g = y - K beta of all points.
template <class T>
class WholePoint {
 public:
  /// beta: feasible, of all points. Packs the columns of all points into at most `budget` bytes.
  WholePoint(const PairData<T>& data, const std::vector<double>& beta, std::size_t budget, base::ThreadPool& pool);

  const std::vector<double>& beta() const { return beta_; }
  const std::vector<double>& gradient() const { return gradient_; }
  /// beta becomes `values` at the points idx and 0 elsewhere. Kernel values: all points times the coefficients that changed.
  void move(const std::vector<Index>& idx, const std::vector<double>& values, base::ThreadPool& pool);
  /// The same without the gradient, which is of no use afterwards.
  void place(const std::vector<Index>& idx, const std::vector<double>& values);
  /// Points with beta != 0, ascending.
  std::vector<Index> support() const;
  /// 1/2 beta'K beta - y'beta, LIBSVM's dual objective.
  double objective() const;
  /// Maximal KKT violation over all points.
  double violation() const;
  /// Points with beta = 0 that are inside the margin of the decision with this bias by more than `slack`, ascending.
  std::vector<Index> violators(double bias, double slack) const;
  std::size_t bytes() const { return columns_->bytes(); }

 private:
  const PairData<T>& data_;
  std::unique_ptr<rows::Columns<T>> columns_;
  std::vector<double> beta_, gradient_;
};

}  // namespace dcsvm::approx
