#include "svm/problems/c_svc.hpp"

#include <vector>

namespace dcsvm::svm {

template <class T>
Solution solve_pair(const kernel_matrix::RowSource<T>& rows, const std::int8_t* sign, const double* upper, bool fit_intercept,
                    const qp::Options& options, double* beta, base::Context& context, const Progress& progress,
                    double* gradient) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<double> q(n), lo(n), hi(n);
  for (std::size_t i = 0; i < n; ++i) {
    q[i] = sign[i];
    lo[i] = sign[i] > 0 ? 0.0 : -upper[i];
    hi[i] = sign[i] > 0 ? upper[i] : 0.0;
  }
  const qp::Problem problem{rows.size(), q.data(), lo.data(), hi.data(), fit_intercept};
  return {qp::solve(rows, problem, options, beta, gradient, context, progress)};
}

template Solution solve_pair<float>(const kernel_matrix::RowSource<float>&, const std::int8_t*, const double*, bool,
                                    const qp::Options&, double*, base::Context&, const Progress&, double*);
template Solution solve_pair<double>(const kernel_matrix::RowSource<double>&, const std::int8_t*, const double*, bool,
                                     const qp::Options&, double*, base::Context&, const Progress&, double*);

}  // namespace dcsvm::svm
