// The bias that all clusters of a level share.
#pragma once

#include <limits>

namespace dcsvm::multilevel {

/// How the clusters of a level treat the bias.
///   none    the problem has none.
///   own     each cluster has its own bias and its own constraint sum beta = 0.
///   common  one bias b and one constraint over all clusters: Lemma 1 for the problem with a bias. b is the constraint's
///           multiplier: for a given b the clusters separate (linear term y - b, box only), and sum beta falls as b grows.
/// A local kernel makes almost every point its own support vector, except that a cluster of mostly one class explains them by its
/// own bias. On the 85,745-row covtype sample (64 clusters) `own` finds 0.88 of the support vectors, `common` 0.96.
enum class BiasMode { none, own, common };

/// Root of the decreasing function S(b) = sum beta by safeguarded secant steps; each evaluation is a solve of all clusters.
class BiasSearch {
 public:
  double bias() const { return b_; }
  /// A new level: S changes a little, its slope is kept.
  void new_level() {
    lo_ = -std::numeric_limits<double>::infinity();
    hi_ = std::numeric_limits<double>::infinity();
    known_ = false;
  }
  /// Takes S(bias()), and a first guess of -dS/db; moves bias(). Returns the length of the step.
  double update(double sum, double slope_guess);

 private:
  double b_ = 0.0;
  double slope_ = 0.0;  ///< -dS/db; 0: unknown
  double lo_ = -std::numeric_limits<double>::infinity(), hi_ = std::numeric_limits<double>::infinity();
  double last_b_ = 0.0, last_sum_ = 0.0;
  bool known_ = false;  ///< last_* are of this level
};

}  // namespace dcsvm::multilevel
