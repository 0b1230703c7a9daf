// What methods for the multinomial model that hold the weights of all columns compute from the rows: one pass over X gives the
// losses at W, their gradient and the probabilities.
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/softmax_row.hpp"
#include "products/lane_pass.hpp"

namespace dcsvm::linear_fit {

/// Weights and all vectors with an entry for each of them are columns x width, the classes side by side and zeros beyond them.
class MultinomialRows {
 public:
  explicit MultinomialRows(const MultinomialProblem& problem)
      : p_(problem), pass_(problem.rows(), problem.cols(), problem.classes, problem.exact_x->stored()) {}

  Index width() const { return pass_.width(); }
  Index size() const { return pass_.size(); }
  products::LanePass& pass() { return pass_; }
  double bytes() const { return pass_.bytes(); }

  /// Returns the losses. gradient: of them, without the penalty. probabilities: rows x width; rows of weight 0 keep what they
  /// have.
  double evaluate(const std::vector<double>& w, std::vector<double>& gradient, base::Buffer<float>& probabilities,
                  base::ThreadPool& pool) {
    double losses = 0;
    pass_.run<double>(*p_.exact_x, w.data(), gradient.data(), pool, losses, [&](Index i, double* z, double& sum) {
      double few[products::kOnStack];
      std::vector<double> many(width() > products::kOnStack ? static_cast<std::size_t>(width()) : 0);
      if (p_.C[i] == 0) return false;
      float* const own = probabilities.data() + i * width();
      sum += softmax_row(z, p_.classes, p_.class_of[i], p_.C[i], own, many.empty() ? few : many.data());
      return true;
    });
    return losses;
  }

  /// From columns x classes, and back.
  void widen(const std::vector<double>& w, std::vector<double>& wide) const {
    for (Index j = 0; j < p_.cols(); ++j) std::copy_n(w.data() + j * p_.classes, p_.classes, wide.data() + j * width());
  }
  std::vector<double> narrowed(const std::vector<double>& wide) const {
    std::vector<double> w(static_cast<std::size_t>(p_.cols() * p_.classes));
    for (Index j = 0; j < p_.cols(); ++j) std::copy_n(wide.data() + j * width(), p_.classes, w.data() + j * p_.classes);
    return w;
  }

 private:
  const MultinomialProblem& p_;
  products::LanePass pass_;
};

}  // namespace dcsvm::linear_fit
