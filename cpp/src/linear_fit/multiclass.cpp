#include "linear_fit/multiclass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/block_sums.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr Index kRowsOfSum = 256;  // of a block of the sums over rows

/// What the rows contribute.
struct Sums {
  double primal = 0, dual = 0, gap = 0, decrease = 0, terms = 0, violation = 0;

  void operator+=(const Sums& s) {
    primal += s.primal;
    dual += s.dual;
    gap += s.gap;
    decrease += s.decrease;
    terms += s.terms;
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
    violation = std::max(violation, difference_of_gradients(high, low));
  }
};

}  // namespace

double difference_of_gradients(double high, double low) {
  constexpr double kNoDifference = 1e-12;  // relative: rounding
  return high - low > kNoDifference * std::max(std::abs(high), std::abs(low)) ? high - low : 0.0;
}

Certificate certificate(const MulticlassProblem& p, const MulticlassPoint& point, base::ThreadPool& pool) {
  const Index k = p.classes;
  const Sums rows = base::sum_blocks(p.x->rows(), kRowsOfSum, pool, [&](Index begin, Index end) {
    std::vector<double> score(k), a(k);
    Sums sums;
    for (Index i = begin; i < end; ++i) {
      if (p.C[i] == 0) continue;
      point.row(i, score.data(), a.data());
      sums.add_row(score.data(), a.data(), k, p.class_of[i], p.C[i], p.x->norm2(i));
    }
    return sums;
  });
  Certificate c;
  c.report.primal_objective = point.norm + rows.primal;
  c.report.dual_objective = rows.dual - point.dual_norm;
  c.report.violation = rows.violation;
  c.report.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  c.quality = {rows.gap + point.residual, rows.decrease + point.dual_norm, c.report.primal_objective, rows.terms};
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

void zero_solution(const MulticlassProblem& p, std::vector<double>& w, LinearProblemReport& report) {
  std::fill(w.begin(), w.end(), 0.0);
  report.primal_objective = std::accumulate(p.C.begin(), p.C.end(), 0.0);  // the loss of each row is 1 times its price
  report.dual_objective = report.primal_objective;
  report.violation = 0;
  report.n_support = std::count_if(p.C.begin(), p.C.end(), [](double C) { return C > 0; });
  report.n_nonzero = 0;
  report.stop_reason = StopReason::converged;
}

}  // namespace dcsvm::linear_fit
