// A training's data as the solvers need it: classes, bounds, a resolved kernel, a feasible start.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/params.hpp"
#include "qp/solver.hpp"
#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

struct TrainingProblem {
  const data::Summary* x = nullptr;
  Index n = 0;
  Targets targets;                ///< of a regression
  std::vector<double> classes;    ///< ascending; classifiers only
  std::vector<int> class_of;      ///< n; -1: C_i = 0, takes no part; one-class and regression: else 0
  std::vector<double> upper;      ///< n: bounds, C_i or w_i
  KernelParams kernel;            ///< gamma resolved
  Precision precision = Precision::single_;  ///< of the model
  Precision solved_in = Precision::single_;  ///< double also where all pairs are small
  /// (k - 1) x n y_i alpha_i in the one-vs-one layout; one-class: alpha; regression: alpha - alpha*. Empty: none given.
  std::vector<double> start;
  const double* start_sums = nullptr;  ///< TrainInputs::warm_start_sums
  const double* fixed_sums = nullptr;  ///< TrainInputs::fixed_row_sums
  /// All points in the order in which (sub-)problems list them; empty: ascending.
  std::vector<Index> order;

  /// LIBSVM's nr_class: one-class and regression lay things out as for two.
  Index n_classes() const { return classes.empty() ? 2 : static_cast<Index>(classes.size()); }
  Index n_pairs() const { return n_classes() * (n_classes() - 1) / 2; }
};

/// Checks everything and resolves what depends on the data. x must outlive the problem. Throws ParameterError, DataError.
TrainingProblem make_problem(const data::Summary& x, const double* y, const TrainParams& params, const TrainInputs& inputs,
                             base::ThreadPool& pool);

/// What the solver is to reach. Float kernel values move gradients by some 1e-5 to 1e-4: a little below tol, so that the true
/// violation is below tol as well.
double solver_tol(const TrainingProblem& problem, const TrainParams& params);
/// With this tolerance, which is all that is accepted, and the limits of params.
qp::Options solver_options(const TrainingProblem& problem, const TrainParams& params);

}  // namespace dcsvm::svm
