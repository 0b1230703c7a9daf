#include "formulations/nu_svc.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace dcsvm::formulations {

template <class T>
Solution solve_nu_pair(const rows::RowSource<T>& rows, const std::int8_t* sign, const double* weight, double nu,
                       const solver::Options& options, double* beta, base::Context& context, const Progress& progress) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<double> q(n, 0.0), lo(n), hi(n);
  std::vector<std::uint8_t> group(n);
  double left[2];
  left[0] = left[1] = 0.5 * nu * std::accumulate(weight, weight + n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    group[i] = sign[i] > 0 ? 0 : 1;
    lo[i] = sign[i] > 0 ? 0.0 : -weight[i];
    hi[i] = sign[i] > 0 ? weight[i] : 0.0;
    const double start = std::min(left[group[i]], weight[i]);
    left[group[i]] -= start;
    beta[i] = sign[i] * start;
  }
  const solver::Problem problem{rows.size(), q.data(), lo.data(), hi.data(), true, group.data()};
  Solution solution{solver::solve(rows, problem, options, beta, nullptr, context, progress)};
  solution.r = 0.5 * (solution.bias1 - solution.bias);
  const double scale = solution.r > 0 ? 1.0 / solution.r : 1.0;
  for (std::size_t i = 0; i < n; ++i) beta[i] *= scale;
  solution.bias = 0.5 * scale * (solution.bias + solution.bias1);
  solution.objective *= scale * scale;
  return solution;
}

template Solution solve_nu_pair<float>(const rows::RowSource<float>&, const std::int8_t*, const double*, double,
                                       const solver::Options&, double*, base::Context&, const Progress&);
template Solution solve_nu_pair<double>(const rows::RowSource<double>&, const std::int8_t*, const double*, double,
                                        const solver::Options&, double*, base::Context&, const Progress&);

}  // namespace dcsvm::formulations
