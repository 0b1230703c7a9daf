// One one-vs-one problem on some of the points: built from the coefficients of all, solved, written back.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "multilevel/dc_svm.hpp"
#include "solver/solver.hpp"

namespace dcsvm::multilevel {

/// Row of the coefficient matrix for a point of class `own` in its pair with class `other`.
constexpr Index coef_row(int own, int other) { return other > own ? other - 1 : other; }

struct PairProblem {
  int positive = 0;              ///< class of the positive side
  int negative = 1;              ///< class of the negative side; -1: absent, the one-sided problem without a bias
  std::vector<Index> points;     ///< those of class `positive`, then those of `negative`
  Index n_positive = 0;
  std::vector<int> partners;     ///< one-sided: the absent classes, whose pairs all have this solution
};

/// Makes the problem's coefficients satisfy its own constraint sum beta = 0 (see repair.hpp).
void balance_start(const Input& input, const PairProblem& problem, std::vector<double>& coef);

/// Solves it from input's current coefficients (made to balance when there is a bias) and writes the solution over them. When the host
/// cancels, coef keeps the balanced start. Different problems of one level touch different coefficients.
template <class T>
solver::Result solve_pair_problem(const Input& input, const rows::RowSource<T>& rows, const PairProblem& problem,
                                  const TrainParams& params, double tol, std::vector<double>& coef, base::Context& context,
                                  const Progress& progress);

}  // namespace dcsvm::multilevel
