// One one-vs-one problem on some of the points: built from the coefficients of all, solved, written back.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "qp/solver.hpp"
#include "svm/multilevel/bias_search.hpp"
#include "svm/multilevel/dc_svm.hpp"
#include "svm/problems/class_pairs.hpp"

namespace dcsvm::multilevel {

using data::coef_row;

struct PairProblem {
  int positive = 0;              ///< the lower class
  int negative = 1;
  std::vector<Index> points;     ///< those of class `positive`, then those of `negative`; one of them may have none
  Index n_positive = 0;
};

/// The gradient at a problem's solution, for the same problem with another bias.
struct KeptGradient {
  std::vector<double> values;  ///< empty: none yet
  double bias = 0, error = 0;
};

struct PairOptions {
  BiasMode mode = BiasMode::own;
  double bias = 0;  ///< common: the value to solve with
  double tol = 1e-3;
  KeptGradient* gradient = nullptr;  ///< common: used when it has values, and replaced; null: not kept
  std::int64_t max_iter = -1;  ///< as qp::Options
  bool keep_sum = false;  ///< one_class: these points carry all of the whole problem's sum
};

/// Makes the problem's coefficients satisfy its own constraint: sum beta = 0 (see repair.hpp), one_class: sum alpha = nu sum w.
void balance_start(const Input& input, const PairProblem& problem, double nu, std::vector<double>& coef);

/// Solves it from input's current coefficients and writes the solution over them. BiasMode::own: the start is made to balance
/// first and stays when the host cancels. Different problems of one level touch different coefficients. The result's objective is
/// that of the problem without the bias term, whatever the mode.
template <class T>
qp::Result solve_pair_problem(const Input& input, const kernel_matrix::RowSource<T>& rows, const PairProblem& problem,
                              const TrainParams& params, const PairOptions& how, std::vector<double>& coef,
                              base::Context& context, const Progress& progress);

}  // namespace dcsvm::multilevel
