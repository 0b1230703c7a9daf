// The weights of several classes, and rows against all of them.
//
// Dense X of many features: class after class, each class's weights next to each other. Otherwise feature by feature, each
// feature's classes next to each other and padded to 4 or to whole cache lines, so that one read of a row serves all classes.
#pragma once

#include <algorithm>

#include "base/buffer.hpp"
#include "data/matrix.hpp"

namespace dcsvm::linear {

class ClassWeights {
 public:
  /// All are 0. x: any matrix of the layout of those below.
  ClassWeights(const Matrix& x, Index classes)
      : by_class_(x.dense() && x.features() >= kLongRow),
        classes_(classes),
        cols_(x.cols()),
        lanes_(by_class_      ? classes
               : classes <= 4 ? 4
                              : (classes + 7) / 8 * 8),
        w_(cols_ * lanes_, 0.0),
        far_(!by_class_ && w_.bytes() > kSecondCache) {}

  /// Length of `out` and `a` below; what is beyond the classes is padding, 0.
  Index lanes() const { return lanes_; }
  double operator()(Index feature, Index m) const { return w_[by_class_ ? m * cols_ + feature : feature * lanes_ + m]; }
  void clear() { std::fill(w_.data(), w_.data() + w_.size(), 0.0); }

  /// out[m] = w_m'x_i.
  void scores(const Matrix& x, Index i, double* out) const {
    if (by_class_) {
      for (Index m = 0; m < classes_; ++m) out[m] = x.dot(i, w_.data() + m * cols_);
      return;
    }
    Index b = 0;
    for (; b + 8 <= lanes_; b += 8) dot_block<8>(x, i, b, out + b);
    if (b < lanes_) dot_block<4>(x, i, b, out + b);
  }

  /// w_m += a[m] x_i. Few classes change in most steps: then these alone are visited.
  void add(const Matrix& x, Index i, const double* a) {
    const Index changed = lanes_ - std::count(a, a + lanes_, 0.0);
    if (!by_class_ && 4 * changed > lanes_) {
      Index b = 0;
      for (; b + 8 <= lanes_; b += 8) add_block<8>(x, i, b, a + b);
      if (b < lanes_) add_block<4>(x, i, b, a + b);
      return;
    }
    for (Index m = 0; m < lanes_; ++m) {
      if (a[m] == 0) continue;
      if (by_class_) {
        x.add(i, a[m], w_.data() + m * cols_);
      } else {
        x.each(i, [&](Index j, double v) { w_[j * lanes_ + m] += a[m] * v; });
      }
    }
  }

  /// Loads the weights that row i needs into the second cache, where not all are in it already: rows come in random order, and
  /// without this the processor has few loads under way at once.
  void prefetch(const Matrix& x, Index i) const {
    if (!far_) return;
    constexpr Index kLine = 64 / sizeof(double);
    x.each(i, [&](Index j, double) {
      for (Index m = 0; m < lanes_; m += kLine) __builtin_prefetch(w_.data() + j * lanes_ + m, 1, 2);
      asm volatile("");  // Without it, gcc takes a function of prefetches alone for one without effect, and drops its call.
    });
  }

 private:
  static constexpr Index kLongRow = 32;  // features; shorter products cost less than their calls, one for each class
  static constexpr std::size_t kSecondCache = std::size_t{1} << 19;

  template <Index Width>
  void dot_block(const Matrix& x, Index i, Index first, double* out) const {
    double sum[Width] = {};
    const double* w = w_.data() + first;
    x.each(i, [&](Index j, double v) {
      const double* at = w + j * lanes_;
      for (Index m = 0; m < Width; ++m) sum[m] += v * at[m];
    });
    std::copy(sum, sum + Width, out);
  }

  template <Index Width>
  void add_block(const Matrix& x, Index i, Index first, const double* a) {
    double step[Width];
    std::copy(a, a + Width, step);
    double* w = w_.data() + first;
    x.each(i, [&](Index j, double v) {
      double* at = w + j * lanes_;
      for (Index m = 0; m < Width; ++m) at[m] += v * step[m];
    });
  }

  bool by_class_;
  Index classes_, cols_, lanes_;
  base::Buffer<double> w_;
  bool far_;
};

}  // namespace dcsvm::linear
