// The weights of several classes, and rows against all of them.
//
// Dense X of many features: class after class, each class's weights next to each other. Otherwise feature by feature, each
// feature's classes next to each other and padded to 4 or to whole cache lines, so that one read of a row serves all classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"
#include "products/matrix.hpp"
#include "products/pieces.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::products {

class ClassWeights {
 public:
  /// All weights are 0. x: a matrix with the columns of those that scores() and add() get, and dense where they are.
  ClassWeights(const Matrix& x, Index classes)
      : by_class_(x.dense() && x.features() >= kLongRow),
        classes_(classes),
        cols_(x.cols()),
        lanes_(by_class_ ? classes : lane_width<double>(classes)),
        w_(cols_ * lanes_, 0.0),
        far_(!by_class_ && w_.bytes() > kSecondCache) {}

  /// Length of `out` and `a` below; what is beyond the classes is padding, 0.
  Index lanes() const { return lanes_; }
  double operator()(Index feature, Index m) const { return w_[by_class_ ? m * cols_ + feature : feature * lanes_ + m]; }
  void scale(double factor) {
    std::for_each(w_.data(), w_.data() + w_.size(), [factor](double& w) { w *= factor; });
  }
  /// The sum of |w_m|^2 over the classes.
  double norm2() const { return std::inner_product(w_.data(), w_.data() + w_.size(), w_.data(), 0.0); }
  void clear() { std::fill(w_.data(), w_.data() + w_.size(), 0.0); }

  /// out[m] = w_m'x_i.
  void scores(const Matrix& x, Index i, double* out) const {
    if (by_class_) {
      for (Index m = 0; m < classes_; ++m) out[m] = x.dot(i, w_.data() + m * cols_);
      return;
    }
    std::fill(out, out + lanes_, 0.0);
    x.pieces(i, [&](const auto* v, const std::int32_t* c, Index n) { lanes_of(v).dot(v, c, n, w_.data(), lanes_, out); });
  }

  /// w_m += a[m] x_i. Few classes change in most steps: then these alone are visited.
  void add(const Matrix& x, Index i, const double* a) {
    const Index changed = lanes_ - std::count(a, a + lanes_, 0.0);
    if (!by_class_ && 4 * changed > lanes_) {
      x.pieces(i, [&](const auto* v, const std::int32_t* c, Index n) { lanes_of(v).add(v, c, n, a, w_.data(), lanes_); });
      return;
    }
    if (by_class_) {
      for (Index m = 0; m < classes_; ++m) {
        if (a[m] != 0) x.add(i, a[m], w_.data() + m * cols_);
      }
      return;
    }
    changed_.clear();
    for (Index m = 0; m < classes_; ++m) {
      if (a[m] != 0) changed_.push_back({m, a[m]});
    }
    x.each(i, [&](Index j, double v) {
      for (const Change& c : changed_) w_[j * lanes_ + c.lane] += c.by * v;
    });
  }

  /// Loads the weights that row i needs into the second cache, where not all are in it already: rows come in random order, and
  /// without this the processor has few loads under way at once.
  void prefetch(const Matrix& x, Index i) const {
    if (!far_) return;
    constexpr Index kLine = kCacheLine / sizeof(double);
    x.each(i, [&](Index j, double) {
      for (Index m = 0; m < lanes_; m += kLine) __builtin_prefetch(w_.data() + j * lanes_ + m, 1, 2);
      asm volatile("");  // Without it, gcc takes a function of prefetches alone for one without effect, and drops its call.
    });
  }

 private:
  static constexpr Index kLongRow = 32;  // features; shorter products cost less than their calls, one for each class
  static constexpr std::size_t kSecondCache = std::size_t{1} << 19;  // bytes of weights that the second cache is sure to hold

  template <class T>
  static const simd::LaneOps<T>& lanes_of(const T*) {
    return simd::lane_ops<T>();
  }

  struct Change {
    Index lane;
    double by;
  };

  bool by_class_;
  Index classes_, cols_, lanes_;
  base::Buffer<double> w_;
  bool far_;
  std::vector<Change> changed_;  // of the step under way
};

}  // namespace dcsvm::products
