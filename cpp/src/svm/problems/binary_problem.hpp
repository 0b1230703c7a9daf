// One class against another on some points of the data: the problem that every trainer of this family hands to the QP solver.
#pragma once

#include <vector>

#include "data/one_vs_one.hpp"
#include "qp/solver.hpp"

namespace dcsvm::svm {

/// Of a regression: y of all points, and TrainParams::quantile. Null: no regression.
struct Targets {
  const double* y = nullptr;
  double quantile = 0;
};

/// Formulations without classes are laid out as the pair (0, 1) of two classes of which all points are of class 0.
///
/// The variables are beta_i = y_i alpha_i (regression: alpha_i - alpha*_i) in the box lo_i <= beta_i <= hi_i: [0, C_i] for
/// y_i = +1, [-C_i, 0] for y_i = -1, [-C_i, C_i] for a regression, [-(1 - t) C_i, t C_i] for that of a quantile t.
struct BinaryProblem {
  int positive = 0, negative = 1;  ///< the classes; positive < negative
  std::vector<Index> points;       ///< rows of the data: those of class `positive`, then those of class `negative`
  std::vector<double> y;           ///< +1 for class `positive`, -1 for class `negative`; regression: the targets
  std::vector<double> lo, hi;
  std::vector<double> beta;        ///< the start, then the solution
  std::vector<double> sums;        ///< sum_j beta_j K_ij of the start, where they are known; else empty
  std::vector<double> fixed;       ///< sum_j beta_j K_ij over rows outside the problem that are held fixed; empty: none are

  Index size() const { return static_cast<Index>(points.size()); }
  /// Adds a point of label +1 or -1 with its bound C_i >= 0.
  void add(Index point, double label, double bound, double start = 0.0);
  /// q - fixed: rows that are held fixed change the linear term alone.
  std::vector<double> linear_term(std::vector<double> q) const;
  /// q - fixed - sums, the gradient at the start, for a linear term q; empty where the sums are not known.
  std::vector<double> start_gradient(const std::vector<double>& q) const;
  /// Makes it the problem of a regression.
  void set_targets(const Targets& targets);
  /// Writes beta into the coefficients of all n points: (n_classes - 1) x n, in the layout of data::coef_row.
  void store(Index n, double* coef) const;
  /// C-SVC's problem with the linear term y. A view of this object.
  qp::Problem qp(bool fit_intercept) const { return {size(), y.data(), lo.data(), hi.data(), fit_intercept}; }
};

/// The outcome of one problem. `bias` is LIBSVM's -rho and `objective` its "obj"; n_support and n_bounded count points.
struct Solution : qp::Result {
  double r = 0;  ///< nu_svc: the margin that coefficients were divided by; nu_svr: minus the half width of the tube
};

/// The problem of a pair of classes on some of their points. upper: C_i of all points. coef: as BinaryProblem::store writes it,
/// or null for a start of zeros.
BinaryProblem make_pair_problem(int positive, const std::vector<Index>& of_positive, int negative,
                                const std::vector<Index>& of_negative, const std::vector<double>& upper, const double* coef,
                                const Targets& targets = {});
/// The same in the memory of another problem.
void make_pair_problem(int positive, const std::vector<Index>& of_positive, int negative, const std::vector<Index>& of_negative,
                       const std::vector<double>& upper, const double* coef, const Targets& targets, BinaryProblem& problem);

/// Points of each class in the order of `order` (all points; empty: ascending). Points with class_of < 0 take no part.
std::vector<std::vector<Index>> points_by_class(const std::vector<int>& class_of, Index n_classes,
                                                const std::vector<Index>& order = {});

}  // namespace dcsvm::svm
