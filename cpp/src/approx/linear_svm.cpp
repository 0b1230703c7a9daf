#include "approx/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "simd/ops.hpp"

namespace dcsvm::approx {

namespace {

constexpr Index kGrain = 64;
constexpr Index kPollEvery = 512;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class CoordinateDescent {
 public:
  CoordinateDescent(const Resident& resident, const Labelled& data, const LinearOptions& options, base::ThreadPool& pool,
                    const LinearPoll& poll, BinaryState& state)
      : resident_(resident), data_(data), options_(options), pool_(pool), poll_(poll), state_(state), random_(options.seed) {}

  LinearStats run() {
    for (int round = 0;; ++round) {
      look();
      if (round == 0) stats_.first_violation = stats_.violation;
      if (stats_.violation <= options_.tol || stats_.stopped || stats_.passes >= options_.max_passes ||
          round >= options_.max_rounds)
        break;
      // Rounds that end at once would only look: half of tol leaves room for what moves meanwhile.
      descend(std::max(0.5 * options_.tol, options_.reduction * stats_.violation));
    }
    return stats_;
  }

 private:
  double upper(Index row) const { return options_.loss == LowRankLoss::hinge ? data_.C[row] : kInfinity; }
  double diagonal(Index row) const { return options_.loss == LowRankLoss::hinge ? 0.0 : 0.5 / data_.C[row]; }

  int sign(Index l) const {
    const Index row = resident_.rows[at(l)];
    return data_.C[row] > 0 ? state_.problem.sign(data_.class_of[row]) : 0;
  }
  double margin(Index l, int sign) const { return sign * linear_decision(resident_, l, state_); }
  static double projected(double g, double alpha, double upper) {
    if (alpha <= 0) return std::min(g, 0.0);
    return alpha >= upper ? std::max(g, 0.0) : g;
  }

  /// The projected gradient of all variables, and who shall move.
  void look() {
    const Index n = resident_.size(), pieces = (n + kGrain - 1) / kGrain;
    std::vector<double> worst(at(pieces), 0.0), loss(at(pieces), 0.0);
    std::vector<char> moves(at(n), 0);
    pool_.for_range(n, kGrain, [&](Index begin, Index end, int) {
      for (Index l = begin; l < end; ++l) {
        const int y = sign(l);
        if (y == 0) continue;
        const Index row = resident_.rows[at(l)];
        const double a = state_.alpha[at(row)], short_of = 1.0 - margin(l, y);
        const double pg = projected(diagonal(row) * a - short_of, a, upper(row));
        const double lost = std::max(0.0, short_of);
        loss[at(begin / kGrain)] += data_.C[row] * (options_.loss == LowRankLoss::hinge ? lost : lost * lost);
        worst[at(begin / kGrain)] = std::max(worst[at(begin / kGrain)], std::abs(pg));
        moves[at(l)] = pg != 0.0 || (a > 0 && a < upper(row)) ? 1 : 0;
      }
    });
    stats_.violation = 0;
    stats_.loss = 0;
    for (const double v : worst) stats_.violation = std::max(stats_.violation, v);
    for (const double v : loss) stats_.loss += v;
    active_.clear();
    for (Index l = 0; l < n; ++l) {
      if (moves[at(l)] != 0) active_.push_back(l);
    }
  }

  /// Passes over the active variables until their violation in a pass is below `target`.
  void descend(double target) {
    double high = kInfinity, low = -kInfinity;  // of the last pass: variables beyond them at a bound are left aside
    while (!active_.empty() && stats_.passes < options_.max_passes) {
      for (Index i = static_cast<Index>(active_.size()) - 1; i > 0; --i)
        std::swap(active_[at(i)], active_[at(random_.below(i + 1))]);
      double largest = -kInfinity, smallest = kInfinity;
      Index kept = 0, seen = 0;
      for (const Index l : active_) {
        if (++seen % kPollEvery == 0 && poll_(stats_)) {
          stats_.stopped = true;
          return;
        }
        double pg = 0;
        if (!step(l, high, low, pg)) continue;
        active_[at(kept++)] = l;
        largest = std::max(largest, pg);
        smallest = std::min(smallest, pg);
      }
      stats_.steps += seen;
      ++stats_.passes;
      active_.resize(at(kept));
      if (kept == 0 || std::max(largest, -smallest) <= target) return;
      high = largest > 0 ? largest : kInfinity;
      low = smallest < 0 ? smallest : -kInfinity;
    }
  }

  /// One variable to its optimum; false: it is left aside.
  bool step(Index l, double high, double low, double& pg) {
    const int y = sign(l);
    const Index row = resident_.rows[at(l)];
    double& a = state_.alpha[at(row)];
    const double most = upper(row), g = margin(l, y) - 1.0 + diagonal(row) * a;
    if (a <= 0 && g > high) return false;
    if (a >= most && g < low) return false;
    pg = projected(g, a, most);
    if (std::abs(pg) < 1e-12) return true;
    const double q = resident_.norm2[at(l)] + (options_.fit_intercept ? 1.0 : 0.0) + diagonal(row);
    const double before = a;
    a = q > 0 ? std::clamp(a - g / q, 0.0, most) : most;  // a row of zeros without bias: linear in a
    if (!std::isfinite(a)) a = before;
    const double delta = (a - before) * y;
    const float* x = resident_.row(l);
    simd::ops<float>().accumulate(&delta, &x, 1, 0, resident_.cols, state_.w.data());
    if (options_.fit_intercept) state_.w[at(resident_.cols)] += delta;
    return true;
  }

  const Resident& resident_;
  const Labelled& data_;
  const LinearOptions& options_;
  base::ThreadPool& pool_;
  const LinearPoll& poll_;
  BinaryState& state_;
  std::vector<Index> active_;
  base::Random random_;
  LinearStats stats_;
};

}  // namespace

double linear_decision(const Resident& resident, Index l, const BinaryState& state) {
  return simd::ops<float>().dot(resident.row(l), state.w.data(), resident.cols) + state.w[at(resident.cols)];
}

void measure(Resident& resident, Index first, base::ThreadPool& pool) {
  resident.norm2.resize(at(resident.size()));
  pool.for_range(resident.size() - first, kGrain, [&](Index begin, Index end, int) {
    for (Index l = first + begin; l < first + end; ++l) {
      double sum = 0;
      for (Index j = 0; j < resident.cols; ++j)
        sum += static_cast<double>(resident.row(l)[j]) * static_cast<double>(resident.row(l)[j]);
      resident.norm2[at(l)] = sum;
    }
  });
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
    if (a > 0 && options.loss == LowRankLoss::squared_hinge) sum += 0.25 * a * a / data.C[i];
    sum -= a;
  }
  return sum;
}

}  // namespace dcsvm::approx
