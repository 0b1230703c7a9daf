// [1] Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM (ICML 2008).
// [2] Yu, Huang, Lin: Dual coordinate descent methods for logistic regression and maximum entropy models (Machine Learning 85,
//     2011).
// [3] Keerthi, Sundararajan, Chang, Hsieh, Lin: A sequential dual method for large scale multi-class linear SVMs (KDD 2008).
#include "linear_fit/new_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "linear_fit/simplex.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/dual_step.hpp"

namespace dcsvm::linear_fit {

namespace {

// Rows of text have |x| = 1: with a bias of 1 half of each step would be the bias's, which single rows then drive to and fro.
constexpr double kMostBias = 1.0 / 16;  // of |x|^2: text of 4 classes is 78 % right after one pass, with all of the bias 73 %

/// The root v of v + c exp(v) = t by Newton's method, from a v that is not below it: the left side is convex and rises, so that v
/// falls until rounding ends it.
double log_share(double v, double c, double t) {
  for (;;) {
    const double e = c * std::exp(v), step = (v + e - t) / (1.0 + e);
    v -= step;
    if (!(step > kTiny * (1.0 + std::abs(v)))) return v;
  }
}

double tube_step(const RowLoss& loss, double residual, double q) {
  const double excess = std::abs(residual) - loss.dead_zone();
  return excess > 0 ? std::copysign(std::min(excess / (q + loss.dual_curve()), loss.upper()), residual) : 0.0;
}

class NewRowsPass {
 public:
  NewRowsPass(const NewRows& rows, std::vector<double>& w)
      : r_(rows), x_(*rows.x), k_(rows.vectors), w_(w.data()), z_(k_), d_(k_), room_(k_) {}

  /// Adds row i; whether it changed anything.
  bool add(Index i) {
    const double bias2 = x_.has_bias() ? r_.bias * r_.bias : 0.0, squares = x_.norm2_of_features(i);
    const double part = bias2 > 0 ? std::min(1.0, kMostBias * squares / bias2) : 0.0, q = squares + part * bias2;
    if (r_.C[i] == 0 || squares == 0) return false;
    if (!std::isfinite(q)) {
      throw DataError("x or bias: |x|^2 of row " + std::to_string(i) +
                      " left the range of float64; scale the features to values near 1");
    }
    if (k_ == 1) {
      z_[0] = x_.dot(i, w_);
    } else {
      std::fill(z_.begin(), z_.end(), 0.0);
      x_.each(i, [&](Index j, double v) {
        const double* own = w_ + j * k_;
        for (Index m = 0; m < k_; ++m) z_[m] += v * own[m];
      });
    }
    steps(i, q);
    if (std::all_of(d_.begin(), d_.end(), [](double d) { return d == 0; })) return false;
    double* const bias = w_ + (x_.cols() - 1) * k_;  // where x has one
    if (x_.has_bias()) std::copy_n(bias, k_, room_.begin());
    if (k_ == 1) {
      x_.add(i, d_[0], w_);
    } else {
      x_.each(i, [&](Index j, double v) {
        double* own = w_ + j * k_;
        for (Index m = 0; m < k_; ++m) own[m] += v * d_[m];
      });
    }
    for (Index m = 0; x_.has_bias() && m < k_; ++m) bias[m] = room_[m] + part * r_.bias * d_[m];
    return true;
  }

 private:
  void steps(Index i, double q) {
    switch (r_.problem) {
      case RowProblem::one_by_one:
        for (Index m = 0; m < k_; ++m) {
          const bool positive = r_.y.empty() && r_.class_of[i] == m;
          const double y = !r_.y.empty() ? r_.y[i] : positive ? 1.0 : -1.0;
          d_[m] = new_row(r_.loss, y, z_[m], q, positive && k_ > 1 ? r_.C[i] * r_.factor[m] : r_.C[i], r_.width);
        }
        return;
      case RowProblem::crammer_singer: return new_row_of_hinges(z_.data(), k_, r_.class_of[i], q, r_.C[i], d_.data());
      case RowProblem::softmax: return new_row_of_softmax(z_.data(), k_, r_.class_of[i], q, r_.C[i], d_.data(), room_.data());
    }
  }

