// dcsvm/low_rank.hpp: training on data in memory.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/param_checks.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "low_rank/params.hpp"
#include "low_rank/predict.hpp"
#include "low_rank/training.hpp"

namespace dcsvm {

namespace {

using low_rank::LowRankLabels;
using low_rank::LowRankTraining;

/// What the trainings on one data set in memory share.
struct InMemory {
  InMemory(const DataView& x, const double* y, const LowRankParams& params, const LowRankInputs& inputs, const Hooks& hooks)
      : call(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds),
        params(params),
        inputs(inputs),
        cols(cols_of(x)),
        source(x),
        labels(checked_labels(x, y)) {}

  LowRankLabels checked_labels(const DataView& x, const double* y) {
    if (cols > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 columns");
    data::check_data(x, call.pool);
    data::check_domain(x, params.kernel.type, call.pool);
    return low_rank::make_labels(y, rows_of(x), params, inputs.sample_weight);
  }

  /// Landmarks and a map from the rows that `labels` says take part (and, where they ignore labels, from the others).
  LowRankTraining training(const LowRankLabels& labels) { return {source, cols, labels, params, inputs, call.context}; }

  base::Call call;
  const LowRankParams& params;
  const LowRankInputs& inputs;
  Index cols;
  data::RowsInMemory source;
  LowRankLabels labels;
};

void set_start(const double* alpha, double C, const LowRankParams& params, const LowRankLabels& labels, LowRankTraining& training,
               low_rank::BlockState& state) {
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

double accuracy(const LowRankLabels& labels, const std::vector<int>& left_in, const LowRankParams& params,
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

/// Throws DataError for a fold that holds all rows of a class.
void check_folds(const LowRankLabels& labels, const int* fold_of) {
  std::vector<int> first(labels.classes.size(), -1);
  std::vector<bool> others(labels.classes.size(), false);
  for (Index i = 0; i < labels.rows(); ++i) {
    const int c = labels.class_of[i];
    if (c < 0) continue;
    if (first[c] < 0) first[c] = fold_of[i];
    if (first[c] != fold_of[i]) others[c] = true;
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (!others[c]) throw DataError("fold " + std::to_string(first[c]) + " holds all rows of a class");
  }
}

LowRankLabels without_fold(LowRankLabels labels, int fold, const int* fold_of) {
  for (Index i = 0; i < labels.rows(); ++i) {
    if (fold_of[i] == fold) labels.class_of[i] = -1;
  }
  return labels;
}

/// A map that looks at labels must not see those that it is judged on: it is made again for each fold.
bool map_looks_at_labels(const LowRankParams& params, const LowRankInputs& inputs) {
  if (is_fourier(params.features)) return false;
  return params.supervised || (params.landmarks == LandmarkChoice::greedy && inputs.landmarks == nullptr);
}

/// What a path needs of the memory cap. Throws CapError.
void require_resident(LowRankTraining& training, Index n) {
  if (training.solver().resident()) return;
  throw CapError("cache_size must hold the features of all rows for a path: " +
                 std::to_string(n * training.map().features->cols() * 4 / 1048576 + 64) + " MB");
}

/// Solves for each C from the solution of the one before; solved(c, state, stats) after each.
template <class Solved>
void follow(const std::vector<double>& C, const std::vector<int>* class_of, LowRankTraining& training, const Solved& solved) {
  low_rank::BlockState state = training.start();
  for (std::size_t c = 0; c < C.size(); ++c) {
    if (c > 0) rescale(C[c] / C[c - 1], state);
    const auto stats = training.solve(C[c], class_of, state);
    solved(c, state, stats);
  }
}

}  // namespace

LowRankModel train_low_rank(const DataView& x, const double* y, const LowRankParams& params, const LowRankInputs& inputs,
                            const Hooks& hooks) {
  low_rank::check_params(params);
  InMemory all(x, y, params, inputs, hooks);
  LowRankTraining training = all.training(all.labels);
  low_rank::BlockState state = training.start();
  if (inputs.warm_start_alpha != nullptr) set_start(inputs.warm_start_alpha, params.C, params, all.labels, training, state);
  const auto stats = training.solve(params.C, nullptr, state);
  return training.model(params.C, state, stats);
}

LowRankPath low_rank_path(const DataView& x, const double* y, const LowRankParams& params, const std::vector<double>& C,
                          int folds, const int* fold_of, const LowRankInputs& inputs, const Hooks& hooks) {
  LowRankParams checked = params;
  if (C.empty()) throw ParameterError("C must name at least one value");
  base::refuse_max_seconds(params.max_seconds, "a path along C");
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
  if (folds > 0) check_folds(all.labels, fold_of);
  LowRankPath path;
  path.scores.assign(C.size() * static_cast<std::size_t>(folds), 0.0);
  const auto score = [&](int fold, const std::vector<int>& left_in, LowRankTraining& training) {
    follow(C, &left_in, training, [&](std::size_t c, const low_rank::BlockState& state, const low_rank::SolveStats&) {
      path.scores[c * static_cast<std::size_t>(folds) + static_cast<std::size_t>(fold)] =
          accuracy(all.labels, left_in, params, state, training.solver());
    });
  };
  const bool maps_by_fold = map_looks_at_labels(params, inputs);
  {  // Its features are let go before the folds make their own.
    LowRankTraining training = all.training(all.labels);
    require_resident(training, rows_of(x));
    follow(C, nullptr, training, [&](std::size_t c, const low_rank::BlockState& state, const low_rank::SolveStats& stats) {
      path.models.push_back(training.model(C[c], state, stats));
    });
    for (int fold = 0; fold < folds && !maps_by_fold; ++fold) {
      score(fold, without_fold(all.labels, fold, fold_of).class_of, training);
    }
  }
  for (int fold = 0; fold < folds && maps_by_fold; ++fold) {
    const LowRankLabels left = without_fold(all.labels, fold, fold_of);
    LowRankTraining training = all.training(left);
    require_resident(training, rows_of(x));
    score(fold, left.class_of, training);
  }
  return path;
}

}  // namespace dcsvm
