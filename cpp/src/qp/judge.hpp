// The gradients that decide whether a solution is one, and its objective, in double, when it was found with float kernel values.
// (Solves in double and linear kernels are not judged here: verify.hpp.)
//
// Symbols. b: the coefficients of n variables, lo <= b <= hi. K and q: solver.hpp. g = q - K b: their true gradient. h: what the
// float solve holds in its place. up = {i: b_i < hi_i}, low = {i: b_i > lo_i}. The violation is V = max_up g - min_low g; without
// an equality constraint V = max(max_up g, max_low -g, 0). With two groups of variables, V is the larger of the two groups'
// violations, and S, M, m and s below are formed for each group. tol is Options::accepted_tol. deviation, largest, shared and
// typical are fields of Rounding; the path p, R, `coherent` and L are defined in error_bound.hpp, which should be read first.
// L(r, P) = sqrt(2 log(2 r / P)); L alone is L(n, 10^-12).
//
// Gradients "in double" (in the code: exact) come from kernel values in double, and are taken as true here. What their own
// roundings hide of a violation, all of them at their worst, is twice bound_of_formed (error_bound.hpp; Result::hidden). Where
// that is more than a fiftieth of tol it counts as violation, as in solves in double (verify.hpp). A float solve goes on in
// double where |b|_2 > 30 tol / typical, since most of the work would be done there. A solve that starts from coefficients other
// than 0 may be judged at a larger tol, the least that double can tell. "Converged" at the tolerance that was asked for then
// needs all gradients in double (scaled_solve.cpp).
//
// What is claimed of a solution that is called converged. V <= tol, although most g_i are never computed. (What double hides is
// left out up to a fiftieth of tol: V < 1.02 tol.) Let R_i >= |h_i - g_i| be the bound of i, S the variables whose gradients were
// computed in double, M the largest g_i of those in S and in up, m the least g_i of those in S and in low, and s = (tol - max(M -
// m, 0)) / 2 > 0. Without an equality constraint M means max(M, 0), m means min(m, 0), and s = tol - max(M, -m). Those may stay
// outside of S that have
//
//     h_i + R_i <= M + s  if i is in up,   and   h_i - R_i >= m - s  if i is in low.
//
// (Both, if i is in both.) S begins with the four variables with the largest h of up and the four with the smallest of low. R_i
// is the R of the origin of i (below). Every variable that fails this test is computed in double and joins S. That changes M, m
// and s, so the test is repeated until all variables outside of S pass it. Then max_up g <= M + s and min_low g >= m - s, so that
// V <= max(M - m, 0) + 2 s = tol; without an equality constraint M + s <= tol and m - s >= -tol. No variable is outside the
// argument, but two kinds of R are tested and not bounded: of a caller's gradient, and where values are by_columns (below). Where
// M - m is tol or more, the solution is not accepted, whatever the others are; that needs no R. A refusal at tol says nothing of
// a larger tolerance: rows were then computed only as far as tol needed. R is never fitted to errors that are seen; these can
// only refute it.
//
// Concentrated coefficients. R grows with |b|_2, which is large where a few coefficients are. With H those few (`heavy`), the
// part sum_{j in H} b_j K_ij is formed in double for all rows, which is n |H| values, and the rest anew in float. What float
// contributes is then one product with the remaining coefficients: the heavy part is an origin, and R is formed from the light
// coefficients alone. The number of heavy coefficients is chosen for the least cost in total: with fewer of them R is larger, and
// more gradients must be computed afterwards. H may be everything; then nothing is left to argue.
//
// What is assumed. R is a bound in the sense of Higham and Mary (kernel_functions/rounding.hpp).
// 1. The roundings of single values are as good as independent of each other and of b, with mean zero. Strictly they are not
//    independent of b, because the solver has seen them. This is not assumed where values are `alike` (Rounding): K then takes
//    few values, thousands of them are rounded alike, and R is `coherent`, the bound for values whose errors all have the sign of
//    their b_j. Elsewhere, where M - m + 2 coherent < tol, the test above is made with `coherent` in place of R for all
//    variables, and assumption 1 is not needed.
// 2. The roundings of sums are as good as independent, with mean zero, where products are added in float at all, and so are those
//    of additions to gradients. `coherent` needs this too. Equal steps are rounded to float by the same error, up to u value
//    |d|_1 together for a step d of all of them. `coherent` counts that for all coefficients; R does not, and there only the rows
//    that are drawn below show it.
// 3. `deviation` takes the partial sums of an inner product to grow evenly; where they do not, it may be 1.7 times too small. On
//    the other side Hoeffding's inequality allows each rounding its largest size, while one that is spread evenly has a standard
//    deviation 1.7 times smaller. The second usually makes up for the first; that is not proved.
// 4. Some rbf kernels subtract the centre of a tile, which depends on the active columns (Rounding::by_columns; kernel_rows.cpp:
//    close points of more than 64 features; regions). K_ij is then rounded otherwise whenever that set changes, and a change and
//    its way back no longer cancel. For these kernels the paths p take the place of b in the part of single values. In `shared`
//    they do not: that the sets never changed is assumed there. Such a solution is accepted only after rows were compared in
//    double, drawn by the paths of their variables; the sweep has such problems (bench/certificates.py --turned). A matrix that
//    is stored as a whole (make_stored_rows) was computed with one set for good, and is not by_columns.
// 5. Gradients on the way were no larger than the last ones, and the additions to them were those of this solve
// (error_bound.hpp).
//    Where they were more, a part of R that is 2^-29 of the others is too small by that factor.
// One bound uses Hoeffding's inequality twice, for values with their sums, and for additions to gradients: under these
// assumptions it fails for one of its n rows with a probability of at most 2 10^-12. A training has one bound for each origin of
// each judge. Points with equal rows count as one, but not those of a given matrix, whose rows are not compared.
//
// What is tested. Nearly equal rows of many equal features have sums that are rounded towards one side, so that their roundings
// add up instead of averaging out (equal points count as one in R). The rows that suffer are mostly those of these very points
// and of their neighbours, which then have a large share of |b|_1, so that draws by |b_i| find them. So, unless R is `coherent`
// or `coherent` would be enough, 16 rows are drawn with the probability |b_i| / |b|_1, and 16 more are spread evenly. Each
// gradient that is
// computed in double for whatever reason is compared with R (or `coherent`, where that is in its place) times L(rows seen, 10^-6)
// / L, about 2/3: all of R, also its parts that do not depend on chance, which are so tested at 2/3 of what is claimed. One that
// is further off refutes the assumptions, and all gradients are computed in double. A later judge of the same gradients draws
// other rows; seeds are fixed, so that one training always draws the same. The draws miss rows that have a quarter of |b| with a
// probability of 1 %, rows that have a tenth of it with 19 %. An error above R goes unseen if it occurs only in rows that have a
// small share of |b|, are not near the extremes, and are not drawn. Such data can be built: thousands of nearly equal rows of a
// thousand equal features at C, and five rows elsewhere whose values with all of these are rounded to one side. At a tolerance of
// about 100 2^-24 |b|_1, 1.35 tol were called converged. Of problems with n |support| <= 65,536 all gradients are computed at
// once.
//
// Gradients that are given (origins.hpp). Where a gradient was formed in double at some b0, and float values have led on from
// there, b - b0 takes the place of b in R and in the draws, and the path p begins there: a solve that goes on from true
// gradients is judged by what it changed (iterative refinement). Each variable has its own origin b0, with the paths of all
// variables since, and 16 rows are drawn of each origin, among its own variables, in place of the 16 by |b_i|. Variables of one
// point have the same values: where both changed in the same direction, the square of the sum counts. A solve hands origins on to
// the next one that is given its gradients: along a path of C, to a smaller tolerance, or after gradients were corrected. So a
// solve that goes on needs true gradients only of those that may decide; the others keep their R, by which the next judge sees
// whether they have come near. How a caller formed its gradient is unknown, so R for it is a guess: such a solution is accepted
// only after rows have been compared in double. (A solve in double believes it; training_problem.cpp compares 16 of its rows.)
//
// Nothing in double. Where the violation of h plus 2 `coherent` is below tol, and `coherent` leaves all digits of the report, no
// gradient is computed, however small the problem is (else all are, of small problems, as above). Assumption 1 is not needed
// then; assumption 2 is, where products are added in float, and no drawn row tests it.
//
// What rests on likely errors. The error that is likely is the larger of typical |p|_2 and 1.25 times the largest that was seen.
// A caller of judge() is told the second alone where rows were drawn, to set the tolerance of the next solve.
// A level of divide and conquer from which the next one starts makes no claim; its report has a violation and an objective, which
// rest on likely errors alone. How many digits of a reported violation are right is judged by the likely error; whether V is at
// most tol is judged by R. The objective is corrected by an estimate of its error, from gradients that are drawn by |b_i| times
// the error that is likely of their origin. Rows are drawn until four standard errors of the estimate are below 5e-6 of the
// objective, or 5e-9 of the larger of its terms; otherwise it is formed in double. Values that double leaves out
// (RowSource::negligible) are added to the violation by the caller (verify.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/context.hpp"
#include "qp/active_set.hpp"
#include "qp/equal_rows.hpp"
#include "qp/error_bound.hpp"
#include "qp/origins.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// A solution: coefficients and their gradient. Keeps references; beta must not change.
class Judged {
 public:
  static inline const EqualRows kAllDiffer{1};
  using Rows = kernel_matrix::RowSource<float>;
  using ExactRows = kernel_matrix::RowSource<double>;
  /// rounding: of the float values from which `gradient` was formed. result: of the last solve; path: how far each variable went
  /// in it, |steps| added up (empty: straight from the origin to b). equal: must stay.
  Judged(const Problem& problem, const double* beta, double* gradient, const kernels::Rounding& rounding, base::Context& context,
         const Result& result, std::vector<double> path = {}, Origins origins = {}, const EqualRows& equal = kAllDiffer);

