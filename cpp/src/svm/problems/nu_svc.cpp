#include "svm/problems/nu_svc.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "qp/scaled_solve.hpp"
#include "svm/problems/one_class.hpp"

namespace dcsvm::svm {

namespace {

constexpr double kAtBound = 1 - 1e-9;  // a multiplier that scaling brings this near to its bound is set to the bound

// Brings the multipliers of one class to the sum `total` within their bounds: scaled, then as one-class reaches its sum. From
// zeros that is LIBSVM's start.
void start_class(BinaryProblem& problem, double label, double total) {
  std::vector<double> alpha, upper;
  for (Index i = 0; i < problem.size(); ++i) {
    if (problem.y[i] != label) continue;
    alpha.push_back(label * problem.beta[i]);
    upper.push_back(problem.hi[i] - problem.lo[i]);
  }
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  for (std::size_t p = 0; sum > 0 && p < alpha.size(); ++p) {
    alpha[p] *= total / sum;
    if (alpha[p] > kAtBound * upper[p]) alpha[p] = upper[p];
  }
  const double share = total / std::accumulate(upper.begin(), upper.end(), 0.0);
  reach_sum(upper.data(), static_cast<Index>(upper.size()), share, alpha.data());
  std::size_t p = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    if (problem.y[i] == label) problem.beta[i] = label * alpha[p++];
  }
}

}  // namespace

template <class T>
Solution solve_nu_svc(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double nu, const qp::Options& options,
                      base::Context& context, const Progress& progress) {
  const auto n = static_cast<std::size_t>(rows.size());
  double weight = 0.0;
  for (std::size_t i = 0; i < n; ++i) weight += problem.hi[i] - problem.lo[i];
  for (const double label : {1.0, -1.0}) start_class(problem, label, 0.5 * nu * weight);
  const std::vector<double> zero(n, 0.0);
  std::vector<std::uint8_t> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = problem.y[i] > 0 ? 0 : 1;
  const qp::Problem dual{rows.size(), zero.data(), problem.lo.data(), problem.hi.data(), true, group.data()};
  qp::Options own = options;
  own.allowed_gap = 30;  // r is small where classes overlap
  Solution solution{qp::solve_to_scale(rows, dual, own, problem.beta.data(), nullptr, context, progress)};
  solution.r = 0.5 * (solution.bias1 - solution.bias);
  // LIBSVM divides by a negative margin, too. By one that is 0, or that small, nothing can be divided.
  const double square = solution.r * solution.r;
  const double scale = std::isfinite(1.0 / square) ? 1.0 / solution.r : 1.0;
  for (double& b : problem.beta) b *= scale;
  solution.bias = 0.5 * scale * (solution.bias + solution.bias1);
  solution.objective *= scale * scale;
  solution.gap *= scale * scale;
  return solution;
}

template Solution solve_nu_svc<float>(const kernel_matrix::RowSource<float>&, BinaryProblem&, double, const qp::Options&,
                                      base::Context&, const Progress&);
template Solution solve_nu_svc<double>(const kernel_matrix::RowSource<double>&, BinaryProblem&, double, const qp::Options&,
                                       base::Context&, const Progress&);

}  // namespace dcsvm::svm
