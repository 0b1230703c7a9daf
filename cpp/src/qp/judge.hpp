// The gradients that decide whether a solution is one, and its objective, in double, when it was found with float kernel values.
//
// What is claimed. g = q - K b is the true gradient, h what a float solve holds in its place, e = h - g. The violation is that of
// g, and no g_i is computed in double unless it has to be: a bound R >= |e_i| for all i tells which have to. With M the largest
// true g of those in `up` that were computed, m the least in `low`, and s the room that is left, M - m + 2s = tol, a variable in
// `up` with h_i + R <= M + s cannot lift the violation to tol, nor can one in `low` with h_i - R >= m - s. All others are
// computed in double, until none is left. So no variable is outside the argument, and none is judged by how others were wrong.
//
// The bound. Written out over the solve, h_i = q_i - sum over its updates t of sum_j d_tj (K_ij + error), where the changes d_tj
// of b_j add up to b_j. Three parts (kernel_matrix/rounding.hpp has the constants of each kernel):
// 1. Roundings of single values. The same value is rounded in the same way in every update, so their sum is sum_j b_j error_ij.
// An
//    error_ij is a sum of elementary roundings, each of at most a known size: with independent ones of mean zero Hoeffding's
//    inequality gives, for all n rows at once and but for a probability of 10^-12,  |sum| <= L deviation |b|_2,
//    L = sqrt(2 log(2 n 10^12)), about 9, where deviation^2 is the sum of the squares of these sizes.
// 2. Roundings of the sums. Products are added up in double but for the few of a strip, each of at most the strip's sum. They
//    differ from update to update: L times a few u max|K| sqrt(sum_t |d_t|^2), by the same inequality.
// 3. What the values of a row share, and values that were left out (RowSource::negligible): bounded without probabilities.
//
// Concentrated coefficients. |b|_2 is large where a few coefficients are. With H those few (`heavy`), the part sum_{j in H} is
// formed in double for all rows, which is n |H| values, the rest anew in float, and then |b|_2 is that of the rest alone and part
// 2 has one update. How many are heavy is what costs least: the fewer they are, the more gradients the bound leaves to be
// computed. H may be everything; then nothing is left to argue.
//
// What is assumed: independence, for part 1, where largest |b|_1, which assumes nothing, is too wide. Values of equal points are
// rounded alike, and so are values of equal distance on a coarse grid; then the errors of many columns add up. Every gradient
// that is computed in double is compared with R, among them those of the rows with the largest share of |b|, where such a sum
// would be. One beyond R refutes the assumption, and then all gradients are computed in double. Small problems are computed as a
// whole at once.
//
// Where R leaves the violation below tol without any gradient in double, nothing is computed; then the claim must also hold if
// the errors added up to a quarter of largest |b|_1, as there is no sample to refute independence. A gradient that an earlier
// solve left counts as formed in one update: what moved on the way to it is not known here.
//
// The digits of the violation that is reported rest on the likely error instead of R (GradientError), and those of the objective
// on the errors of gradients that are drawn by b_i^2; the claim does not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/context.hpp"
#include "qp/active_set.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

GroupBounds bounds_of(const Problem& problem, const double* beta, const double* g);

/// How far gradients of a float solve may be from the true ones.
struct GradientError {
  double bound = 0;  ///< R above: of every gradient
  double certain = 0;  ///< the same with largest |b|_1 for part 1, which assumes nothing
  double likely = 0;  ///< of hardly any more
};

/// R above, for coefficients of which b2 is the 2-norm, b1 the 1-norm, f the norm sqrt(b'K b) (negative: unknown), and moved the
/// sum of the squares of their changes on the way; left_out: bound on the effect of values that were left out.
GradientError error_bound(const kernel_matrix::Rounding& rounding, Index n, double b2, double b1, double f, double moved,
                          double left_out);

/// A solution: coefficients and their gradient. Keeps references; beta must not change.
class Judged {
 public:
  using Rows = kernel_matrix::RowSource<float>;
  using ExactRows = kernel_matrix::RowSource<double>;
  /// rounding: of the float values from which `gradient` was formed.
  Judged(const Problem& problem, const double* beta, double* gradient, const kernel_matrix::Rounding& rounding,
         base::Context& context);

  /// Whether the bound alone shows that the result is below tol, its violation known to a hundredth and, where it is wanted, its
  /// objective to six digits.
  bool is_known(const Result& result, double tol, bool wants_objective) const;

  /// Replaces the gradients that decide the violation by their values in double and brings the result's objective, bias and
  /// counts up to date; without wants_objective, the objective only as far as these gradients tell. tol: the violation below
  /// which the solution is accepted. Returns how far any other gradient is likely to be wrong. exact: the matrix of `rows`.
  double judge(const Rows& rows, const ExactRows& exact, double tol, bool wants_objective, Result& result);

 private:
  struct Split {
    Index heavy;  // so many of by_size_; -1: the gradient stays as it is
    double cost;  // float kernel values, or their time
  };

  struct Ends {  // of each group, with how far other gradients may be from what is known of them
    std::array<double, 2> up, low, reach;
  };

  GradientError error_now(const Result& result) const;
  double norm_of_f(const double* gradient) const;
  Split cheapest(const kernel_matrix::Columns<double>& exact, const GradientError& now, double tol);
  void sort_by_size();
  GradientError renew(const Rows& rows, const ExactRows& exact, Index heavy);
  void add_spread(Index count, std::vector<Index>& idx) const;
  std::vector<Index> sample() const;
  std::vector<Index> extremes() const;
  std::vector<Index> settled(std::vector<Index> idx) const;
  Ends ends(const GradientError& error, double tol) const;
  bool decides(const Ends& ends, Index i) const;
  std::vector<Index> may_decide(const GradientError& error, double tol) const;
  GroupBounds reached() const;
  void make_all_exact(const kernel_matrix::Columns<double>& columns);
  template <class T>
  std::unique_ptr<kernel_matrix::Columns<T>> columns_of_support(const kernel_matrix::RowSource<T>& rows) const;
  double replace(const kernel_matrix::Columns<double>& exact, const std::vector<Index>& idx);
  bool objective_is_known(double objective, double deviation) const;
  double widest_deviation(double moved) const;
  double found_deviation(const kernel_matrix::Columns<double>& exact);
  double objective_in(const ExactRows& rows, const kernel_matrix::Columns<double>& columns) const;

  const Problem& problem_;
  const double* beta_;
  double* g_;
  const kernel_matrix::Rounding rounding_;
  base::Context& context_;
  std::vector<Index> support_;
  std::vector<double> minus_;  // -beta of the support
  std::vector<Index> by_size_;  // positions in support_, the largest |beta| first
  std::vector<std::uint8_t> exact_;  // by variable: its gradient is the true one
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
