#include "svm/problems/one_class.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "qp/scaled_solve.hpp"

namespace dcsvm::svm {

void reach_sum(const double* weight, Index n, double nu, double* alpha) {
  double missing = nu * std::accumulate(weight, weight + n, 0.0) - std::accumulate(alpha, alpha + n, 0.0);
  for (const bool only_free : {true, false}) {
    for (Index i = 0; i < n && missing != 0.0; ++i) {
      if (only_free != (alpha[i] > 0 && alpha[i] < weight[i])) continue;
      const double step = std::clamp(missing, -alpha[i], weight[i] - alpha[i]);
      alpha[i] = step == weight[i] - alpha[i] ? weight[i] : alpha[i] + step;
      missing -= step;
    }
  }
}

namespace {

constexpr double kRounding = 2.0;  // of a decision value, in the deviations of its kernel values and sum; at most half of tol
constexpr double kDoubleRounding = 0x1p-53;

// The bias at which no row below its bound is outside, so that at most nu sum w of the weights are, as nu promises. The mean of
// the free rows' gradients, LIBSVM's bias, leaves out about half of these rows.
double inner_bias(const BinaryProblem& problem, const std::vector<double>& gradient, double bias, double value_error,
                  double most) {
  double square = 0, count = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    // What rounding left just below its bound is at it.
    if (problem.beta[i] < (1.0 - 1e-12) * problem.hi[i]) bias = std::max(bias, gradient[i]);
    square += problem.beta[i] * problem.beta[i];
    count += problem.beta[i] != 0.0 ? 1.0 : 0.0;
  }
  const double of_sum = kDoubleRounding * std::sqrt(count) * std::abs(bias);
  return bias + std::min(most, kRounding * (value_error * std::sqrt(square) + of_sum));
}

}  // namespace

template <class T>
Solution solve_one_class(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, const qp::Options& options,
                         base::Context& context, const Progress& progress) {
  const std::vector<double> zeros(rows.size(), 0.0), q = problem.linear_term(zeros);
  const qp::Problem dual{rows.size(), q.data(), problem.lo.data(), problem.hi.data(), true};
  std::vector<double> gradient = problem.start_gradient(zeros);
  qp::Options own = options;
  own.allowed_gap = 1;  // rows are dense near the boundary, and usual problems have far less
  own.gradient_given = !gradient.empty();
  double* given = own.gradient_given ? gradient.data() : nullptr;
  if (options.absolute) return {qp::solve_to_scale(rows, dual, own, problem.beta.data(), given, context, progress)};
  gradient.resize(zeros.size());
  Solution solution{qp::solve_to_scale(rows, dual, own, problem.beta.data(), gradient.data(), context, progress)};
  const double deviation = rows.rounding().deviation;
  // Where float decisions cannot tell a row at the boundary from one inside, the model has those in double.
  double square = 0;
  for (const double b : problem.beta) square += b * b;
  if (kRounding * deviation * std::sqrt(square) > 0.5 * solution.tol) solution.in_double = true;
  // solution.tol is above what was asked for where double tells no more; the bias keeps what was asked for all the same.
  const double most = 0.5 * std::min(solution.tol, std::max(options.tol, options.accepted_tol));
  solution.bias = inner_bias(problem, gradient, solution.bias, solution.in_double ? 0x1p-29 * deviation : deviation, most);
  return solution;
}

template Solution solve_one_class<float>(const kernel_matrix::RowSource<float>&, BinaryProblem&, const qp::Options&,
                                         base::Context&, const Progress&);
template Solution solve_one_class<double>(const kernel_matrix::RowSource<double>&, BinaryProblem&, const qp::Options&,
                                          base::Context&, const Progress&);

}  // namespace dcsvm::svm
