#include "svm/problems/nu_svc.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "svm/problems/one_class.hpp"

namespace dcsvm::svm {

namespace {

constexpr double kAtBound = 1 - 1e-9;  // scaling rounds

// Brings the multipliers of one sign to the sum `total` within their bounds: scaled, then as one-class reaches its sum. From
// zeros that is LIBSVM's start.
void start_group(const std::int8_t* sign, const double* weight, std::size_t n, std::int8_t which, double total, double* beta) {
  std::vector<double> alpha, upper;
  for (std::size_t i = 0; i < n; ++i) {
    if (sign[i] != which) continue;
    alpha.push_back(which * beta[i]);
    upper.push_back(weight[i]);
  }
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  for (std::size_t p = 0; sum > 0 && p < alpha.size(); ++p) {
    alpha[p] *= total / sum;
    if (alpha[p] > kAtBound * upper[p]) alpha[p] = upper[p];
  }
  const double share = total / std::accumulate(upper.begin(), upper.end(), 0.0);
  reach_sum(upper.data(), static_cast<Index>(upper.size()), share, alpha.data());
  std::size_t p = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (sign[i] == which) beta[i] = which * alpha[p++];
  }
}

}  // namespace

template <class T>
Solution solve_nu_pair(const kernel_matrix::RowSource<T>& rows, const std::int8_t* sign, const double* weight, double nu,
                       const qp::Options& options, double* beta, base::Context& context, const Progress& progress) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<double> q(n, 0.0), lo(n), hi(n);
  std::vector<std::uint8_t> group(n);
  const double total = 0.5 * nu * std::accumulate(weight, weight + n, 0.0);
  for (const std::int8_t which : {std::int8_t{1}, std::int8_t{-1}}) start_group(sign, weight, n, which, total, beta);
  for (std::size_t i = 0; i < n; ++i) {
    group[i] = sign[i] > 0 ? 0 : 1;
    lo[i] = sign[i] > 0 ? 0.0 : -weight[i];
    hi[i] = sign[i] > 0 ? weight[i] : 0.0;
  }
  const qp::Problem problem{rows.size(), q.data(), lo.data(), hi.data(), true, group.data()};
  Solution solution{qp::solve(rows, problem, options, beta, nullptr, context, progress)};
  solution.r = 0.5 * (solution.bias1 - solution.bias);
  const double scale = solution.r > 0 ? 1.0 / solution.r : 1.0;
  for (std::size_t i = 0; i < n; ++i) beta[i] *= scale;
  solution.bias = 0.5 * scale * (solution.bias + solution.bias1);
  solution.objective *= scale * scale;
  return solution;
}

template Solution solve_nu_pair<float>(const kernel_matrix::RowSource<float>&, const std::int8_t*, const double*, double,
                                       const qp::Options&, double*, base::Context&, const Progress&);
template Solution solve_nu_pair<double>(const kernel_matrix::RowSource<double>&, const std::int8_t*, const double*, double,
                                        const qp::Options&, double*, base::Context&, const Progress&);

}  // namespace dcsvm::svm
