// The losses of the linear problems, as functions of z = w'x for one row with label (or target) y and weight C.
//
// With alpha = -dloss/dz, a stationary w of 1/2 |w|^2 + sum loss is w = sum alpha_i x_i, and the dual problem is
//   max_alpha -1/2 |sum alpha_i x_i|^2 + sum dual_term(alpha_i),   dual_term(alpha) = -conjugate of the loss at -alpha.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace dcsvm::linear_fit {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// smooth_hinge and smooth_tube are the Moreau envelopes of hinge and tube in the augmented Lagrangian
/// (augmented_lagrangian.cpp): at `shift` (a dual variable, signed) and with the weight `sigma`, v = 1 - y z + y shift / sigma,
/// or |y - z + shift / sigma| - width, and the loss is sigma v^2 / 2 for 0 <= v <= C / sigma and goes on as a line.
enum class Loss { logistic, squared_hinge, hinge, squared_tube, tube, smooth_hinge, smooth_tube };

/// The largest second derivative that the loss of a solver from the primal side has, with C = 1.
constexpr double most_curved(Loss loss) { return loss == Loss::logistic ? 0.25 : 2.0; }

/// Whether the slope of the loss jumps: then its envelope is minimised, or the dual problem is solved.
constexpr bool has_kink(Loss loss) { return loss == Loss::hinge || loss == Loss::tube; }

/// The projected derivative of the dual problem (a minimum) of hinge or squared hinge by beta = y alpha in [0, upper]: 0 where a
/// step against it would leave the bounds.
inline double projected(double beta, double derivative, double upper) {
  return beta <= 0 ? std::min(derivative, 0.0) : beta >= upper ? std::max(derivative, 0.0) : derivative;
}

/// The size of the projected derivative of tube or squared tube by alpha in [-upper, upper]; `up` is the derivative for alpha >
/// 0, `down` that for alpha < 0.
inline double tube_violation(double alpha, double up, double down, double upper) {
  if (alpha == 0) return std::max({0.0, -up, down});
  if (alpha >= upper) return std::max(0.0, up);
  if (alpha <= -upper) return std::max(0.0, -down);
  return std::abs(alpha > 0 ? up : down);
}

/// One row's loss. width: half width of the tube without loss (regression).
struct RowLoss {
  Loss loss;
  double y, C, width;
  double shift = 0.0, sigma = 1.0, inverse_sigma = 1.0;

  /// v of the smooth losses; side: the sign of -dv/dz.
  double excess(double z, double& side) const {
    if (loss == Loss::smooth_hinge) {
      side = y;
      return 1.0 - y * (z - shift * inverse_sigma);
    }
    const double r = y - z + shift * inverse_sigma;
    side = r >= 0 ? 1.0 : -1.0;
    return std::abs(r) - width;
  }

  /// |slope| of the smooth losses at v.
  double slope_size(double v) const { return std::min(std::max(sigma * v, 0.0), C); }

