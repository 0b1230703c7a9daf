#include "svm/problems/regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernel_matrix/kernel_rows.hpp"
#include "qp/judge.hpp"
#include "qp/outcome.hpp"
#include "qp/scaled_solve.hpp"

namespace dcsvm::svm {

namespace {

struct Variables {
  Variables(const BinaryProblem& problem, double epsilon)
      : q(2 * problem.y.size()), lo(q.size(), 0.0), hi(q.size(), 0.0), beta(q.size(), 0.0) {
    const std::vector<double> target = problem.linear_term(problem.y);
    for (std::size_t i = 0; i < problem.y.size(); ++i) {
      q[2 * i] = target[i] - epsilon;
      q[2 * i + 1] = target[i] + epsilon;
      hi[2 * i] = problem.hi[i];
      lo[2 * i + 1] = problem.lo[i];
    }
  }
  qp::Problem dual(bool equality, const std::uint8_t* group) const {
    return {static_cast<Index>(q.size()), q.data(), lo.data(), hi.data(), equality, group};
  }
  /// Of a and a* of each point one becomes 0, with the same difference. Returns the sum of what both lose.
  double leave_difference() {
    double sum = 0;
    for (std::size_t i = 0; i < beta.size(); i += 2) {
      const double both = std::min(beta[i], -beta[i + 1]);
      beta[i] -= both;
      beta[i + 1] += both;
      sum += both;
    }
    return sum;
  }
  std::vector<double> q, lo, hi, beta;
};

template <class T>
Solution solve_doubled(const kernel_matrix::RowSource<T>& rows, Variables& v, BinaryProblem& problem, const qp::Problem& dual,
                       const qp::Options& options, double* gradient, base::Context& context, const Progress& progress) {
  const auto doubled = kernel_matrix::make_doubled(rows);
  Solution solution{qp::solve_to_scale(*doubled, dual, options, v.beta.data(), gradient, context, progress)};
  solution.n_support = solution.n_bounded = 0;
  for (std::size_t i = 0; i < problem.beta.size(); ++i) {
    const double d = problem.beta[i] = v.beta[2 * i] + v.beta[2 * i + 1];
    if (d != 0.0) ++solution.n_support;
    if (d == problem.hi[i] || d == problem.lo[i]) ++solution.n_bounded;
  }
  return solution;
}

}  // namespace

template <class T>
Solution solve_epsilon_svr(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double epsilon, bool fit_intercept,
                           const qp::Options& options, base::Context& context, const Progress& progress) {
  Variables v(problem, epsilon);
  for (std::size_t i = 0; i < problem.beta.size(); ++i) {
    v.beta[2 * i] = std::max(problem.beta[i], 0.0);
    v.beta[2 * i + 1] = std::min(problem.beta[i], 0.0);
  }
  qp::Options own = options;
  own.gradient_given = !problem.sums.empty();
  std::vector<double> gradient = v.q;
  if (own.gradient_given) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] -= problem.sums[i / 2];
  }
  const qp::Problem dual = v.dual(fit_intercept, nullptr);
  Solution solution = solve_doubled(rows, v, problem, dual, own, gradient.data(), context, progress);
  // Where tol is above 2 epsilon, a and a* of a point may both be left above 0. The model has their difference alone, whose
  // objective is lower: what is reported is true of that one.
  const auto reached = [&] { return qp::bounds_of(dual, v.beta.data(), gradient.data()).violation(fit_intercept); };
  const double before = reached(), both = v.leave_difference();
  if (both > 0) {
    qp::Result net;
    qp::describe<T>(dual, v.beta.data(), gradient.data(), net);
    solution.bias = net.bias;
    solution.violation -= before - reached();
    solution.objective -= 2 * epsilon * both;
    solution.gap = std::max(0.0, solution.gap - 2 * epsilon * both);
    if (solution.stop_reason == StopReason::converged && solution.violation > solution.tol) {
      solution.stop_reason = StopReason::stagnated;  // rounding of targets far from 0
    }
  }
  return solution;
}

template <class T>
Solution solve_nu_svr(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double nu, const qp::Options& options,
                      base::Context& context, const Progress& progress) {
  const std::vector<double>&d = problem.beta, &upper = problem.hi;
  Variables v(problem, 0.0);
  std::vector<std::uint8_t> group(v.q.size());
  double left = 0.5 * nu * std::accumulate(upper.begin(), upper.end(), 0.0), sum = 0;
  for (const double value : d) sum += std::max(value, 0.0);
  const double scale = sum > left ? left / sum : 1.0;
  left -= scale * sum;
  for (std::size_t i = 0; i < d.size(); ++i) {  // what is missing: a = a* for the first points, as LIBSVM starts
    const double both = std::clamp(upper[i] - scale * std::abs(d[i]), 0.0, left);
    left -= both;
    v.beta[2 * i] = scale * std::max(d[i], 0.0) + both;
    v.beta[2 * i + 1] = scale * std::min(d[i], 0.0) - both;
    group[2 * i + 1] = 1;
  }
  qp::Options from_zero = options;
  // Of d = 0 it is q, whatever a = a* is, and exact.
  qp::Origins origins;
  origins.known[0] = {v.beta, v.q};
  from_zero.gradient_given = sum == 0.0;
  if (from_zero.gradient_given) from_zero.origins = &origins;
  std::vector<double> gradient = v.q;
  Solution solution = solve_doubled(rows, v, problem, v.dual(true, group.data()), from_zero, gradient.data(), context, progress);
  solution.r = 0.5 * (solution.bias1 - solution.bias);
  solution.bias = 0.5 * (solution.bias + solution.bias1);
  // a and a* of a point may both be large, and so may the rounding errors of an objective that is formed from both. It depends on
  // their difference alone.
  std::vector<double> net(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) net[i] = 0.5 * (gradient[2 * i] + gradient[2 * i + 1]);
  solution.objective = qp::judged_objective(rows, problem.qp(true), d.data(), net.data(), context);
  return solution;
}

#define DCSVM_INSTANTIATE(T)                                                                                                   \
  template Solution solve_epsilon_svr<T>(const kernel_matrix::RowSource<T>&, BinaryProblem&, double, bool, const qp::Options&, \
                                         base::Context&, const Progress&);                                                     \
  template Solution solve_nu_svr<T>(const kernel_matrix::RowSource<T>&, BinaryProblem&, double, const qp::Options&,            \
                                    base::Context&, const Progress&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::svm
