// What is known of a solution, from w alone: the primal objective, a lower bound from feasible dual variables, the gradient.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/block_sums.hpp"
#include "linear_fit/problem.hpp"
#include "optimise/dual_step.hpp"
#include "products/pieces.hpp"
#include "products/several_vectors.hpp"

namespace dcsvm::linear_fit {

namespace {

/// The value of the regulariser for the first `cols` weights.
double norm_of(const Problem& p, const std::vector<double>& w, Index cols) {
  double sum = 0;
  for (Index j = 0; j < cols; ++j) sum += p.of(j).value(w[j]);
  return sum;
}

/// Turns "converged" into "stagnated" where the features are so large that the sum of losses rounds the regulariser (of the
/// features; the bias may still count) away, and the gap does not show that w is near the optimum: a rule relative to the first
/// gradient is met there although w may be far from it.
void check_stop(double regulariser, Certificate& c) {
  const bool lost = regulariser < std::numeric_limits<double>::epsilon() * c.report.primal_objective;
  if (c.report.stop_reason == StopReason::converged && lost && !c.quality.within(0.5))
    c.report.stop_reason = StopReason::stagnated;
}

// Rule::rows, one row at the decision z after another: what is known of all of them is in result().
class LargestOfRows {
 public:
  void add(const LogisticLoss& row, double alpha, double z) {
    const double b = alpha * row.y;
    most_ = std::max(most_, std::abs(row.y * z + std::log(b / (row.C - b))));
  }
  double result() const { return most_; }

 private:
  double most_ = 0;
};

class RangeOfRows {
 public:
  template <class L>
  void add(const L& row, double alpha, double z) {
    const double pg = optimise::projected(alpha * row.y, row.y * (z + row.dual_curve() * alpha) - 1.0, row.upper());
    high_ = std::max(high_, pg);
    low_ = std::min(low_, pg);
  }
  double result() const { return std::max({0.0, high_ - low_, high_, -low_}); }

 private:
  double high_ = -kInfinity, low_ = kInfinity;
};

class SumOfRows {
 public:
  template <class L>
  void add(const L& row, double alpha, double z) {
    const double g = z - row.y + row.dual_curve() * alpha;
    sum_ += tube_violation(alpha, g + row.dead_zone(), g - row.dead_zone(), row.upper());
  }
  double result() const { return sum_; }

 private:
  double sum_ = 0;
};

template <class L, class OfRows>
double rows_violation(const Problem& p, const std::vector<double>& alpha, const std::vector<double>& z) {
  OfRows rows;
  for (Index i = 0; i < p.rows(); ++i) {
    if (p.C[i] > 0) rows.add(L{{p.y[i], p.C[i], p.width}}, alpha[i], z[i]);
  }
  return rows.result();
}

/// Rule::rows at the decisions z.
double rows_violation(const Problem& p, const std::vector<double>& alpha, const std::vector<double>& z) {
  return with_loss(p.loss, [&](auto type) {
    using L = typename decltype(type)::Type;
    constexpr DualForm kForm = L::kTraits.dual;
    if constexpr (kForm == DualForm::shares) return rows_violation<L, LargestOfRows>(p, alpha, z);
    if constexpr (kForm == DualForm::labels) return rows_violation<L, RangeOfRows>(p, alpha, z);
    if constexpr (kForm == DualForm::targets) return rows_violation<L, SumOfRows>(p, alpha, z);
    return kNaN;
  });
}

}  // namespace

bool is_rounding(double length, const Matrix& x, const std::vector<double>& coefficient, base::ThreadPool& pool) {
  if (!x.rows_in_memory()) return false;
  constexpr double kRoundings = 4.0 * std::numeric_limits<double>::epsilon();  // of a term: decision, slope, product, sum
  const double terms = base::sum_blocks(x.rows(), products::kRowPiece, pool, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      if (coefficient[i] != 0) sum += std::abs(coefficient[i]) * std::sqrt(x.norm2(i));
    }
    return sum;
  });
  return std::isfinite(terms) && length <= kRoundings * terms;
}

