#include "svm/multilevel/pair_problem.hpp"

#include "kernel_matrix/kernel_rows.hpp"
#include "qp/repair.hpp"
#include "svm/problems/one_class.hpp"
#include "svm/problems/regression.hpp"

namespace dcsvm::multilevel {

namespace {

struct Variables {
  std::vector<double> lo, hi, beta;
};

/// Where variable i of the problem lives in the coefficient matrix.
std::size_t slot(const PairProblem& problem, Index n, std::size_t i) {
  const bool positive = static_cast<Index>(i) < problem.n_positive;
  const Index row =
      positive ? data::coef_row(problem.positive, problem.negative) : data::coef_row(problem.negative, problem.positive);
  return static_cast<std::size_t>(row * n + problem.points[i]);
}

Variables gather(const Input& input, const PairProblem& problem, const std::vector<double>& coef) {
  const std::size_t m = problem.points.size();
  const Index n = static_cast<Index>(input.class_of->size());
  Variables v{std::vector<double>(m), std::vector<double>(m), std::vector<double>(m)};
  for (std::size_t i = 0; i < m; ++i) {
    const bool positive = static_cast<Index>(i) < problem.n_positive;
    const double c = (*input.upper)[problem.points[i]];
    v.lo[i] = positive && !is_regression(input.formulation) ? 0.0 : -c;
    v.hi[i] = positive ? c : 0.0;
    v.beta[i] = coef[slot(problem, n, i)];
  }
  return v;
}

void scatter(const PairProblem& problem, const std::vector<double>& beta, Index n, std::vector<double>& coef) {
  for (std::size_t i = 0; i < beta.size(); ++i) coef[slot(problem, n, i)] = beta[i];
}

}  // namespace

void balance_start(const Input& input, const PairProblem& problem, double nu, std::vector<double>& coef) {
  Variables v = gather(input, problem, coef);
  const auto m = static_cast<Index>(v.beta.size());
  if (input.formulation == Formulation::one_class) {
    svm::reach_sum(v.hi.data(), m, nu, v.beta.data());
  } else {
    qp::balance_sum(v.beta.data(), v.lo.data(), v.hi.data(), m);
  }
  scatter(problem, v.beta, static_cast<Index>(input.class_of->size()), coef);
}

namespace {

// Formulations without classes: the same problem as the whole's, on these points.
template <class T>
qp::Result solve_one_problem(const Input& input, const kernel_matrix::RowSource<T>& rows, const PairProblem& problem,
                             const TrainParams& params, const PairOptions& how, std::vector<double>& coef, base::Context& context,
                             const Progress& progress) {
  Variables v = gather(input, problem, coef);
  const qp::Options options{how.tol, how.max_iter, params.shrinking};
  const auto subset = kernel_matrix::make_subset(rows, problem.points);
  qp::Result result;
  if (input.formulation == Formulation::one_class) {
    result = svm::solve_one_class(*subset, v.hi.data(), options, v.beta.data(), context, progress);
  } else {
    std::vector<double> y;
    y.reserve(problem.points.size());
    for (const Index i : problem.points) y.push_back(input.y[i]);
    const svm::Regression what{y.data(), v.hi.data(), params.epsilon, params.fit_intercept};
    result = svm::solve_epsilon_svr(*subset, what, options, v.beta.data(), context, progress);
  }
  scatter(problem, v.beta, rows.size(), coef);
  return result;
}

}  // namespace

template <class T>
qp::Result solve_pair_problem(const Input& input, const kernel_matrix::RowSource<T>& rows, const PairProblem& problem,
                              const TrainParams& params, const PairOptions& how, std::vector<double>& coef,
                              base::Context& context, const Progress& progress) {
  const bool has_sum = how.keep_sum && input.formulation == Formulation::one_class;
  if (how.mode == BiasMode::own && !has_sum) balance_start(input, problem, params.nu, coef);
  if (input.one_problem()) return solve_one_problem(input, rows, problem, params, how, coef, context, progress);
  Variables v = gather(input, problem, coef);
  const double bias = how.mode == BiasMode::common ? how.bias : 0.0;
  std::vector<double> q(v.beta.size());
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = (static_cast<Index>(i) < problem.n_positive ? 1.0 : -1.0) - bias;

  qp::Problem qp;
  qp.n = static_cast<Index>(q.size());
  qp.q = q.data();
  qp.lo = v.lo.data();
  qp.hi = v.hi.data();
  qp.equality = how.mode == BiasMode::own;
  qp::Options options;
  options.tol = how.tol;
  options.max_iter = how.max_iter;
  options.shrinking = params.shrinking;
  const auto subset = kernel_matrix::make_subset(rows, problem.points);
  double* gradient = nullptr;
  if (KeptGradient* kept = how.gradient) {
    options.gradient_given = !kept->values.empty();
    options.gradient_error = kept->error;
    for (double& g : kept->values) g -= bias - kept->bias;  // q moves by as much
    kept->values.resize(v.beta.size());
    gradient = kept->values.data();
  }
  qp::Result result = qp::solve(*subset, qp, options, v.beta.data(), gradient, context, progress);
  if (how.gradient != nullptr) how.gradient->bias = bias, how.gradient->error = result.gradient_error;
  scatter(problem, v.beta, rows.size(), coef);
  if (how.mode == BiasMode::common) {
    double sum = 0.0;
    for (const double b : v.beta) sum += b;
    result.objective -= bias * sum;
    result.bias = bias;
  }
  return result;
}

template qp::Result solve_pair_problem<float>(const Input&, const kernel_matrix::RowSource<float>&, const PairProblem&,
                                              const TrainParams&, const PairOptions&, std::vector<double>&, base::Context&,
                                              const Progress&);
template qp::Result solve_pair_problem<double>(const Input&, const kernel_matrix::RowSource<double>&, const PairProblem&,
                                               const TrainParams&, const PairOptions&, std::vector<double>&, base::Context&,
                                               const Progress&);

}  // namespace dcsvm::multilevel
