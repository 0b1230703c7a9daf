#include "svm/multilevel/bias_search.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::multilevel {

namespace {
constexpr double kLongestStep = 0.5;  ///< decision values of free support vectors are +-1
}

double BiasSearch::update(double sum, double slope_guess) {
  if (sum == 0.0) return 0.0;
  (sum > 0.0 ? lo_ : hi_) = b_;
  if (known_ && b_ != last_b_) {
    const double slope = (last_sum_ - sum) / (b_ - last_b_);
    if (slope > 0.0) slope_ = slope;
  }
  if (!(slope_ > 0.0)) slope_ = std::max(slope_guess, 1e-12);
  known_ = true;
  last_b_ = b_;
  last_sum_ = sum;
  double next = b_ + std::clamp(sum / slope_, -kLongestStep, kLongestStep);
  if (!(next > lo_ && next < hi_)) next = 0.5 * (lo_ + hi_);  // both finite: a step outside passed one and came from the other
  if (!std::isfinite(next)) return 0.0;
  b_ = next;
  return std::abs(b_ - last_b_);
}

}  // namespace dcsvm::multilevel
