// Solves one binary problem of any formulation.
#pragma once

#include "dcsvm/params.hpp"
#include "qp/scaled_solve.hpp"
#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

/// Which of LIBSVM's five problems, and what it needs besides the data.
struct FormulationParams {
  Formulation formulation = Formulation::c_svc;
  bool fit_intercept = true;
  double nu = 0, epsilon = 0;
};
inline FormulationParams formulation_of(const TrainParams& p) { return {p.formulation, p.fit_intercept, p.nu, p.epsilon}; }

/// C-SVC. Cortes, Vapnik: Support-vector networks (1995); Chang, Lin: LIBSVM (2011), section 2.
///
///     min 1/2 a'Qa - e'a,  0 <= a_i <= C_i,  and y'a = 0 with a bias,   Q_ij = y_i y_j K_ij
///
/// With beta_i = y_i a_i the solver's linear term is y; the objective is the same number. problem.beta is the feasible start on
/// entry and the solution on return. result.bias is LIBSVM's -rho for class +1. gradient: n values y - fixed - K beta at the
/// start (options.gradient_given) and on return, or null.
template <class T>
Solution solve_c_svc(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, bool fit_intercept,
                     const qp::Options& options, base::Context& context, const Progress& progress = {},
                     double* gradient = nullptr) {
  std::vector<double> q;
  qp::Problem dual = problem.qp(fit_intercept);
  if (!problem.fixed.empty()) {
    q = problem.linear_term(problem.y);
    dual.q = q.data();
  }
  return {qp::solve_to_scale(rows, dual, options, problem.beta.data(), gradient, context, progress)};
}

/// Any formulation, from problem.beta (see the functions of each: nu_svc.hpp, one_class.hpp, regression.hpp). A one-class start
/// of zeros is replaced by LIBSVM's. rows: of the problem's points.
template <class T>
Solution solve_binary(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, const FormulationParams& params,
                      const qp::Options& options, base::Context& context, const Progress& progress);

}  // namespace dcsvm::svm