  double value(double z) const {
    switch (loss) {
      case Loss::logistic: {
        const double m = y * z;
        return C * (m >= 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m)));
      }
      case Loss::squared_hinge: {
        const double d = std::max(0.0, 1.0 - y * z);
        return C * d * d;
      }
      case Loss::hinge: return C * std::max(0.0, 1.0 - y * z);
      case Loss::squared_tube: {
        const double d = std::max(0.0, std::abs(z - y) - width);
        return C * d * d;
      }
      case Loss::tube: return C * std::max(0.0, std::abs(z - y) - width);
      case Loss::smooth_hinge:
      case Loss::smooth_tube: {
        double side = 0;
        const double v = excess(z, side), size = slope_size(v);
        return size * (v - 0.5 * size * inverse_sigma);
      }
    }
    return 0;
  }

  /// dloss/dz; of the losses with a kink, one of the subgradients.
  double slope(double z) const {
    switch (loss) {
      case Loss::logistic: return -C * y / (1.0 + std::exp(y * z));
      case Loss::squared_hinge: return -2.0 * C * y * std::max(0.0, 1.0 - y * z);
      case Loss::hinge: return y * z < 1.0 ? -C * y : 0.0;
      case Loss::squared_tube: return z > y + width ? 2.0 * C * (z - y - width) : z < y - width ? 2.0 * C * (z - y + width) : 0.0;
      case Loss::tube: return z > y + width ? C : z < y - width ? -C : 0.0;
      case Loss::smooth_hinge:
      case Loss::smooth_tube: {
        double side = 0;
        const double v = excess(z, side);
        return -side * slope_size(v);
      }
    }
    return 0;
  }

  /// d2loss/dz2 of the smooth losses (of the squared ones: generalised).
  double curvature(double z) const {
    switch (loss) {
      case Loss::logistic: {
        const double s = 1.0 / (1.0 + std::exp(y * z));
        return C * s * (1.0 - s);
      }
      case Loss::squared_hinge: return y * z < 1.0 ? 2.0 * C : 0.0;
      case Loss::squared_tube: return std::abs(z - y) > width ? 2.0 * C : 0.0;
      case Loss::smooth_hinge:
      case Loss::smooth_tube: {
        double side = 0;
        const double size = slope_size(excess(z, side));
        return size > 0 && size < C ? sigma : 0.0;
      }
      case Loss::hinge:
      case Loss::tube: break;
    }
    return 0.0;
  }

  /// slope() and curvature() of the losses without exponentials, in one look.
  [[gnu::always_inline]] void derivatives(double z, double& first, double& second) const {
    if (loss == Loss::smooth_hinge || loss == Loss::smooth_tube) {
      double side = 0;
      const double size = slope_size(excess(z, side));
      first = -side * size;
      second = size > 0 && size < C ? sigma : 0.0;
      return;
    }
    first = slope(z);
    second = curvature(z);
  }

  /// The row's term of the dual objective above; -infinity where alpha is not feasible.
  double dual_term(double alpha) const {
    const auto entropy = [this](double v) { return v > 0 ? v * std::log(v / C) : 0.0; };
    const double a = loss == Loss::squared_tube || loss == Loss::tube ? std::abs(alpha) : alpha * y;
    if (a < 0 || C == 0) return a == 0 ? 0.0 : -kInfinity;
    switch (loss) {
      case Loss::logistic: return a <= C ? -entropy(a) - entropy(C - a) : -kInfinity;
      case Loss::squared_hinge: return a - a * a / (4.0 * C);
      case Loss::hinge: return a <= C ? a : -kInfinity;
      case Loss::squared_tube: return alpha * y - width * a - a * a / (4.0 * C);
      case Loss::tube: return a <= C ? alpha * y - width * a : -kInfinity;
      case Loss::smooth_hinge:
      case Loss::smooth_tube: break;  // the smooth losses stand in for these and have no problem of their own
    }
    return 0;
  }

  /// value(z) + alpha z - dual_term(alpha) >= 0, the row's part of the duality gap: 0 where alpha = -slope(z). Not as that
  /// difference, which rounds a gap away that is small beside the loss. Of the smooth losses, with a dual term that is not
  /// written down.
  double gap(double z, double alpha) const {
    if (C == 0) return alpha == 0 ? 0.0 : kInfinity;
    switch (loss) {
      case Loss::logistic: {  // C times the divergence of alpha y / C from the share 1 / (1 + exp(y z))
        const double share = alpha * y / C, size = std::abs(y * z), e = std::exp(-size), log_many = -std::log1p(e);
        if (share < 0 || share > 1) return kInfinity;
        const double of_few = y * z >= 0 ? share : 1.0 - share;
        return C * (divergence(of_few, e / (1.0 + e), log_many - size) + divergence(1.0 - of_few, 1.0 / (1.0 + e), log_many));
      }
      case Loss::squared_hinge:
      case Loss::hinge: {
        const double a = alpha * y, margin = y * z, short_of = std::max(0.0, 1.0 - margin);
        const double beyond = a * std::max(0.0, margin - 1.0);
        if (a < 0) return kInfinity;
        if (loss == Loss::hinge) return a <= C ? (C - a) * short_of + beyond : kInfinity;
        const double d = short_of - 0.5 * a / C;
        return C * d * d + beyond;
      }
      case Loss::squared_tube:
      case Loss::tube: {
        const double a = std::abs(alpha), r = (alpha >= 0 ? 1.0 : -1.0) * (y - z), excess = std::max(0.0, std::abs(r) - width);
        const double beyond = r >= width ? 0.0 : a * (excess + width - r);
        if (loss == Loss::tube) return a <= C ? (C - a) * excess + beyond : kInfinity;
        const double d = excess - 0.5 * a / C;
        return C * d * d + beyond;
      }
      case Loss::smooth_hinge:
      case Loss::smooth_tube: {
        double side = 0;
        const double v = excess(z, side), size = slope_size(v), a = side * alpha, more = size - a;
        if (std::abs(alpha) > C) return kInfinity;
        if (a >= 0) return (v - size * inverse_sigma) * more + 0.5 * more * more * inverse_sigma;
        if (loss == Loss::smooth_hinge) return kInfinity;
        return size * (v - 0.5 * size * inverse_sigma) - a * (v + 2.0 * width) + 0.5 * a * a * inverse_sigma;
      }
    }
    return 0;
  }

 private:
  /// p log(p / q) - p + q >= 0 for p >= 0 and q >= 0, which may have left the range of double.
  static double divergence(double p, double q, double log_q) {
    constexpr double kNear = 0.05;
    constexpr int kTerms = 14;
    if (p <= 0) return q;
    const double d = (p - q) / q;
    if (!(std::abs(d) <= kNear)) return p * (std::log(p) - log_q) - p + q;
    // q ((1 + d) log(1 + d) - d) = q (d^2 / 2 - d^3 / 6 + d^4 / 12 - ...)
    double sum = 0.0, power = d * d;
    for (int k = 2; k <= kTerms; ++k, power *= -d) sum += power / (k * (k - 1.0));
    return q * sum;
  }
};

/// Calls fn(std::integral_constant<Loss, loss>), so that the kind of loss is a constant inside of loops over rows.
template <class Fn>
void with_loss(Loss loss, const Fn& fn) {
  switch (loss) {
    case Loss::logistic: return fn(std::integral_constant<Loss, Loss::logistic>());
    case Loss::squared_hinge: return fn(std::integral_constant<Loss, Loss::squared_hinge>());
    case Loss::hinge: return fn(std::integral_constant<Loss, Loss::hinge>());
    case Loss::squared_tube: return fn(std::integral_constant<Loss, Loss::squared_tube>());
    case Loss::tube: return fn(std::integral_constant<Loss, Loss::tube>());
    case Loss::smooth_hinge: return fn(std::integral_constant<Loss, Loss::smooth_hinge>());
    case Loss::smooth_tube: return fn(std::integral_constant<Loss, Loss::smooth_tube>());
  }
}

}  // namespace dcsvm::linear_fit
