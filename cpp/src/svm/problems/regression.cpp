#include "svm/problems/regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::svm {

namespace {

struct Variables {
  std::vector<double> q, lo, hi, beta;
  explicit Variables(std::size_t n) : q(2 * n), lo(2 * n, 0.0), hi(2 * n, 0.0), beta(2 * n, 0.0) {}
};

Variables make_variables(std::size_t n, const Regression& what) {
  Variables v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v.q[2 * i] = what.y[i] - what.epsilon;
    v.q[2 * i + 1] = what.y[i] + what.epsilon;
    v.hi[2 * i] = what.upper[i];
    v.lo[2 * i + 1] = -what.upper[i];
  }
  return v;
}

template <class T>
Solution solve(const kernel_matrix::RowSource<T>& rows, Variables& v, const double* upper, const std::uint8_t* group,
               bool equality, const qp::Options& options, double* gradient, double* d, base::Context& context,
               const Progress& progress) {
  const auto doubled = kernel_matrix::make_doubled(rows);
  const qp::Problem problem{doubled->size(), v.q.data(), v.lo.data(), v.hi.data(), equality, group};
  Solution solution{qp::solve(*doubled, problem, options, v.beta.data(), gradient, context, progress)};
  solution.n_support = solution.n_bounded = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    d[i] = v.beta[2 * static_cast<std::size_t>(i)] + v.beta[2 * static_cast<std::size_t>(i) + 1];
    if (d[i] != 0.0) ++solution.n_support;
    if (d[i] == upper[i] || d[i] == -upper[i]) ++solution.n_bounded;
  }
  return solution;
}

}  // namespace

template <class T>
Solution solve_epsilon_svr(const kernel_matrix::RowSource<T>& rows, const Regression& what, const qp::Options& options, double* d,
                           base::Context& context, const Progress& progress) {
  const auto n = static_cast<std::size_t>(rows.size());
  Variables v = make_variables(n, what);
  for (std::size_t i = 0; i < n; ++i) {
    v.beta[2 * i] = std::max(d[i], 0.0);
    v.beta[2 * i + 1] = std::min(d[i], 0.0);
  }
  return solve(rows, v, what.upper, nullptr, what.fit_intercept, options, nullptr, d, context, progress);
}

template <class T>
Solution solve_nu_svr(const kernel_matrix::RowSource<T>& rows, const Regression& what, double nu, const qp::Options& options,
                      double* d, base::Context& context, const Progress& progress) {
  const auto n = static_cast<std::size_t>(rows.size());
  Regression no_tube = what;
  no_tube.epsilon = 0.0;
  Variables v = make_variables(n, no_tube);
  std::vector<std::uint8_t> group(2 * n);
  double left = 0.5 * nu * std::accumulate(what.upper, what.upper + n, 0.0), sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::max(d[i], 0.0);
  const double scale = sum > left ? left / sum : 1.0;
  left -= scale * sum;
  for (std::size_t i = 0; i < n; ++i) {  // what is missing: a = a* for the first points, as LIBSVM starts
    const double both = std::clamp(what.upper[i] - scale * std::abs(d[i]), 0.0, left);
    left -= both;
    v.beta[2 * i] = scale * std::max(d[i], 0.0) + both;
    v.beta[2 * i + 1] = scale * std::min(d[i], 0.0) - both;
    group[2 * i + 1] = 1;
  }
  qp::Options from_zero = options;
  from_zero.gradient_given = sum == 0.0;  // it is q
  std::vector<double> gradient = v.q;
  Solution solution = solve(rows, v, what.upper, group.data(), true, from_zero, gradient.data(), d, context, progress);
  solution.r = 0.5 * (solution.bias1 - solution.bias);
  solution.bias = 0.5 * (solution.bias + solution.bias1);
  return solution;
}

#define DCSVM_INSTANTIATE(T)                                                                                                    \
  template Solution solve_epsilon_svr<T>(const kernel_matrix::RowSource<T>&, const Regression&, const qp::Options&, double*,    \
                                         base::Context&, const Progress&);                                                      \
  template Solution solve_nu_svr<T>(const kernel_matrix::RowSource<T>&, const Regression&, double, const qp::Options&, double*, \
                                    base::Context&, const Progress&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::svm