bool exhausted(const Problem& p, const std::vector<double>& slope, double gap, double unit, base::ThreadPool& pool) {
  return gap <= kExhausted * unit || is_rounding(std::sqrt(2.0 * gap), *p.x, slope, pool);
}

bool zero_is_optimum(const Problem& p, std::vector<double>& alpha, base::ThreadPool& pool) {
  std::vector<double> slope(p.rows()), g(p.cols());
  alpha.resize(p.rows());
  for (Index i = 0; i < p.rows(); ++i) {
    slope[i] = p.row(i).slope(0.0);
    alpha[i] = -slope[i];
  }
  p.x->transposed(slope.data(), g.data(), pool);
  double squares = 0;
  for (Index j = 0; j < p.cols(); ++j) {
    const double far = p.of(j).distance(0.0, g[j]);
    squares += far * far;
  }
  return exhausted(p, slope, 0.5 * squares, 0.0, pool);
}

void complete(LinearProblemReport& report, const Solution& solution) {
  report.stop_reason = solution.stop_reason;
  report.limit = solution.limit;
  report.n_iter = solution.n_iter;
  report.n_inner = solution.n_inner;
  report.n_nonzero = std::count_if(solution.w.begin(), solution.w.end(), [](double v) { return v != 0; });
}

namespace {

/// Dual variables, and u = sum alpha_i x_i.
struct DualPoint {
  std::vector<double> alpha, u;
};

/// The solution's, or those that belong to its slopes; |w|_1 alone: made feasible, |X'alpha| <= 1 in every column.
DualPoint dual_point(const Problem& p, const Solution& s, const std::vector<double>& slope, const std::vector<double>& g,
                     base::ThreadPool& pool) {
  DualPoint at{s.alpha, std::vector<double>(p.cols())};
  if (at.alpha.empty()) {
    at.alpha.resize(p.rows());
    for (Index i = 0; i < p.rows(); ++i) at.alpha[i] = -slope[i];
    for (Index j = 0; j < p.cols(); ++j) at.u[j] = -g[j];
  } else if (s.w_is_sum) {
    at.u = s.w;
  } else {
    p.x->transposed(at.alpha.data(), at.u.data(), pool);
  }
  if (p.penalty.l2 > 0 || p.penalty.none()) return at;
  double largest = 0;
  for (const double v : at.u) largest = std::max(largest, std::abs(v));
  const double scale = largest > p.penalty.l1 ? p.penalty.l1 / largest : 1.0;
  for (double& v : at.alpha) v *= scale;
  for (double& v : at.u) v *= scale;
  return at;
}

double dual_objective(const Problem& p, const DualPoint& at, base::ThreadPool& pool) {
  double norm = 0;
  for (const double v : at.u) norm += p.penalty.conjugate(v);
  const double terms = base::sum_blocks(p.rows(), products::kRowPiece, pool, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += p.row(i).dual_term(at.alpha[i]);
    return sum;
  });
  return terms - norm;
}

/// |gradient|_2 of the primal objective, for smooth ones; g: of the losses.
double gradient_norm(const Problem& p, const std::vector<double>& w, const std::vector<double>& g) {
  double sum = 0;
  for (Index j = 0; j < p.cols(); ++j) {
    const double v = g[j] + (p.regularized(j) ? w[j] : 0.0);
    sum += v * v;
  }
  return std::sqrt(sum);
}

/// What the solution's rule compares with its limit; without a rule, what the solver found.
double violation(const Problem& p, const Solution& s, const Certificate& c, const std::vector<double>& z,
                 const std::vector<double>& g, const std::vector<double>& alpha) {
  const double bias = p.has_free_bias() ? std::abs(g.back()) : 0.0, norm = c.report.gradient_norm;
  switch (s.rule) {
    case Rule::none: return s.violation;
    case Rule::gradient: return s.free_bias.violation(norm, std::sqrt(std::max(0.0, norm * norm - bias * bias)), bias);
    case Rule::gradient_gap:
      return Quality{0.5 * c.report.gradient_norm * c.report.gradient_norm, c.quality.decrease, c.report.primal_objective}
          .relative();
    case Rule::gap: return c.quality.relative();
    case Rule::subgradient: {
      double sum = 0;
      for (Index j = 0; j < p.cols(); ++j) sum += p.of(j).distance(s.w[j], g[j]);
      return s.free_bias.violation(sum, sum - bias, bias);
    }
    case Rule::rows: return rows_violation(p, alpha, z) / (s.violation_unit > 0 ? s.violation_unit : 1.0);
  }
  return s.violation;
}

