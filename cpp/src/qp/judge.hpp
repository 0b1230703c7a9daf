// The gradients that decide whether a solution is one, and its objective, in double, when it was found with float kernel values.
//
// What is claimed. The violation is that of the true gradient g = q - K b, and no g_i is computed in double unless it has to be.
// A bound R >= |h_i - g_i| for all i (error_bound.hpp) tells which have to, where h is what the float solve holds. With M the
// largest true g of those in `up` that were computed, m the least in `low`, and s = (tol - (M - m)) / 2, a variable in `up` with
// h_i + R <= M + s leaves the violation at most tol, and so does one in `low` with h_i - R >= m - s. All others are
// computed in double, until none is left. So no variable is outside the argument. Where M - m is tol or more, the solution is not
// accepted, whatever the others are. R is never fitted to errors that are seen; these can only refute it.
//
// Concentrated coefficients. R grows with |b|_2, which is large where a few coefficients are. With H those few (`heavy`), the
// part sum_{j in H} b_j K_ij is formed in double for all rows, which is n |H| values, and the rest anew in float. Then R is that
// of the rest alone, which has one update. How many are heavy is what costs least: the fewer they are, the more gradients R
// leaves to be computed. H may be everything; then nothing is left to argue.
//
// What is assumed: that the roundings of single values are independent of each other and of b. That is needed only where the
// bound largest |b|_1, which does without, exceeds the room. Values of equal points are rounded alike, and so are values of equal
// distance on a coarse grid; then the errors of many columns add up. Each gradient that is computed in double is compared with R,
// among them those of rows drawn by their share of |b|, where such a sum would be. An error refutes the assumption when it
// exceeds R restated for the rows seen, at a failure probability of 10^-6, and then all gradients are computed in double. What
// the test cannot see are errors beyond R in a few rows that are neither near the extremes nor in the sample. Small problems are
// computed as a whole at once.
//
// Refinement. Where a gradient was formed in double at some b0, and float values have led on from there, b - b0 takes the place
// of b in R: a solve that goes on from true gradients is judged by what it changed. Each variable has its own origin b0 and the
// R of that. So a solve that goes on needs true gradients only of those that may decide; the others keep their R, by which the
// next judge sees whether they have come near.
//
// Where R leaves the violation below tol without any gradient in double, nothing is computed; then the claim must also hold if
// the errors added up to an eighth of 3 deviation |b|_1 (a margin, not a bound), as nothing was computed that could refute
// independence. A gradient that an earlier solve left is never accepted so: it counts as formed in one update, and the roundings
// of more are not in R.
//
// A level of divide and conquer that only leads to the next claims nothing; its report has a violation and an objective, which
// rest on likely errors alone. The digits of every violation that is reported rest on the likely error instead of R; the claim
// does not. The error of the objective is estimated from gradients that are drawn by |b_i|, until four standard errors are below
// 5e-6 of it, and taken off; or the objective is formed in double. Values that double leaves out (RowSource::negligible) are
// added to the violation by the caller (verify.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/context.hpp"
#include "qp/active_set.hpp"
#include "qp/error_bound.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// Coefficients at which gradients were true up to `error`, and from which float values have led to the present ones.
struct Origin {
  std::vector<double> beta;  ///< of all variables; empty: 0, whose gradient is q
  std::vector<double> gradient;  ///< at beta, up to `error`; empty: not known
  double error = 0;
  /// Or else float values have led from 0 on: an earlier solve left the gradient, with or without judging it.
  bool or_zero = false;
  double squared_steps = 0, left_out = 0;  ///< Result's, of the solves on the way but for the last
};

/// Where the gradients come from.
struct Origins {
  std::vector<Origin> known = {Origin{}};
  std::vector<std::uint8_t> of;  ///< by variable: which of `known`; empty: the first
};

/// A solution: coefficients and their gradient. Keeps references; beta must not change.
class Judged {
 public:
  using Rows = kernel_matrix::RowSource<float>;
  using ExactRows = kernel_matrix::RowSource<double>;
  /// rounding: of the float values from which `gradient` was formed. result: of the last solve.
  Judged(const Problem& problem, const double* beta, double* gradient, const kernel_matrix::Rounding& rounding,
         base::Context& context, const Result& result, Origins origins = {});

