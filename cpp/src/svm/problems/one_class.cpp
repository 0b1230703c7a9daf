#include "svm/problems/one_class.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

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

template <class T>
Solution solve_one_class(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, const qp::Options& options,
                         base::Context& context, const Progress& progress) {
  const std::vector<double> zeros(rows.size(), 0.0), q = problem.linear_term(zeros);
  const qp::Problem dual{rows.size(), q.data(), problem.lo.data(), problem.hi.data(), true};
  std::vector<double> gradient = problem.start_gradient(zeros);
  qp::Options own = options;
  own.gradient_given = !gradient.empty();
  double* given = own.gradient_given ? gradient.data() : nullptr;
  return {qp::solve(rows, dual, own, problem.beta.data(), given, context, progress)};
}

template Solution solve_one_class<float>(const kernel_matrix::RowSource<float>&, BinaryProblem&, const qp::Options&,
                                         base::Context&, const Progress&);
template Solution solve_one_class<double>(const kernel_matrix::RowSource<double>&, BinaryProblem&, const qp::Options&,
                                          base::Context&, const Progress&);

}  // namespace dcsvm::svm
