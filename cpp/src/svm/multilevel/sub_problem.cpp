#include "svm/multilevel/sub_problem.hpp"

#include <numeric>

#include "kernel_matrix/kernel_rows.hpp"
#include "qp/repair.hpp"
#include "svm/problems/one_class.hpp"

namespace dcsvm::multilevel {

namespace {

/// C-SVC with a given bias: linear term y - bias, no constraint on the sum.
template <class T>
qp::Result solve_with_bias(const kernel_matrix::RowSource<T>& rows, svm::BinaryProblem& problem, const SubProblemOptions& how,
                           qp::Options options, base::Context& context, const Progress& progress) {
  std::vector<double> q = problem.y;
  for (double& value : q) value -= how.bias;
  qp::Problem dual = problem.qp(false);
  dual.q = q.data();
  double* gradient = nullptr;
  if (KeptGradient* kept = how.gradient) {
    options.gradient_given = !kept->values.empty();
    options.left_out = kept->left_out;
    options.origins = &kept->origins;
    const double shift = how.bias - kept->bias;  // of q
    for (double& g : kept->values) g -= shift;
    for (qp::Origin& origin : kept->origins.known) {
      for (double& g : origin.gradient) g -= shift;
    }
    kept->values.resize(problem.beta.size());
    gradient = kept->values.data();
  }
  qp::Result result = qp::solve(rows, dual, options, problem.beta.data(), gradient, context, progress);
  if (how.gradient != nullptr) how.gradient->bias = how.bias, how.gradient->left_out = result.left_out;
  result.objective -= how.bias * std::accumulate(problem.beta.begin(), problem.beta.end(), 0.0);
  result.bias = how.bias;
  return result;
}

}  // namespace

void balance_start(const svm::FormulationParams& params, svm::BinaryProblem& problem) {
  if (sum_is_nu(params.formulation)) {
    svm::reach_sum(problem.hi.data(), problem.size(), params.nu, problem.beta.data());
  } else {
    qp::balance_sum(problem.beta.data(), problem.lo.data(), problem.hi.data(), problem.size());
  }
}

template <class T>
qp::Result solve_sub_problem(const kernel_matrix::RowSource<T>& rows, svm::BinaryProblem& problem, const Options& options,
                             const SubProblemOptions& how, std::vector<double>& coef, base::Context& context,
                             const Progress& progress) {
  svm::FormulationParams formulation = options.formulation;
  formulation.fit_intercept = how.mode == BiasMode::own;
  if (how.mode == BiasMode::own && !(how.keep_sum && sum_is_nu(formulation.formulation))) {
    balance_start(formulation, problem);
    problem.store(rows.size(), coef.data());
  }
  qp::Options solver{how.tol, how.max_iter, options.shrinking};
  solver.verify = how.verify;
  const auto subset = kernel_matrix::make_subset(rows, problem.points);
  const qp::Result result = how.mode == BiasMode::common
                                ? solve_with_bias(*subset, problem, how, solver, context, progress)
                                : svm::solve_binary(*subset, problem, formulation, solver, context, progress);
  problem.store(rows.size(), coef.data());
  return result;
}

template qp::Result solve_sub_problem<float>(const kernel_matrix::RowSource<float>&, svm::BinaryProblem&, const Options&,
                                             const SubProblemOptions&, std::vector<double>&, base::Context&, const Progress&);
template qp::Result solve_sub_problem<double>(const kernel_matrix::RowSource<double>&, svm::BinaryProblem&, const Options&,
                                              const SubProblemOptions&, std::vector<double>&, base::Context&, const Progress&);

}  // namespace dcsvm::multilevel
