// The losses of the linear problems, as functions of z = w'x for one row with label (or target) y and weight C: a type for each.
//
// With alpha = -dloss/dz, a stationary w of 1/2 |w|^2 + sum loss is w = sum alpha_i x_i, and the dual problem is
//   max_alpha -1/2 |sum alpha_i x_i|^2 + sum dual_term(alpha_i),   dual_term(alpha) = -conjugate of the loss at -alpha.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace dcsvm::linear_fit {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// smooth_hinge and smooth_tube are the Moreau envelopes of hinge and tube in the augmented Lagrangian
/// (augmented_lagrangian.cpp).
enum class Loss { logistic, squared_hinge, hinge, squared_tube, tube, smooth_hinge, smooth_tube };

/// What a loss knows of its row.
struct LossRow {
  double y, C;
  double width = 0.0;  ///< half width of the tube without loss (regression)
  double shift = 0.0, sigma = 1.0, inverse_sigma = 1.0;  ///< of the envelopes
};

/// How a row's dual variable is found, the others fixed. none: the loss has no dual problem of its own. shares: it is C times a
/// share, by the entropy. labels: a number in [0, upper()], for a margin of 1. targets: one of either sign, at most upper() in
/// size, with a tube.
enum class DualForm { none, shares, labels, targets };

/// What each loss must have, besides the functions of RowLoss.
struct LossTraits {
  DualForm dual;
  bool kink;  ///< the slope jumps: then its envelope is minimised, or the dual problem is solved
  bool of_targets;  ///< y is a target, not a label
  double most_curved;  ///< the largest second derivative, with C = 1
  Loss envelope;  ///< of a loss with a kink; of others: themselves
};

struct LogisticLoss : LossRow {
  static constexpr LossTraits kTraits{DualForm::shares, false, false, 0.25, Loss::logistic};

  double value(double z) const {
    const double m = y * z;
    return C * (m >= 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m)));
  }
  double slope(double z) const { return -C * y / (1.0 + std::exp(y * z)); }
  double curvature(double z) const {
    const double s = 1.0 / (1.0 + std::exp(y * z));
    return C * s * (1.0 - s);
  }
  double upper() const { return C; }
  double dual_curve() const { return 0.0; }  ///< the least: that of the entropy has no bound
  double dual_term(double alpha) const {
    const auto entropy = [this](double v) { return v > 0 ? v * std::log(v / C) : 0.0; };
    const double a = alpha * y;
    return a >= 0 && a <= C ? -entropy(a) - entropy(C - a) : -kInfinity;
  }
  /// C times the divergence of alpha y / C from the share 1 / (1 + exp(y z)).
  double gap(double z, double alpha) const {
    const double share = alpha * y / C, size = std::abs(y * z), e = std::exp(-size), log_many = -std::log1p(e);
    if (share < 0 || share > 1) return kInfinity;
    const double of_few = y * z >= 0 ? share : 1.0 - share;
    return C * (divergence(of_few, e / (1.0 + e), log_many - size) + divergence(1.0 - of_few, 1.0 / (1.0 + e), log_many));
  }

 private:
  /// p log(p / q) - p + q >= 0 for p >= 0 and q >= 0, which may have left the range of double.
  static double divergence(double p, double q, double log_q) {
    constexpr double kNear = 0.05;  // the difference of logarithms loses three digits there, the series has a dozen terms
    if (p <= 0) return q;
    const double d = (p - q) / q;
    if (!(std::abs(d) <= kNear)) return p * (std::log(p) - log_q) - p + q;
    // q ((1 + d) log(1 + d) - d) = q (d^2 / 2 - d^3 / 6 + d^4 / 12 - ...)
    double sum = 0.0, power = d * d;
    for (double k = 2.0, before = -1.0; sum != before; ++k, power *= -d) {
      before = sum;
      sum += power / (k * (k - 1.0));
    }
    return q * sum;
  }
};

struct HingeLoss : LossRow {
  static constexpr LossTraits kTraits{DualForm::labels, true, false, kInfinity, Loss::smooth_hinge};

  double value(double z) const { return C * std::max(0.0, 1.0 - y * z); }
  double slope(double z) const { return y * z < 1.0 ? -C * y : 0.0; }
  double curvature(double) const { return 0.0; }
  double upper() const { return C; }
  double dual_curve() const { return 0.0; }
  double dual_term(double alpha) const {
    const double a = alpha * y;
    return a >= 0 && a <= C ? a : -kInfinity;
  }
  double gap(double z, double alpha) const {
    const double a = alpha * y, margin = y * z;
    return a >= 0 && a <= C ? (C - a) * std::max(0.0, 1.0 - margin) + a * std::max(0.0, margin - 1.0) : kInfinity;
  }
};

struct SquaredHingeLoss : LossRow {
  static constexpr LossTraits kTraits{DualForm::labels, false, false, 2.0, Loss::squared_hinge};

