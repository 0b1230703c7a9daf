// The problems of one training, each solved by the method that belongs to its solver and data (method.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "linear/method.hpp"
#include "linear/training.hpp"

namespace dcsvm::linear {

class ProblemSolver {
 public:
  ProblemSolver(const LinearParams& params, const TrainingData& data) : params_(params), data_(data) {}

  /// How many of `vectors` problems are solved together: those of Newton's method with few columns, as many as memory allows.
  Index group_size(Index vectors, const base::Context& context) const;

  /// Problems on the same X, data.x or data.solver_x(); more than one only where group_size() is.
  std::vector<Solution> solve(const std::vector<Problem>& problems, std::vector<SolveOptions> options,
                              base::Context& context) const;

 private:
  Method method() const { return method_of(params_, data_.x); }
  /// By any method but dual_descent.
  std::vector<Solution> from_primal_side(const std::vector<Problem>& problems, std::vector<SolveOptions> options,
                                         base::Context& context) const;
  Solution lagrangian(const Problem& p, const SolveOptions& options, base::Context& context) const;
  Solution descend(const Problem& p, const SolveOptions& options, base::Context& context) const;
  const products::Columns* columns_of(const Matrix& x, base::Context& context) const;

  const LinearParams& params_;
  const TrainingData& data_;
  mutable std::once_flag exact_columns_made_;
  mutable std::unique_ptr<const products::Columns> exact_columns_;  // of data.x, where it is needed
};

}  // namespace dcsvm::linear
