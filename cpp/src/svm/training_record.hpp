// What a training has found, solution by solution, as a report and a model.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "svm/model/build_model.hpp"
#include "svm/problems/solve_binary.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

class TrainingRecord {
 public:
  TrainingRecord(const TrainingProblem& problem, const TrainParams& params);

  /// Adds one pair's solution, in LIBSVM's order. The first drops the totals of what was solved before it: these were of
  /// sub-problems.
  void add(const Solution& found);

  /// The model of these coefficients, (k - 1) x n, with the bias of each solution that was added.
  ModelData expansion(const std::vector<double>& coef) const { return build_expansion(of(coef), rho_); }
  OneVsOneSolution of(const std::vector<double>& coef) const;

  /// The model with its parameters and its report. n_values, n_bytes: kernel values that were computed, and bytes that were held,
  /// by the rows of the whole problem. The record is empty then.
  Model finish(ModelData data, std::int64_t n_values, std::size_t n_bytes, const base::Context& context);

  Report report;

 private:
  const TrainingProblem& problem_;
  const TrainParams& params_;
  std::vector<double> rho_;
  double relative_gap_ = 0;  // the largest of a pair
  double seconds_rows_ = 0, seconds_inner_ = 0, seconds_select_ = 0, seconds_update_ = 0;  // of all pairs
  bool in_double_ = false;   // a pair could not be solved with float kernel values
};

}  // namespace dcsvm::svm
