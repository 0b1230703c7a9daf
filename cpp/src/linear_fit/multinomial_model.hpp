// The quadratic model of the multinomial losses at W with the penalty's |w|, and the step S that makes it small.
// [1] Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression (JMLR 13, 2012).
// [2] Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via coordinate descent (2010).
//
// Descent on one column of X after another, whose weights for all classes change together. A row's second derivative
// C (diag(p) - pp') is at most 2 C diag(p_m (1 - p_m)), because the row sums of its absolute values are twice its diagonal. With
// that bound the classes of a column separate, and each weight has its own minimum. The change Q(XS) of the rows' slopes is kept,
// classes side by side, and follows each change of S.
//
// Descent finds quickly which weights are 0, and slowly the values of the others where columns are nearly dependent and C is
// large. So conjugate gradients solve for these between its passes; along what they find, the model is minimised past changes of
// sign, until the kink of a weight's |w| stops it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "base/random.hpp"
#include "linear_fit/multinomial.hpp"
#include "optimise/conjugate_gradients.hpp"

namespace dcsvm::linear_fit {

inline constexpr double kNearActive = 0.1;  ///< of l1: from the gradient of a weight that is 0 to it, to take part in a step

class MultinomialModel {
 public:
  /// width: of the lanes in which vectors and probabilities lie (products/lane_pass.hpp).
  MultinomialModel(const MultinomialProblem& problem, const products::Columns& columns, Index width, std::uint64_t seed,
                   base::ThreadPool& pool);
  /// What it holds.
  static double bytes(Index rows, Index width);

  /// The model at w, where the losses have the gradient g and the probabilities p: rows x width. w and g: columns x width. All
  /// three must stay until the step is solved for. Only weights of the chosen columns change.
  void set(const std::vector<double>& w, const std::vector<double>& g, const base::Buffer<float>& p, std::vector<Index> chosen);
  /// Solves for the step from 0, until its violation is `accuracy` times what it was, descent has made kMostInnerPasses, or
  /// `ends` says so, which is asked before each pass over the columns: a step may take as long as all others.
  void solve(double accuracy, const std::function<bool()>& ends);
  /// After a part t of the step was taken; 0: none of it.
  void damp(double t);

  const std::vector<double>& step() const { return s_; }  ///< columns x width
  std::int64_t passes() const { return n_passes_; }  ///< of descent, and products with the Hessian

 private:
  const float* probabilities(Index i) const { return p_->data() + i * width_; }
  /// h: the losses' curvature along each weight of the chosen columns.
  void set_curvature();
  /// g = X_j'changes, for all classes.
  void column_sums(Index j, const base::Buffer<double>& changes, double* g) const;
  /// g = the gradient of the losses' quadratic model at the step S, for a column.
  void slopes(Index j, double* g) const;
  /// S changes by delta in column j, and the rows' slopes with it.
  void move(Index j, const double* delta);
  /// along_ = Q(X direction_), of which the columns of the nonzero weights count.
  void multiply();
  /// cg_.image = H cg_.direction.
  void multiply_direction();
  /// Lowers the model over the weights of w + S that are not 0: conjugate gradients as if none of them could change its sign,
  /// then the part of what they find at which the model, with its kinks, is smallest.
  void solve_nonzero(double accuracy, const std::function<bool()>& ends);
  /// The part of cg_.solution at which the model is smallest, past weights that change their sign. zero: the weight whose kink in
  /// |w| is there, if any. slope: the model's along the solution, as long as no sign changes; bend: its change.
  double best_part(double slope, double bend, Index& zero) const;

  const MultinomialProblem& problem_;
  const products::Columns& columns_;
  base::ThreadPool& pool_;
  Index n_, d_, k_, width_;
  base::Random random_;
  const std::vector<double>*w_ = nullptr, *g_ = nullptr;
  const base::Buffer<float>* p_ = nullptr;
  std::vector<Index> chosen_;
  double damping_ = 0, mean_curvature_ = 0;
  std::vector<double> s_, h_, most_;  // the step; the curvature along each weight; the largest |x| of each column
  base::Buffer<double> changes_, along_;  // of the rows' slopes, by the step; along a direction
  base::Buffer<float> curvature_;  // rows x width
  std::vector<double> of_mean_;  // 1 / sum of p, in whose rounding Q would not be positive semidefinite
  std::vector<Index> nonzero_, of_nonzero_;  // weights that conjugate gradients solve for, and their columns
  std::vector<double> direction_;  // for all weights
  optimise::ConjugateGradients<> cg_;
  std::int64_t n_passes_ = 0;
};

}  // namespace dcsvm::linear_fit