  double norm1() const { return sum_; }  ///< of beta
  /// Bound on what left-out kernel values make of any gradient, those that origins had before the last solve included.
  double left_out() const;
  /// After judge(): all gradients are those in double.
  bool all_exact() const;
  /// After judge(): where the gradients come from, for a solve that goes on with them, its left_out that of gradients in double.
  Origins origins() const;

  /// The gradients that the bound does not keep from deciding become those in double, for a solve that goes on from here.
  void refine(const ExactRows& exact);

  /// Whether the bound alone shows that the result is below tol, its violation known to a hundredth and, where it is wanted, its
  /// objective to six digits.
  bool is_known(const Result& result, double tol, bool wants_objective, bool claims = true) const;

  /// Replaces the gradients that decide the violation by their values in double and brings the result's objective, bias and
  /// counts up to date; without wants_objective, the objective only as far as these gradients tell. tol: the violation below
  /// which the solution is accepted. Without `claims` nobody is told that it is, and the violation is known to its digits as far
  /// as errors are what is likely. Returns how far any other gradient is likely to be wrong. exact: the matrix of `rows`.
  double judge(const Rows& rows, const ExactRows& exact, double tol, bool wants_objective, Result& result, bool claims = true);

 private:
  struct Split {  // of the support into heavy coefficients and others
    Index heavy;  // so many of by_size_; -1: the gradient stays as it is
    double cost;  // float kernel values, or their time
  };
  struct Exact {  // the matrix in double, and the columns of the support
    const ExactRows& rows;
    std::unique_ptr<kernel_matrix::Columns<double>> columns;
  };
  struct Ends {  // of each group, with how far gradients of each origin may be from what is known of them
    std::array<double, 2> up, low;
    std::vector<std::array<double, 2>> reach;
  };
  struct Change {  // of the present gradients that comes from float values: b less an origin
    double norm1 = 0, square = 0;
  };
  using Errors = std::vector<GradientError>;  // by origin

  void note_changes();
  Errors errors_now() const;
  std::size_t origin_of(Index i) const { return origins_.of.empty() ? 0 : origins_.of[i]; }
  double norm_of_f(double sum, double error) const;
  Split cheapest(const Exact& exact, double tol);
  void renew(const Rows& rows, const ExactRows& exact, Index heavy);
  void add_spread(Index count, std::vector<Index>& idx) const;
  void look_at_sample(const Exact& exact);
  std::vector<Index> extremes() const;
  std::vector<Index> not_yet_exact(std::vector<Index> idx) const;
  Ends ends(const Errors& errors, std::optional<double> tol) const;
  bool decides(const Ends& ends, Index i) const;
  std::vector<Index> may_decide(std::optional<double> tol) const;
  GroupBounds reached() const;
  bool refuted() const;
  void forget_exact();
  void make_all_exact(const Exact& exact);
  Exact in_double(const ExactRows& rows) const;
  void compute_in_double(const Exact& exact, const std::vector<Index>& idx);
  void make_objective_known(const Exact& exact, Result& result);
  double estimate_objective(const Exact& exact, int draws, Result& result);
  double allowed_error(double objective) const;
  bool objective_is_known(double objective, double each_off_by) const;
  double objective_in(const Exact& exact) const;

  const Problem& problem_;
  const double* beta_;
  double* g_;
  const kernel_matrix::Rounding rounding_;
  base::Context& context_;
  std::vector<Index> support_;
  std::vector<double> minus_beta_;  // -beta of the support
  std::vector<Index> by_size_;  // positions in support_, the largest |beta| first
  bool claims_ = true;
  std::vector<std::uint8_t> exact_;  // by variable: its gradient is the true one
  Origins origins_;
  double squared_steps_ = 0, left_out_ = 0;  // of the last solve
  std::vector<Change> changes_;  // by origin
  Errors errors_;
  std::vector<double> largest_seen_;  // by origin: the largest error of those of exact_ before they were
  bool sampled_ = false;  // rows were drawn to test the bound
  Index per_point_ = 1;  // variables, one after another, whose rows are equal
  double sum_ = 0, square_ = 0;  // of |beta|, of beta^2
};

/// The objective of a solution, true as Judged knows it. gradient: that of beta; some of its values are replaced by those in
/// double.
double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);
double judged_objective(const Judged::ExactRows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);

}  // namespace dcsvm::qp
