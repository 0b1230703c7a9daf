// What the checkpoint of a call (base/checkpoint.hpp) keeps of one solve: the variables while it runs, and the result once it has
// ended.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/checkpoint.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// The numbers of a result, for a checkpoint, and the result of such numbers; nothing when they are none of a result.
std::vector<double> numbers_of(const Result& result);
std::optional<Result> result_of(const double* numbers, std::size_t count);
/// How many they are.
std::size_t count_of_numbers();

class SavedSolve {
 public:
  /// The context's next piece of work. What was kept of it is taken up if it is of this problem and feasible: `beta`, the start
  /// on entry, becomes that.
  SavedSolve(base::Context& context, const Problem& problem, double* beta);

  /// Whether beta was taken up.
  bool found() const { return found_; }
  /// SMO steps of the calls before that led to it.
  std::int64_t steps() const { return steps_; }
  /// The result that belongs to it; none: the solve had not ended.
  const std::optional<Result>& result() const { return result_; }

  /// Time to keep the variables again.
  bool due() const { return place_ && base::Clock::now() >= next_; }
  /// Keeps them; steps: of this call.
  void keep(const double* beta, std::int64_t steps);
  /// Keeps the end of the solve, unless it was cancelled: then the variables.
  void finish(const double* beta, const Result& result);

 private:
  bool take(const std::vector<double>& kept, double* beta);
  void add_nonzero(const double* beta, std::vector<double>& values) const;

  const Problem& problem_;
  std::optional<base::Place> place_;  // none: nothing is kept
  double mark_ = 0;  // checksum of the problem
  base::Clock::time_point next_{};
  bool found_ = false;
  std::int64_t steps_ = 0;
  std::optional<Result> result_;
};

}  // namespace dcsvm::qp
