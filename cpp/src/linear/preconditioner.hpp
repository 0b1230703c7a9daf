// What conjugate gradients are preconditioned with.
// Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018): the diagonal.
//
// With few columns: the Cholesky factor of I + X_S' D X_S, S all rows, or every k-th where all would cost more than a few
// products with X; then weighted by k, and the diagonal corrected where it falls short of the true one. From one step to the next
// only rows are added or taken away whose curvature has changed by more than a fifth; the sums of squares of the diagonal follow
// the same rule.
#pragma once

#include <vector>

#include "linear/problem.hpp"

namespace dcsvm::linear {

inline constexpr Index kColumnPiece = Index{1} << 15;  ///< columns of one piece of parallel work on vectors

/// Whether X is narrow enough for matrices of its columns, and its rows are in memory.
bool few_columns(const Matrix& x);

/// What a preconditioner may cost.
struct PreconditionerWork {
  /// Products with X serve several problems at once and cost each of them less: the Hessian is factored, from three rows for each
  /// column, only after as many products as that costs, and the sums of squares come from outside.
  bool shared = false;
  double budget = 12.0;  ///< not shared: products of values that X'DX may cost, for each stored value of X; 0: the diagonal only
  Index most_blocks = 16;  ///< of rows with sums of their own, which are work for as many threads
};

class Preconditioner {
 public:
  /// squares: null, or those of the same problem, for nearly the same curvatures, to go on from; they are kept up to date.
  Preconditioner(const Problem& problem, const PreconditionerWork& work, HeldSquares* squares = nullptr);

  /// Shared: decides whether set() will factor; to be called before it. True: squares() must hold the sums of curvature x_ij^2 by
  /// then.
  bool plan();
  double* squares() { return squares_.sums.data(); }
  void count_product() { ++n_products_; }
  /// Shared: n products are sure to follow, so a factor may be due sooner.
  void expect_products(Index n) { n_products_ += n; }
  /// For the Hessian with these curvatures of the rows.
  void set(const std::vector<double>& curvature, base::ThreadPool& pool);
  /// Fills the symmetric d x d matrix X' D X, or what stands for it: of the sampled rows, with the true diagonal where it is
  /// larger.
  void hessian(const std::vector<double>& curvature, base::ThreadPool& pool, std::vector<double>& out);
  /// Whether solve() solves with the Hessian itself.
  bool exact() const { return exact_; }
  /// out = M^-1 r.
  void solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const;

 private:
  Index choose_step(const std::vector<double>& curvature) const;
  bool update(const std::vector<double>& curvature, Index step, double keep, base::ThreadPool& pool);
  void add_rows(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool);
  void set_shared(const std::vector<double>& curvature, base::ThreadPool& pool);
  void factor(const double* diagonal, base::ThreadPool& pool);
  void invert_squares();
  double row_cost() const;
  double product_cost() const;
  double sampled_rows(double active) const;
  double worth() const;
  bool on_tiles(Index step) const;
  void add_on_tiles(const std::vector<Index>& rows, const std::vector<double>& weights, base::ThreadPool& pool);
  void set_diagonal(const std::vector<double>& curvature, base::ThreadPool& pool);
  void update_squares(const std::vector<double>& curvature, base::ThreadPool& pool);

  const Problem& p_;
  PreconditionerWork work_;
  Index d_;
  bool factored_ = false, exact_ = false, builds_ = false;
  bool in_float_range_ = true;  // of the rows' products, as far as is known
  Index n_products_ = 4;  // since the last factor; the first direction will need some
  std::vector<double> diagonal_;
  HeldSquares own_squares_;
  HeldSquares& squares_;
  std::vector<double> inverse_;  // of the diagonal that preconditions where nothing is factored
  Index step_ = 0;  // of the rows in gram_
  std::vector<double> held_;  // curvature of each row in gram_
  std::vector<double> gram_;  // d x d, lower triangle, column-major: step X_S' D X_S
  std::vector<double> factor_;
  base::Buffer<double> sums_;
};

}  // namespace dcsvm::linear