/// The certificate of one solution; z = Xw, `slope` and g: slopes and gradient of the losses there (0 where the loss has a kink).
Certificate certify(const Candidate& one, const std::vector<double>& z, const std::vector<double>& slope,
                    const std::vector<double>& g, base::ThreadPool& pool) {
  const Problem& p = *one.problem;
  const Solution& s = *one.solution;
  Certificate c;
  LinearProblemReport& r = c.report;
  complete(r, s);
  r.initial_objective = s.initial_objective;
  r.initial_gradient_norm = s.initial_gradient_norm;
  const double regulariser = norm_of(p, s.w, p.x->features());
  r.primal_objective = norm_of(p, s.w, p.cols()) + p.losses(z, 0.0, z, pool);
  r.gradient_norm = has_kink(p.loss) || p.l1() ? kNaN : gradient_norm(p, s.w, g);
  const DualPoint at = dual_point(p, s, slope, g, pool);
  r.n_support = std::count_if(at.alpha.begin(), at.alpha.end(), [](double v) { return v != 0; });
  // With a free weight the dual has one more equation, which these variables do not meet.
  const bool feasible = p.has_dual(), measured = feasible || (!p.l1() && !p.penalty.none());
  if (measured) c.quality = p.quality(r.primal_objective, s.w, z, at.alpha, at.u, pool);
  r.dual_objective = feasible ? dual_objective(p, at, pool) : kNaN;
  r.violation = violation(p, s, c, z, g, at.alpha);
  c.confirms = s.rule == Rule::none || r.violation <= s.limit;
  if (!c.confirms && (s.rule == Rule::gradient || s.rule == Rule::gradient_gap))
    c.confirms = exhausted(p, slope, 0.5 * r.gradient_norm * r.gradient_norm, c.quality.unit(), pool);
  // Rows of classifiers are compared with margins of 1, as the losses at w = 0 are. Of a regression only a share of the first
  // pass's violations is asked for, which says nothing of what they should become.
  if (feasible && c.quality.gap > s.gap_limit * (of_targets(p.loss) ? c.quality.unit() : c.quality.decrease)) c.confirms = false;
  if (measured) check_stop(regulariser, c);
  return c;
}

}  // namespace

std::vector<Certificate> certificates(const std::vector<Candidate>& all, base::ThreadPool& pool) {
  const Matrix& x = *all.front().problem->x;
  const Index n = x.rows();
  std::vector<std::vector<double>> z(all.size()), slope(all.size()), g(all.size());
  products::ConstVectors w, slopes;
  products::Vectors decisions, gradients;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (auto* v : {&z, &slope}) (*v)[k].assign(n, 0.0);
    g[k].assign(x.cols(), 0.0);
    w.push_back(all[k].solution->w.data());
    decisions.push_back(z[k].data());
  }
  row_products(x, w, decisions, pool);
  std::vector<double> curvature(n);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (has_kink(all[k].problem->loss)) continue;
    all[k].problem->derivatives(z[k], slope[k], curvature, pool);
    slopes.push_back(slope[k].data());
    gradients.push_back(g[k].data());
  }
  if (!slopes.empty()) transposed_products(x, slopes, gradients, pool);
  std::vector<Certificate> reports;
  reports.reserve(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) reports.push_back(certify(all[k], z[k], slope[k], g[k], pool));
  return reports;
}

Certificate certificate(const Problem& problem, const Solution& solution, base::ThreadPool& pool) {
  return certificates({{&problem, &solution}}, pool).front();
}

Certificate certificate_at(const Problem& problem, const Solution& solution, const std::vector<double>& z,
                           base::ThreadPool& pool) {
  return certify({&problem, &solution}, z, {}, {}, pool);
}

}  // namespace dcsvm::linear_fit