  double value(double z) const {
    const double d = std::max(0.0, 1.0 - y * z);
    return C * d * d;
  }
  double slope(double z) const { return -2.0 * C * y * std::max(0.0, 1.0 - y * z); }
  double curvature(double z) const { return y * z < 1.0 ? 2.0 * C : 0.0; }  ///< generalised, as that of the squared tube
  double upper() const { return kInfinity; }
  double dual_curve() const { return C > 0 ? 0.5 / C : 0.0; }
  double dual_term(double alpha) const {
    const double a = alpha * y;
    return a >= 0 ? a - a * a / (4.0 * C) : -kInfinity;
  }
  double gap(double z, double alpha) const {
    const double a = alpha * y, margin = y * z, d = std::max(0.0, 1.0 - margin) - 0.5 * a / C;
    return a >= 0 ? C * d * d + a * std::max(0.0, margin - 1.0) : kInfinity;
  }
};

struct TubeLoss : LossRow {
  static constexpr LossTraits kTraits{DualForm::targets, true, true, kInfinity, Loss::smooth_tube};

  double value(double z) const { return C * std::max(0.0, std::abs(z - y) - width); }
  double slope(double z) const { return z > y + width ? C : z < y - width ? -C : 0.0; }
  double curvature(double) const { return 0.0; }
  double upper() const { return C; }
  double dual_curve() const { return 0.0; }
  double dual_term(double alpha) const {
    const double a = std::abs(alpha);
    return a <= C ? alpha * y - width * a : -kInfinity;
  }
  double gap(double z, double alpha) const {
    const double a = std::abs(alpha), r = (alpha >= 0 ? 1.0 : -1.0) * (y - z), excess = std::max(0.0, std::abs(r) - width);
    const double beyond = r >= width ? 0.0 : a * (excess + width - r);
    return a <= C ? (C - a) * excess + beyond : kInfinity;
  }
  double dead_zone() const { return width; }
};

struct SquaredTubeLoss : LossRow {
  static constexpr LossTraits kTraits{DualForm::targets, false, true, 2.0, Loss::squared_tube};

  double value(double z) const {
    const double d = std::max(0.0, std::abs(z - y) - width);
    return C * d * d;
  }
  double slope(double z) const {
    return z > y + width ? 2.0 * C * (z - y - width) : z < y - width ? 2.0 * C * (z - y + width) : 0.0;
  }
  double curvature(double z) const { return std::abs(z - y) > width ? 2.0 * C : 0.0; }
  double upper() const { return kInfinity; }
  double dual_curve() const { return C > 0 ? 0.5 / C : 0.0; }
  double dual_term(double alpha) const {
    const double a = std::abs(alpha);
    return alpha * y - width * a - a * a / (4.0 * C);
  }
  double gap(double z, double alpha) const {
    const double a = std::abs(alpha), r = (alpha >= 0 ? 1.0 : -1.0) * (y - z), excess = std::max(0.0, std::abs(r) - width);
    const double beyond = r >= width ? 0.0 : a * (excess + width - r), d = excess - 0.5 * a / C;
    return C * d * d + beyond;
  }
  double dead_zone() const { return width; }
};

/// The envelopes, at `shift` (a dual variable, signed) and with the weight `sigma`: the loss is sigma v^2 / 2 for 0 <= v <= C /
/// sigma and goes on as a line. They stand in for other losses and have no problem of their own, so no dual term either.
template <bool kOfTargets>
struct Envelope : LossRow {
  double value(double z) const {
    double side = 0;
    const double v = excess(z, side), size = slope_size(v);
    return size * (v - 0.5 * size * inverse_sigma);
  }
  double slope(double z) const {
    double side = 0;
    const double v = excess(z, side);
    return -side * slope_size(v);
  }
  double curvature(double z) const {
    double side = 0;
    const double size = slope_size(excess(z, side));
    return size > 0 && size < C ? sigma : 0.0;
  }
  double upper() const { return C; }
  double dual_curve() const { return inverse_sigma; }
  double dual_term(double alpha) const { return alpha == 0 || C > 0 ? 0.0 : -kInfinity; }
  double gap(double z, double alpha) const {
    double side = 0;
    const double v = excess(z, side), size = slope_size(v), a = side * alpha, more = size - a;
    if (std::abs(alpha) > C) return kInfinity;
    if (a >= 0) return (v - size * inverse_sigma) * more + 0.5 * more * more * inverse_sigma;
    if (!kOfTargets) return kInfinity;
    return size * (v - 0.5 * size * inverse_sigma) - a * (v + 2.0 * width) + 0.5 * a * a * inverse_sigma;
  }

 private:
  /// v; side: the sign of -dv/dz.
  double excess(double z, double& side) const {
    const double r = y - z + shift * inverse_sigma;
    if constexpr (kOfTargets) {
      side = r >= 0 ? 1.0 : -1.0;
      return std::abs(r) - width;
    } else {
      side = y;
      return 1.0 - y * (z - shift * inverse_sigma);
    }
  }
  /// |slope| at v.
  double slope_size(double v) const { return std::min(std::max(sigma * v, 0.0), C); }
};

