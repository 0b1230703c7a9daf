// Solves one binary problem of a level: a pair of classes in one cluster, or the support vectors of a pair in the refine step.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "qp/origins.hpp"
#include "qp/solver.hpp"
#include "svm/multilevel/bias_search.hpp"
#include "svm/multilevel/options.hpp"

namespace dcsvm::multilevel {

/// The gradient at a problem's solution, for the same problem with another bias.
struct KeptGradient {
  std::vector<double> values;  ///< empty: none yet
  double bias = 0, left_out = 0;
  qp::Origins origins;
};

struct SubProblemOptions {
  BiasMode mode = BiasMode::own;
  double bias = 0;                   ///< common: the value to solve with
  double tol = 1e-3;
  KeptGradient* gradient = nullptr;  ///< common: used when it has values, and replaced; null: not kept
  std::int64_t max_iter = -1;        ///< as qp::Options
  bool keep_sum = false;             ///< one_class: these points carry all of the whole problem's sum
  qp::Verify verify = qp::Verify::report;
};

/// Makes problem.beta satisfy the problem's own constraint: sum beta = 0 (see repair.hpp), one_class: sum alpha = nu sum w.
void balance_start(const svm::FormulationParams& params, svm::BinaryProblem& problem);

/// Solves it from problem.beta and writes the solution to `coef`, the coefficients of all points. rows: of all points.
/// BiasMode::own: the start is made to balance first, and is written when the host cancels. The result's objective is that of the
/// problem without the bias term, whatever the mode.
template <class T>
qp::Result solve_sub_problem(const kernel_matrix::RowSource<T>& rows, svm::BinaryProblem& problem, const Options& options,
                             const SubProblemOptions& how, std::vector<double>& coef, base::Context& context,
                             const Progress& progress);

}  // namespace dcsvm::multilevel