  double norm1() const { return sum_; }  ///< of beta
  double bound() const { return largest(errors_now(), &GradientError::bound); }  ///< R, the largest of all origins
  /// Bound on what left-out kernel values make of any gradient, those that origins had before the last solve included.
  double left_out() const;
  /// After judge(): all gradients are those in double.
  bool all_exact() const;
  /// Where the gradients come from, for a solve that goes on with them. What float values have left out is in them: the solve's
  /// Options::left_out is that of gradients in double.
  Origins origins() const;

  /// After judge(): every gradient that can still decide becomes the one in double, for a solve that goes on from here.
  void refine(const ExactRows& exact);

  /// Whether `coherent` alone shows that the result is below tol, its violation known to a hundredth and, where it is wanted, its
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
  using Errors = std::vector<GradientError>;  // by origin

  void note_changes();
  Errors errors_now() const;
  /// Of a caller's gradient, and of values that are rounded in one way in one update and otherwise in the next.
  bool is_guess(std::size_t origin) const { return origins_.known[origin].given || rounding_.by_columns; }
  std::size_t origin_of(Index i) const { return origins_.of.empty() ? 0 : origins_.of[i]; }
  double square_of_f(const Origin& origin) const;
  double path_of(const Origin& origin, Index i) const;
  Split cheapest(const Exact& exact, double tol);
  void renew(const Rows& rows, const ExactRows& exact, Index heavy);
  void add_spread(Index count, std::vector<Index>& idx) const;
  void draw_of_origins(std::vector<Index>& idx) const;
  void look_at_sample(const Exact& exact);
  std::vector<Index> extremes() const;
  std::vector<Index> not_yet_exact(std::vector<Index> idx) const;
  Ends ends(const Errors& errors, std::optional<double> tol) const;
  bool decides(const Ends& ends, Index i) const;
  std::vector<Index> may_decide(std::optional<double> tol) const;
  GroupBounds reached() const;
  std::vector<Index> of_smallest_origin() const;
  bool refuted() const;
  void forget_exact();
  void make_all_exact(const Exact& exact);
  Exact in_double(const ExactRows& rows) const;
  void compute_in_double(const Exact& exact, const std::vector<Index>& idx);
  void make_objective_known(const Exact& exact, Result& result);
  double estimate_objective(const Exact& exact, int draws, Result& result);
  double allowed_error(double objective) const;
  double objective_in(const Exact& exact) const;

  const Problem& problem_;
  const double* beta_;
  double* g_;
  const kernels::Rounding rounding_;
  base::Context& context_;
  std::vector<Index> support_;
  std::vector<double> minus_beta_;  // -beta of the support
  std::vector<Index> by_size_;  // positions in support_, the largest |beta| first
  bool claims_ = true;
  std::vector<std::uint8_t> exact_;  // by variable: its gradient was computed in double
  Origins origins_;
  std::vector<double> path_;  // of the last solve, by variable; and what it left out
  double left_out_ = 0;
  const EqualRows& equal_;
  std::vector<Change> changes_;  // by origin: b less the origin's, as float values make of the present gradients
  Errors errors_;
  std::vector<double> largest_seen_;  // by origin: the largest error of those of exact_ before they were
  bool sampled_ = false;  // rows were drawn to test the bound
  double sum_ = 0;  // of |beta|
  double square_;  // of beta, by points
  double of_additions_ = 0;  // bound_of_additions
};

/// The objective of a solution, true as Judged knows it. gradient: that of beta; some of its values are replaced by those in
/// double.
double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);
double judged_objective(const Judged::ExactRows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context);

}  // namespace dcsvm::qp
