// dcsvm/low_rank.hpp: training on data in memory.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "low_rank/params.hpp"
#include "low_rank/predict.hpp"
#include "low_rank/training.hpp"

namespace dcsvm {

namespace {

/// A training on data in memory.
struct InMemory {
  InMemory(const DataView& x, const double* y, const LowRankParams& params, const LowRankInputs& inputs, const Hooks& hooks)
      : call(params.n_threads, params.seed, params.cache_size, hooks),
        source(x),
        labels(checked_labels(x, y, params, inputs)),
        training(source, cols_of(x), labels, params, inputs, call.context) {}

  low_rank::LowRankLabels checked_labels(const DataView& x, const double* y, const LowRankParams& params,
                                         const LowRankInputs& inputs) {
    if (cols_of(x) > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 columns");
    data::check_data(x, call.pool);
    return low_rank::make_labels(y, rows_of(x), params, inputs.sample_weight);
  }

  base::Call call;
  data::RowsInMemory source;
  low_rank::LowRankLabels labels;
  low_rank::LowRankTraining training;
};

void set_start(const double* alpha, double C, const LowRankParams& params, const low_rank::LowRankLabels& labels,
               low_rank::LowRankTraining& training, low_rank::BlockState& state) {
  if (!training.solver().resident()) {
    throw ParameterError("warm_start_alpha needs the features of all rows in memory: raise cache_size");
  }
  const std::vector<double> bounds = labels.bounds(C);
  const Index n = labels.rows();
  for (std::size_t p = 0; p < state.problems.size(); ++p) {
    low_rank::BinaryState& s = state.problems[p];
    for (Index i = 0; i < n; ++i) {
      const double a = alpha[static_cast<Index>(p) * n + i];
      const double upper = params.loss == LowRankLoss::hinge ? bounds[i] * (1 + 1e-9) : std::numeric_limits<double>::max();
      const bool in_problem = s.problem.sign(labels.class_of[i]) != 0;
      if (!(a >= 0) || a > upper || (a > 0 && !in_problem)) {
        throw ParameterError("warm_start_alpha[" + std::to_string(p) + ", " + std::to_string(i) +
                             "] is not in [0, C_i], or not 0 for a row that takes no part");
      }
      s.alpha[i] = std::min(a, params.loss == LowRankLoss::hinge ? bounds[i] : a);
    }
    training.solver().weigh({labels.class_of.data(), bounds.data()}, s);
    if (!params.fit_intercept) s.w.back() = 0.0;
  }
}

/// From the solution for C = before to a start for C = after: hinge bounds and their alphas grow alike.
void rescale(double factor, low_rank::BlockState& state) {
  for (low_rank::BinaryState& p : state.problems) {
    for (double& a : p.alpha) a *= factor;
    for (double& w : p.w) w *= factor;
  }
}

double accuracy(const low_rank::LowRankLabels& labels, const std::vector<int>& left_in, const LowRankParams& params,
                const low_rank::BlockState& state, const low_rank::LowRankSolver& solver) {
  Index right = 0, count = 0;
  std::vector<double> dec(state.problems.size());
  std::vector<int> votes;
  for (Index i = 0; i < labels.rows(); ++i) {
    if (labels.class_of[i] < 0 || left_in[i] >= 0) continue;
    for (std::size_t p = 0; p < dec.size(); ++p) dec[p] = solver.decision(state.problems[p], i);
    const auto k = static_cast<Index>(labels.classes.size());
    right += low_rank::winner(dec.data(), k, params.multi_class, votes) == labels.class_of[i] ? 1 : 0;
    ++count;
  }
  return count > 0 ? static_cast<double>(right) / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

/// Accuracies along the path on the rows of one fold, after training on the others.
void run_fold(int fold, int folds, const int* fold_of, const LowRankParams& params, const std::vector<double>& C,
              const low_rank::LowRankLabels& labels, low_rank::LowRankTraining& training, std::vector<double>& scores) {
  std::vector<int> left_in = labels.class_of;
  std::vector<bool> seen(labels.classes.size(), false);
  for (Index i = 0; i < labels.rows(); ++i) {
    if (fold_of[i] == fold) left_in[i] = -1;
    if (left_in[i] >= 0) seen[left_in[i]] = true;
  }
  if (std::count(seen.begin(), seen.end(), true) < static_cast<std::ptrdiff_t>(seen.size())) {
    throw DataError("fold " + std::to_string(fold) + " holds all rows of a class");
  }
  low_rank::BlockState state = training.start();
  for (std::size_t c = 0; c < C.size(); ++c) {
    if (c > 0) rescale(C[c] / C[c - 1], state);
    training.solve(C[c], &left_in, state);
    scores[c * static_cast<std::size_t>(folds) + static_cast<std::size_t>(fold)] =
        accuracy(labels, left_in, params, state, training.solver());
  }
}

}  // namespace

LowRankModel train_low_rank(const DataView& x, const double* y, const LowRankParams& params, const LowRankInputs& inputs,
                            const Hooks& hooks) {
  low_rank::check_params(params);
  InMemory all(x, y, params, inputs, hooks);
  low_rank::LowRankTraining& training = all.training;
  low_rank::BlockState state = training.start();
  if (inputs.warm_start_alpha != nullptr) set_start(inputs.warm_start_alpha, params.C, params, all.labels, training, state);
  const auto stats = training.solve(params.C, nullptr, state);
  return training.model(params.C, state, stats);
}

LowRankPath low_rank_path(const DataView& x, const double* y, const LowRankParams& params, const std::vector<double>& C,
                          int folds, const int* fold_of, const LowRankInputs& inputs, const Hooks& hooks) {
  LowRankParams checked = params;
  if (C.empty()) throw ParameterError("C must name at least one value");
  for (const double c : C) {
    checked.C = c;
    low_rank::check_params(checked);
  }
  if (folds != 0 && (folds < 2 || fold_of == nullptr))
    throw ParameterError("folds must be 0, or at least 2 with the fold of each row");
  for (Index i = 0; folds > 0 && i < rows_of(x); ++i) {
    if (fold_of[i] < 0 || fold_of[i] >= folds) throw ParameterError("fold_of[" + std::to_string(i) + "] is not in [0, folds)");
  }
  if (inputs.warm_start_alpha != nullptr) throw ParameterError("warm_start_alpha is not for a path: each C starts from the last");
  InMemory all(x, y, checked, inputs, hooks);
  low_rank::LowRankTraining& training = all.training;
  if (!training.solver().resident()) {
    throw CapError("cache_size must hold the features of all rows for a path: " +
                   std::to_string(rows_of(x) * training.map().features->cols() * 4 / 1048576 + 64) + " MB");
  }
  LowRankPath path;
  path.scores.assign(C.size() * static_cast<std::size_t>(folds), 0.0);
  low_rank::BlockState state = training.start();
  for (std::size_t c = 0; c < C.size(); ++c) {
    if (c > 0) rescale(C[c] / C[c - 1], state);
    const auto stats = training.solve(C[c], nullptr, state);
    path.models.push_back(training.model(C[c], state, stats));
  }
  for (int fold = 0; fold < folds; ++fold) run_fold(fold, folds, fold_of, params, C, all.labels, training, path.scores);
  return path;
}

}  // namespace dcsvm
