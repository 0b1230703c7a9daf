// The gradients that decide, and the objective, of a solution that was found with float kernel values, in double.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "qp/active_set.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

GroupBounds bounds_of(const Problem& problem, const double* beta, const double* g);

/// A solution: coefficients and their gradient. Keeps references; beta must not change.
class Judged {
 public:
  using Rows = kernel_matrix::RowSource<float>;
  using ExactRows = kernel_matrix::RowSource<double>;
  Judged(const Problem& problem, const double* beta, double* gradient, base::Context& context);

  /// Replaces the gradients that decide the violation by their values in double and brings the result's objective, bias and
  /// counts up to date; without wants_objective, the objective only as far as these gradients tell. tol: the violation below
  /// which the solution is accepted. Returns how far any other gradient may be wrong. exact: the matrix of `rows`.
  double judge(const Rows& rows, const ExactRows& exact, double tol, bool wants_objective, Result& result) const;

  /// Whether an objective that was formed from gradients with errors of this standard deviation is right to 10^-6 of itself, or
  /// 10^-9 of its terms.
  bool objective_is_known(double objective, double deviation) const { return is_known(objective, {deviation, 0, 0}); }

 private:
  struct Errors {
    double deviation = 0, largest = 0;
    double coherent = 0;  ///< mean of sign(beta) times the error, where it is more than chance
    double bound() const;  ///< which hardly any other gradient's error exceeds
  };
  std::vector<Index> sample() const;
  std::vector<Index> may_decide(const std::vector<Index>& looked_at, double error, double tol) const;
  template <class T>
  std::unique_ptr<kernel_matrix::Columns<T>> columns_of_support(const kernel_matrix::RowSource<T>& rows) const;
  template <class T>
  std::vector<double> gradients(const kernel_matrix::Columns<T>& columns, const std::vector<Index>& idx) const;
  Errors replace(const kernel_matrix::Columns<double>& exact, const std::vector<Index>& idx) const;
  Errors summary_of(const std::vector<Index>& idx, const std::vector<double>& errors) const;
  bool is_known(double objective, const Errors& errors) const;
  template <class T>
  double objective_in(const kernel_matrix::RowSource<T>& rows, const kernel_matrix::Columns<T>& columns) const;

  const Problem& problem_;
  const double* beta_;
  double* g_;
  base::Context& context_;
  std::vector<Index> support_;
  std::vector<double> minus_;  // -beta of the support
  double sum_ = 0, square_ = 0;  // of |beta|, of beta^2
};

/// The objective of a solution, true as Judged knows it. gradient: that of beta; some of its values are replaced by those in
/// double.
double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);
double judged_objective(const Judged::ExactRows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);

}  // namespace dcsvm::qp
