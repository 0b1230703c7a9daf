// dcsvm/linear_path.hpp: cross-validation for one C, for given values, or in the search of C.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/linear_path.hpp"
#include "linear/fold_trainings.hpp"
#include "linear/params.hpp"

namespace dcsvm {

namespace linear {

namespace {

/// LIBLINEAR's start of C (Chu et al. 2015, section 4): a power of 2 at which w is still near 0.
double first_C(const TrainingData& data, LinearSolver solver, double epsilon) {
  const Index n = data.x.rows();
  const double norm2 = largest_norm2(data);
  double least = 0;
  if (is_regression(solver)) {
    constexpr double kDelta2 = 0.1;  // LIBLINEAR's
    double sum = 0, loss = 0;
    for (Index i = 0; i < n; ++i) {
      const double size = std::abs(data.y[i]), beyond = std::max(size - epsilon, 0.0);
      sum += size;
      loss += beyond * beyond;
    }
    least = loss > 0 ? kDelta2 * kDelta2 * loss / (8 * sum * sum * norm2) : linear_fit::kInfinity;
  } else {
    least = 1.0 / ((solver == LinearSolver::logistic ? 1.0 : 2.0) * static_cast<double>(n) * norm2);
  }
  return std::exp2(std::floor(std::log(least) / std::log(2.0)));
}

/// The search over C for one epsilon, and the best of all searches so far.
class Search {
 public:
  Search(const LinearPathOptions& options, Folds& folds, LinearPath& path)
      : options_(options), folds_(folds), path_(path), regression_(is_regression(folds.params().solver)) {
    path_.best_score = regression_ ? linear_fit::kInfinity : 0.0;
  }

  void run_given() {
    path_.best_C = options_.C.front();
    for (const double C : options_.C) {
      folds_.params().C = C;
      LinearPathPoint point{C, folds_.params().epsilon};
      train(point);
      add(std::move(point));
    }
  }

  void run(double epsilon) {
    const double largest = regression_ ? 0x1p20 : 1024.0;
    folds_.forget();
    folds_.params().epsilon = epsilon;
    double C =
        std::min(options_.start_C > 0 ? options_.start_C : first_C(folds_.data(), folds_.params().solver, epsilon), largest);
    if (!(C > 0)) throw DataError("X is too large for the search of C, which would begin at 0; scale X to values near 1");
    if (!std::isfinite(path_.best_score) || path_.points.empty()) path_.best_C = C;
    int unchanged = 0;
    for (bool first = true, last = false; !last; C *= 2, first = false) {
      constexpr int kEnough = 5;  // LIBLINEAR's: values of C in a row that leave w where it is
      folds_.params().C = C;
      LinearPathPoint point{C, epsilon};
      const bool moved = train(point);
      unchanged = !first && moved ? 0 : unchanged + 1;  // the first C counts
      const bool settled = unchanged == kEnough;
      last = settled || 2 * C > largest;
      point.at_largest_C = last && !settled;
      add(std::move(point));
    }
  }

 private:
  /// Trains all folds and notes the scores. Returns whether a fold's w was moved.
  bool train(LinearPathPoint& point) {
    std::vector<double> out(static_cast<std::size_t>(folds_.data().x.rows()));
    const bool moved = folds_.run(out.data());
    const double* y = folds_.data().y;
    double total = 0;
    for (const FoldTraining& fold : folds_.all()) {
      double sum = 0;
      for (const Index i : fold.held_out) {
        sum += regression_ ? (out[i] - y[i]) * (out[i] - y[i]) : out[i] == y[i] ? 1.0 : 0.0;
      }
      total += sum;
      point.fold_scores.push_back(sum / static_cast<double>(fold.held_out.size()));
      point.fold_objectives.push_back(fold.objective);
    }
    point.score = total / static_cast<double>(out.size());
    if (options_.keep_predictions) point.predictions = std::move(out);
    return moved;
  }
  void add(LinearPathPoint point) {
    if (regression_ ? point.score < path_.best_score : point.score > path_.best_score) {
      path_.best_C = point.C;
      path_.best_epsilon = point.epsilon;
      path_.best_score = point.score;
    }
    path_.points.push_back(std::move(point));
    if (options_.visit) options_.visit(path_.points.back());
  }

  const LinearPathOptions& options_;
  Folds& folds_;
  LinearPath& path_;
  bool regression_;
};

}  // namespace

}  // namespace linear

void cross_validate_linear(const DataView& x, const double* y, const LinearParams& params, const LinearFolds& folds, double* out,
                           const LinearInputs& inputs, const Hooks& hooks) {
  linear::check_params(params, inputs);
  base::refuse_max_seconds(params.max_seconds, "a cross-validation");
  linear::Folds(x, y, params, folds, inputs, hooks).run(out);
}

LinearPath linear_path(const DataView& x, const double* y, const LinearParams& params, const LinearPathOptions& options,
                       const LinearInputs& inputs, const Hooks& hooks) {
  linear::check_params(params, inputs);
  base::refuse_max_seconds(params.max_seconds, "a path along C");
  const bool regression = params.solver == LinearSolver::svr_squared, given = !options.C.empty();
  if (given && params.solver == LinearSolver::one_class)
    throw ParameterError("solver: linear_path compares predictions with y, which one_class does not have");
  for (const double C : options.C) {
    if (!(C > 0) || !std::isfinite(C)) throw ParameterError("C must be finite numbers > 0 for linear_path");
  }
  if (!given && !regression && params.solver != LinearSolver::logistic && params.solver != LinearSolver::squared_hinge) {
    throw ParameterError("solver must be logistic, squared_hinge or svr_squared for the search of linear_path; name values of C");
  }
  linear::Folds folds(x, y, params, options.folds, inputs, hooks);
  LinearPath path;
  linear::Search search(options, folds, path);
  if (given || !regression) {
    given ? search.run_given() : search.run(params.epsilon);
    return path;
  }
  constexpr int kSteps = 20;  // LIBLINEAR's: values of epsilon
  double largest = 0;
  for (Index i = 0; i < rows_of(x); ++i) largest = std::max(largest, std::abs(y[i]));
  int step = kSteps - 1;
  if (options.start_epsilon > 0 && options.start_epsilon < largest) {
    step = std::min(static_cast<int>(options.start_epsilon / (largest / kSteps)), step);
  }
  for (; step >= 0; --step) search.run(step * largest / kSteps);
  return path;
}

}  // namespace dcsvm
