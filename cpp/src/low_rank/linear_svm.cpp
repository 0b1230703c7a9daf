#include "low_rank/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/vectors.hpp"
#include "optimise/dual_step.hpp"
#include "simd/ops.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kGrain = 64;
constexpr Index kPollEvery = 512;
constexpr int kPassesPerRound = 6;  // the gradient of all variables costs about half a pass
constexpr int kIdleVisits = 2;      // visits in a row without a step, after which a variable leaves the active set

/// No default: the compiler names a loss that is missing.
optimise::HingeDual dual_of(LowRankLoss loss, double C) {
  switch (loss) {
    case LowRankLoss::hinge: return {false, C};
    case LowRankLoss::squared_hinge: return {true, C};
  }
  throw std::logic_error("a loss that does not exist");
}

class CoordinateDescent {
 public:
  CoordinateDescent(const Resident& resident, const Labelled& data, const LinearOptions& options, base::ThreadPool& pool,
                    const LinearPoll& poll, BinaryState& state)
      : resident_(resident), data_(data), options_(options), pool_(pool), poll_(poll), state_(state), random_(options.seed) {
    const double bias = options.fit_intercept ? 1.0 : 0.0;
    variables_.reserve(resident.size());
    for (Index l = 0; l < resident.size(); ++l) {
      const Index row = resident.rows[l];
      const double C = data.C[row];
      const int y = C > 0 ? state.problem.sign(data.class_of[row]) : 0;
      const optimise::HingeDual box = dual_of(options.loss, y == 0 ? 0.0 : C);
      variables_.push_back({state.alpha[row], box.upper, box.curve, resident.norm2[l] + bias + box.curve, y, 0, false});
    }
  }

  LinearStats run() {
    for (int round = 0;; ++round) {
      check_all();
      if (round == 0) stats_.first_violation = stats_.violation;
      if (stats_.violation <= options_.tol || stats_.stopped || stats_.passes >= options_.max_passes ||
          round >= options_.max_rounds)
        break;
      // Half of tol: the violation of variables outside the active set grows meanwhile, and a round without steps is wasted.
      descend(std::max(0.5 * options_.tol, options_.reduction * stats_.violation));
    }
    if (options_.note_changes) note_changes();
    return stats_;
  }

 private:
  /// What a step needs of a row, next to each other in memory: steps come in random order.
  struct Variable {
    double alpha, upper, diagonal;  // a_i, U_i, D_i
    double q;                       // second derivative
    int sign;
    std::int16_t idle;  // visits in a row without a step
    bool changed;
  };

  void note_changes() {
    state_.changed.clear();
    for (std::size_t l = 0; l < variables_.size(); ++l) {
      if (variables_[l].changed) state_.changed.push_back(resident_.rows[l]);
    }
  }

  double margin(Index l, int sign) const { return sign * linear_decision(resident_, l, state_); }

  /// The projected gradient of all variables, and the active set.
  void check_all() {
    const Index n = resident_.size(), pieces = (n + kGrain - 1) / kGrain;
    std::vector<double> worst(pieces, 0.0), loss(static_cast<std::size_t>(pieces), 0.0);
    std::vector<char> is_active(n, 0);
    pool_.for_range(n, kGrain, [&](Index begin, Index end, int) {
      for (Index l = begin; l < end; ++l) {
        const RowState now = row_state(data_, options_, state_, resident_.rows[l], linear_decision(resident_, l, state_));
        loss[begin / kGrain] += now.loss;
        worst[begin / kGrain] = std::max(worst[begin / kGrain], std::abs(now.gradient));
        is_active[l] = now.active ? 1 : 0;
      }
    });
    stats_.violation = 0;
    stats_.loss = 0;
    for (const double v : worst) stats_.violation = std::max(stats_.violation, v);
    for (const double v : loss) stats_.loss += v;
    active_.clear();
    for (Index l = 0; l < n; ++l) {
      if (is_active[l] != 0) active_.push_back(l);
      variables_[l].idle = 0;
    }
  }

  /// Passes over the active variables until their violation in a pass is below `target`, kPassesPerRound at most.
  void descend(double target) {
    optimise::Shrinking shrinking;
    for (int pass = 0; pass < kPassesPerRound && !active_.empty() && stats_.passes < options_.max_passes; ++pass) {
      base::shuffle(active_, random_);
      Index kept = 0, seen = 0;
      for (std::size_t i = 0; i < active_.size(); ++i) {
        const Index l = active_[i];
        if (i + 1 < active_.size()) prefetch(active_[i + 1]);
        if (++seen % kPollEvery == 0 && poll_(stats_)) {
          stats_.stopped = true;
          return;
        }
        if (step(l, shrinking)) active_[kept++] = l;
      }
      stats_.steps += seen;
      ++stats_.passes;
      active_.resize(kept);
      if (kept == 0 || std::max(shrinking.largest(), -shrinking.smallest()) <= target) return;
      shrinking.next_pass();
    }
  }

