#include "linear_fit/multiclass.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "products/lane_pass.hpp"

namespace dcsvm::linear_fit {

namespace {

/// What the rows contribute.
struct Sums {
  double primal = 0, dual = 0, gap = 0, decrease = 0, terms = 0, violation = 0;
  Index support = 0;

  void operator+=(const Sums& s) {
    primal += s.primal;
    dual += s.dual;
    gap += s.gap;
    decrease += s.decrease;
    terms += s.terms;
    support += s.support;
    violation = std::max(violation, s.violation);
  }

  void add_row(const double* score, const double* a, Index classes, int y, double C, double norm2) {
    const double high = *std::max_element(score, score + classes);
    double low = kInfinity, squares = 0;
    for (Index m = 0; m < classes; ++m) {
      const double upper = m == y ? C : 0.0;
      if (a[m] < upper) low = std::min(low, score[m]);
      gap += (upper - a[m]) * (high - score[m]);
      if (m != y) dual -= a[m];
      squares += a[m] * a[m];
    }
    primal += C * (high - score[y]);
    if (classes > 1) decrease += C - a[y];
    terms += 0.5 * squares * norm2;
    support += squares > 0 ? 1 : 0;
    violation = std::max(violation, difference_of_gradients(high, low));
  }
};

}  // namespace

double difference_of_gradients(double high, double low) {
  return high - low > kTiny * std::max(std::abs(high), std::abs(low)) ? high - low : 0.0;
}

Certificate certificate(const MulticlassProblem& p, const Solution& s, base::ThreadPool& pool) {
  const Matrix& x = *p.exact_x;
  const Index k = p.classes;
  products::LanePass pass(x.rows(), x.cols(), k, x.stored());
  std::vector<double> w(pass.size(), 0.0);
  for (Index j = 0; j < x.cols(); ++j) std::copy_n(s.w.data() + j * k, k, w.data() + j * pass.width());
  const auto rows = pass.sum(x, w.data(), pool, [&](Index i, double* z) {
    Sums own;
    if (p.C[i] == 0) return own;
    z[p.class_of[i]] -= 1.0;  // the same differences as with [m != y], and no digits are lost where the w_m are small
    own.add_row(z, s.alpha.data() + i * k, k, p.class_of[i], p.C[i], x.norm2(i));
    return own;
  });
  std::vector<double> sum = s.w_is_sum ? w : std::vector<double>(w.size());  // of the a_im x_i
  double none = 0;
  if (!s.w_is_sum) {
    pass.run<double>(x, w.data(), sum.data(), pool, none, [&](Index i, double* z, double&) {
      std::copy_n(s.alpha.data() + i * k, k, z);
      return true;
    });
  }
  double norm = 0, dual_norm = 0, residual = 0;
  for (std::size_t t = 0; t < w.size(); ++t) {
    norm += 0.5 * w[t] * w[t];
    dual_norm += 0.5 * sum[t] * sum[t];
    residual += 0.5 * (w[t] - sum[t]) * (w[t] - sum[t]);
  }
  Certificate c;
  complete(c.report, s);
  c.report.n_support = rows.support;
  c.report.primal_objective = norm + rows.primal;
  c.report.dual_objective = rows.dual - dual_norm;
  c.report.violation = rows.violation;
  c.report.gradient_norm = kNaN;
  c.quality = {rows.gap + residual, rows.decrease + dual_norm, c.report.primal_objective, rows.terms};
  c.confirms = rows.violation <= s.limit && c.quality.gap <= s.limit * std::max(c.quality.decrease, c.quality.unit(s.limit));
  return c;
}

bool zero_is_optimum(const MulticlassProblem& p, base::ThreadPool& pool) {
  if (p.classes < 2) return false;
  const Index n = p.exact_x->rows();
  std::vector<double> alpha(n), sum(p.exact_x->cols());
  for (int m = 0; m < p.classes; ++m) {
    for (Index i = 0; i < n; ++i) alpha[i] = p.class_of[i] == m ? p.C[i] : -p.C[i] / static_cast<double>(p.classes - 1);
    p.exact_x->transposed(alpha.data(), sum.data(), pool);
    const double squares = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
    if (!is_rounding(std::sqrt(squares), *p.exact_x, alpha, pool)) return false;
  }
  return true;
}

Solution zero_solution(const MulticlassProblem& p) {
  Solution zero;
  zero.w.assign(p.exact_x->cols() * p.classes, 0.0);
  for (Index i = 0; i < p.exact_x->rows(); ++i) {
    for (int m = 0; m < p.classes; ++m)
      zero.alpha.push_back(p.class_of[i] == m ? p.C[i] : -p.C[i] / static_cast<double>(p.classes - 1));
  }
  zero.w_is_sum = true;
  return zero;
}

}  // namespace dcsvm::linear_fit
