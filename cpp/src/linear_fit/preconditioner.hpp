// What conjugate gradients are preconditioned with.
// [1] Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018): the diagonal.
//
// With few columns: the Cholesky factor of I + X_S' D X_S, S all rows, or every k-th where all would cost more than a few
// products with X; then weighted by k, and the diagonal corrected where it falls short of the true one.
#pragma once

#include <vector>

#include "linear_fit/problem.hpp"
#include "products/gram_matrix.hpp"

namespace dcsvm::linear_fit {

inline constexpr Index kColumnPiece = Index{1} << 15;  ///< columns of one piece of parallel work on vectors

/// M for the Hessian H = I + X' D X of one problem, D the curvatures of its rows.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Decides what set() will do, once before each step. True: squares() must hold the sums of curvature x_ij^2 by then.
  virtual bool needs_diagonal() { return false; }
  double* squares() { return squares_.sums.data(); }
  virtual void set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) = 0;
  /// Takes note that n products H v have been done, or are sure to follow: a factor must pay for itself.
  virtual void count_products(Index) {}
  /// Whether M is H itself.
  virtual bool exact() const { return false; }
  /// out = M^-1 r.
  void solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const;

 protected:
  Preconditioner(const Problem& problem, HessianDiagonal* squares);

  double regulariser(Index j) const { return p_.regularized(j) ? 1.0 : 0.0; }
  /// Factors the regulariser plus `gram`, the lower triangle of X_S' D X_S. diagonal: null, or that of H, to which the diagonal
  /// of a sample's matrix is raised. Sets factored_ to whether it could be factored.
  void factor(const std::vector<double>& gram, const double* diagonal, base::ThreadPool& pool);
  /// M from the diagonal alone.
  void invert_squares();

  const Problem& p_;
  Index d_;
  bool factored_ = false;
  std::vector<double> factor_, diagonal_;
  HessianDiagonal own_squares_;
  HessianDiagonal& squares_;
  std::vector<double> inverse_;  // of the diagonal, where nothing is factored
};

/// Of a problem that is solved alone: a factor in each step, where it pays.
class OwnPreconditioner : public Preconditioner {
 public:
  /// factors: false: the diagonal only. squares: null, or sums of the same problem for nearly the same curvatures, from which it
  /// goes on and which it keeps up to date.
  OwnPreconditioner(const Problem& problem, bool factors, HessianDiagonal* squares, std::size_t cap_bytes)
      : Preconditioner(problem, squares),
        factors_(factors && is_narrow(*problem.x)),
        gram_(*problem.x, products::blocks_within(cap_bytes, d_), false) {}
  void set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) override;
  bool exact() const override { return exact_; }

 private:
  bool factors_, exact_ = false;
  products::HeldGram gram_;
};

/// Of one of several problems that share products with X, which cost each of them less: a factor only after as many products as
/// it costs, from a few rows for each column.
class SharedPreconditioner : public Preconditioner {
 public:
  explicit SharedPreconditioner(const Problem& problem);
  bool needs_diagonal() override;
  void set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) override;
  void count_products(Index n) override { n_products_ += n; }

 private:
  double product_cost() const;
  double sampled_rows(double active) const;
  Index choose_step(const std::vector<double>& curvature) const;

  static constexpr Index kFirstProducts = 4;  // that the first direction will need at the least
  bool builds_ = false;
  Index n_products_ = kFirstProducts;  // since the last factor
  products::HeldGram gram_;
};

}  // namespace dcsvm::linear_fit
