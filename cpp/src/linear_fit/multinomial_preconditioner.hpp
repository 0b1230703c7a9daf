// M for the Hessian of the multinomial model: what belongs to each class alone, I + X' D_m X with the curvatures C p_m (1 - p_m)
// of the rows. With few columns its Cholesky factor, else its diagonal.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "linear_fit/multinomial.hpp"

namespace dcsvm::linear_fit {

class MultinomialPreconditioner {
 public:
  /// width: of the lanes in which vectors and probabilities lie (products/lane_pass.hpp).
  MultinomialPreconditioner(const MultinomialProblem& problem, Index width);
  /// What it holds.
  static double bytes(Index cols, Index width);

  /// p: the probabilities, rows x width.
  void set(const base::Buffer<float>& p, base::ThreadPool& pool);
  /// out = M^-1 r.
  void solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const;

 private:
  static bool factors(Index cols);
  template <class W>
  bool sum(const base::Buffer<float>& p, bool pairs, base::ThreadPool& pool);
  bool factor(base::ThreadPool& pool);
  void invert_diagonal();

  const MultinomialProblem& p_;
  Index d_, width_;
  bool factored_ = false;
  std::vector<double> sums_;     // entry by entry, the lanes of each side by side
  std::vector<double> factor_;   // of class after class: rows of the lower triangle, inverse diagonal
  std::vector<double> inverse_;  // where nothing is factored
};

}  // namespace dcsvm::linear_fit
