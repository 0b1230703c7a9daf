// The smooth tree's loss and its gradient: the first step of the training (dcsvm/ldkl.hpp).
//
// With the gates g_k = tanh(s theta_k'z) a node's share is the product, over the nodes above it, of (1 + g)/2 towards a right
// child and (1 - g)/2 towards a left one; f(x) = sum over all nodes of share_k (w_k'z) tanh(sigma v_k'z). Gates saturate to
// exactly -1 or 1, so shares become exactly 0: below such a node nothing is computed, and its gradient is 0.
#pragma once

#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "ldkl/model_data.hpp"
#include "products/matrix.hpp"

namespace dcsvm::ldkl {

/// Two classes of rows; weights have the mean 1.
struct Rows {
  const products::Matrix* x = nullptr;
  const double* y = nullptr;       ///< -1 or +1
  const double* weight = nullptr;  ///< > 0
  Index size() const { return x->rows(); }
};

class SmoothTree {
 public:
  /// most: rows of one call of losses(), at most.
  SmoothTree(const Rows& rows, const Shape& shape, double sigma, Index most);

  /// The weighted hinge losses' sum over some rows, and what it pulls at: afterwards gradient() knows its subgradient, times
  /// `factor`. vectors: shape.vectors() of cols. The same for any number of threads.
  double losses(const Index* row, Index count, const double* vectors, double sharpness, double factor, base::ThreadPool& pool);
  /// out += that subgradient by vector k. Any thread.
  void gradient(Index k, double* out) const;
  /// Vectors of one piece of parallel work after losses().
  Index grain() const;

 private:
  struct Scratch;
  double forward(Index i, const double* vectors, double sharpness, Scratch& s) const;
  void backward(double pull, double sharpness, Scratch& s) const;
  void level_products(Index i, const double* vectors, double sharpness, Index level, Scratch& s) const;

  Rows rows_;
  Shape shape_;
  double sigma_;
  const Index* row_ = nullptr;
  Index count_ = 0;
  base::Buffer<double> pull_;  // vectors x most: of the loss at each inner product
  Index most_;
  std::vector<double> loss_;
};

}  // namespace dcsvm::ldkl