  const NewRows& r_;
  const Matrix& x_;
  Index k_;
  double* w_;
  std::vector<double> z_, d_, room_;
};

}  // namespace

double new_row(Loss loss, double y, double z, double q, double C, double width) {
  const RowLoss own{loss, {y, C, width}};
  switch (dual_form(loss)) {
    case DualForm::labels: return y * optimise::dual_minimum(0.0, y * z - 1.0, q + own.dual_curve(), own.upper());
    case DualForm::targets: return tube_step(own, y - z, q);
    case DualForm::shares: {  // softmax of two scores that move by halves in opposite directions
      const double scores[] = {0.5 * z, -0.5 * z};
      double d[2], room[2];
      new_row_of_softmax(scores, 2, y > 0 ? 0 : 1, 0.5 * q, C, d, room);
      return d[0];
    }
    case DualForm::none: break;
  }
  throw std::logic_error("a loss without a dual problem");
}

// p solves log p_m + c p_m = z_m + c [m = y] - s for all m, with c = q C and the s for which the sum of p is 1. Each p_m is
// convex and falls with s, so Newton's method for s rises towards the root, from where the largest p_m is 1.
void new_row_of_softmax(const double* z, Index classes, int y, double q, double C, double* d, double* room) {
  const double c = q * C;
  const auto right = [&](Index m) { return m == y ? z[m] + c : z[m]; };
  double s = right(0);
  for (Index m = 1; m < classes; ++m) s = std::max(s, right(m));
  s -= c;
  std::fill(room, room + classes, 0.0);  // log p_m <= 0
  double before = s;
  do {
    double sum = -1.0, slope = 0;
    for (Index m = 0; m < classes; ++m) {
      const double t = right(m) - s;
      room[m] = log_share(std::min(room[m], t), c, t);
      d[m] = std::exp(room[m]);
      sum += d[m];
      slope += d[m] / (1.0 + c * d[m]);
    }
    before = s;
    if (sum > kTiny) s += sum / slope;
  } while (s > before);
  double others = 0;
  for (Index m = 0; m < classes; ++m) {
    if (m != y) others += d[m] *= -C;
  }
  d[y] = -others;
}

void new_row_of_hinges(double* z, Index classes, int y, double q, double C, double* d) {
  for (Index m = 0; m < classes; ++m) z[m] += m == y ? q * C : 1.0;
  const double theta = shift_on_simplex(z, classes, q * C);
  double others = 0;
  for (Index m = 0; m < classes; ++m) {
    d[m] = m == y ? 0.0 : -std::max(0.0, z[m] - theta) / q;
    others += d[m];
  }
  d[y] = -others;
}

Solution visit_new_rows(const NewRows& rows, std::vector<double>& w, std::uint64_t seed, base::Context& context) {
  constexpr std::size_t kAhead = products::kRowsAhead;
  const Matrix& x = *rows.x;
  base::Random random(seed);
  std::vector<Index> order = base::index_range(x.rows());
  base::shuffle(order, random);
  NewRowsPass pass(rows, w);
  Solution out;
  out.stop_reason = StopReason::one_pass;
  for (std::size_t t = 0; t < order.size(); ++t) {
    if (t % products::kRowPiece == 0 && cancelled(context, "dual_descent", out, 0.0, x.rows() - static_cast<Index>(t))) {
      out.stop_reason = StopReason::cancelled;
      break;
    }
    if (t + kAhead < order.size()) x.prefetch(order[t + kAhead]);
    out.n_inner += pass.add(order[t]) ? 1 : 0;
    ++out.n_iter;
  }
  return out;
}

}  // namespace dcsvm::linear_fit