/// v = 1 - y z + y shift / sigma.
struct SmoothHingeLoss : Envelope<false> {
  static constexpr LossTraits kTraits{DualForm::none, false, false, kInfinity, Loss::smooth_hinge};
};
/// v = |y - z + shift / sigma| - width.
struct SmoothTubeLoss : Envelope<true> {
  static constexpr LossTraits kTraits{DualForm::none, false, true, kInfinity, Loss::smooth_tube};
};

template <class L>
struct LossType {
  using Type = L;
};

/// fn(LossType<the type of this loss>): so that the loss is known to the compiler inside of loops over rows. No default: it names
/// a loss that is missing.
template <class Fn>
constexpr auto with_loss(Loss loss, const Fn& fn) {
  switch (loss) {
    case Loss::logistic: return fn(LossType<LogisticLoss>());
    case Loss::squared_hinge: return fn(LossType<SquaredHingeLoss>());
    case Loss::hinge: return fn(LossType<HingeLoss>());
    case Loss::squared_tube: return fn(LossType<SquaredTubeLoss>());
    case Loss::tube: return fn(LossType<TubeLoss>());
    case Loss::smooth_hinge: return fn(LossType<SmoothHingeLoss>());
    case Loss::smooth_tube: return fn(LossType<SmoothTubeLoss>());
  }
  throw std::logic_error("a loss that does not exist");
}

constexpr LossTraits traits_of(Loss loss) {
  return with_loss(loss, [](auto type) { return decltype(type)::Type::kTraits; });
}
constexpr bool has_kink(Loss loss) { return traits_of(loss).kink; }
constexpr DualForm dual_form(Loss loss) { return traits_of(loss).dual; }
constexpr bool of_targets(Loss loss) { return traits_of(loss).of_targets; }

/// The row's part of the duality gap, see RowLoss. Of rows of weight 0 too, which the losses themselves do not know.
template <class L>
double gap_of(const L& row, double z, double alpha) {
  return row.C == 0 ? (alpha == 0 ? 0.0 : kInfinity) : row.gap(z, alpha);
}

/// A row's loss where its type is not known to the compiler.
struct RowLoss {
  Loss loss;
  LossRow row;

  double value(double z) const {
    return call([z](const auto& l) { return l.value(z); });
  }
  /// dloss/dz; of the losses with a kink, one of the subgradients.
  double slope(double z) const {
    return call([z](const auto& l) { return l.slope(z); });
  }
  /// d2loss/dz2; of the squared losses and the envelopes one of the second derivatives, 0 of the losses with a kink.
  double curvature(double z) const {
    return call([z](const auto& l) { return l.curvature(z); });
  }
  /// Labels: the dual variable is alpha y in [0, upper()]. Targets: it is alpha in [-upper(), upper()].
  double upper() const {
    return call([](const auto& l) { return l.upper(); });
  }
  /// The second derivative of -dual_term, which is that of the dual problem but for |x|^2.
  double dual_curve() const {
    return call([](const auto& l) { return l.dual_curve(); });
  }
  /// Targets: alpha = 0 is the row's minimum where the residual y - z is no larger in size.
  double dead_zone() const {
    return call([](const auto& l) {
      if constexpr (std::decay_t<decltype(l)>::kTraits.dual == DualForm::targets) return l.dead_zone();
      return 0.0;
    });
  }
  /// The row's term of the dual objective above; -infinity where alpha is not feasible.
  double dual_term(double alpha) const {
    if (row.C == 0) return alpha == 0 ? 0.0 : -kInfinity;
    return call([alpha](const auto& l) { return l.dual_term(alpha); });
  }
  /// value(z) + alpha z - dual_term(alpha) >= 0, the row's part of the duality gap: 0 where alpha = -slope(z). Not as that
  /// difference, which rounds a gap away that is small beside the loss. Of the envelopes, with a dual term that is not written
  /// down.
  double gap(double z, double alpha) const {
    return call([z, alpha](const auto& l) { return gap_of(l, z, alpha); });
  }

 private:
  template <class Fn>
  double call(const Fn& fn) const {
    return with_loss(loss, [&](auto type) {
      typename decltype(type)::Type own;
      static_cast<LossRow&>(own) = row;
      return fn(own);
    });
  }
};

/// The size of the projected derivative of tube or squared tube by alpha in [-upper, upper]; `up` is the derivative for alpha >
/// 0, `down` that for alpha < 0.
inline double tube_violation(double alpha, double up, double down, double upper) {
  if (alpha == 0) return std::max({0.0, -up, down});
  if (alpha >= upper) return std::max(0.0, up);
  if (alpha <= -upper) return std::max(0.0, -down);
  return std::abs(alpha > 0 ? up : down);
}

}  // namespace dcsvm::linear_fit