  /// Loads a row of features into the cache ahead of its step.
  void prefetch(Index l) const {
    constexpr Index kLine = 64 / sizeof(float);
    const float* x = resident_.row(l);
    for (Index j = 0; j < resident_.cols; j += kLine) __builtin_prefetch(x + j);
  }

  /// Sets one variable to its optimum; false: it leaves the active set.
  bool step(Index l, optimise::Shrinking& shrinking) {
    Variable& v = variables_[l];
    const double g = margin(l, v.sign) - 1.0 + v.diagonal * v.alpha;
    if (shrinking.leaves(v.alpha, g, v.upper)) return false;
    const double pg = optimise::projected(v.alpha, g, v.upper);
    if (std::abs(pg) < 1e-12 && ++v.idle >= kIdleVisits) return false;
    shrinking.see(pg);
    if (std::abs(pg) < 1e-12) return true;
    v.idle = 0;
    v.changed = true;
    const double before = v.alpha;
    v.alpha = optimise::dual_minimum(v.alpha, g, v.q, v.upper);
    const double delta = (v.alpha - before) * v.sign;
    const float* x = resident_.row(l);
    simd::ops<float>().accumulate(&delta, &x, 1, 0, resident_.cols, state_.w.data());
    if (options_.fit_intercept) state_.w[resident_.cols] += delta;
    state_.alpha[resident_.rows[l]] = v.alpha;
    return true;
  }

  const Resident& resident_;
  const Labelled& data_;
  const LinearOptions& options_;
  base::ThreadPool& pool_;
  const LinearPoll& poll_;
  BinaryState& state_;
  std::vector<Variable> variables_;  // of the resident rows
  std::vector<Index> active_;
  base::Random random_;
  LinearStats stats_;
};

}  // namespace

double linear_decision(const Resident& resident, Index l, const BinaryState& state) {
  const double corrected = state.correction.empty() ? 0.0 : state.correction[resident.rows[l]];
  return simd::ops<float>().dot(resident.row(l), state.w.data(), resident.cols) + state.w[resident.cols] + corrected;
}

RowState row_state(const Labelled& data, const LinearOptions& options, const BinaryState& state, Index row, double decision) {
  RowState now;
  const double C = data.C[row], alpha = state.alpha[row];
  const int sign = C > 0 ? state.problem.sign(data.class_of[row]) : 0;
  if (sign == 0) return now;
  const optimise::HingeDual box = dual_of(options.loss, C);
  const double short_of = 1.0 - sign * decision, lost = std::max(0.0, short_of);
  now.gradient = optimise::projected(alpha, box.curve * alpha - short_of, box.upper);
  now.loss = C * (box.curve > 0 ? lost * lost : lost);
  now.active = now.gradient != 0.0 || (alpha > 0 && alpha < box.upper);
  return now;
}

void measure(Resident& resident, Index first, base::ThreadPool& pool) {
  resident.norm2.resize(resident.size());
  pool.for_range(resident.size() - first, kGrain, [&](Index begin, Index end, int) {
    for (Index l = first + begin; l < first + end; ++l) {
      double sum = 0;
      for (Index j = 0; j < resident.cols; ++j)
        sum += static_cast<double>(resident.row(l)[j]) * static_cast<double>(resident.row(l)[j]);
      resident.norm2[l] = sum;
    }
  });
}

LinearOptions linear_options(const LowRankParams& params) {
  LinearOptions options;
  options.loss = params.loss;
  options.fit_intercept = params.fit_intercept;
  options.tol = params.tol;
  options.max_passes = params.max_iter;
  options.seed = params.seed;
  return options;
}

LinearStats solve_linear(const Resident& resident, const Labelled& data, const LinearOptions& options, base::ThreadPool& pool,
                         const LinearPoll& poll, BinaryState& state) {
  return CoordinateDescent(resident, data, options, pool, poll, state).run();
}

double dual_objective(const Labelled& data, const LinearOptions& options, const BinaryState& state) {
  double sum = 0;
  for (const double w : state.w) sum += 0.5 * w * w;
  for (std::size_t i = 0; i < state.alpha.size(); ++i) {
    const double a = state.alpha[i];
    if (a > 0) sum += dual_of(options.loss, data.C[i]).term(a);
  }
  return sum;
}

}  // namespace dcsvm::low_rank
