#include "low_rank/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "data/point_store.hpp"
#include "data/row_blocks.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "low_rank/make_map.hpp"
#include "low_rank/solver.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr double kGrowth = 1.2;              // of the number of landmarks, before all coefficients are optimised again
constexpr double kRefitTol = 0.05;           // of the margins, when all coefficients are optimised
constexpr std::int64_t kRefitPasses = 50;    // likewise
constexpr int kNewtonSteps = 20;
constexpr double kSlopeShare = 1e-3;         // of the slope at 0, at which a coefficient is good enough
constexpr Index kPointsAtOnce = 2048;

/// Value, slope and curvature of the function of one coefficient.
struct Parabola {
  double value, slope, curvature;
};

Parabola parabola_at(const GreedyRows& p, const float* kernel, double cross, double diagonal, double v) {
  double loss = 0, slope = cross + diagonal * v, curvature = diagonal;
  for (std::size_t t = 0; t < p.rows.size(); ++t) {
    const double signed_k = p.sign[t] * static_cast<double>(kernel[p.rows[t]]);
    const double lost = std::max(0.0, p.slack[t] - v * signed_k);
    const double weight = lost > 0 ? 2 * p.C[t] : 0.0;
    loss += 0.5 * weight * lost * lost;
    slope -= weight * lost * signed_k;
    curvature += weight * signed_k * signed_k;
  }
  return {cross * v + 0.5 * diagonal * v * v + loss, slope, curvature};
}

class GreedyChoice {
 public:
  GreedyChoice(const DataView& x, const LowRankLabels& labels, const KernelParams& kernel, Index k, const LowRankParams& params,
               base::Context& context)
      : x_(x),
        source_(x),
        labels_(labels),
        bounds_(labels.bounds(params.C)),
        kernel_(kernel),
        k_(std::min(k, labels.rows())),
        context_(context),
        options_(linear_options(params)),
        columns_(kernel_matrix::points_kernel<float>(x, kernel)),
        random_(context.seed + 2),
        rest_(base::index_range(labels.rows())),
        values_(kCandidates * labels.rows()) {
    options_.loss = LowRankLoss::squared_hinge;
    options_.tol = kRefitTol;
    options_.max_passes = kRefitPasses;
    for (const auto& problem : labels.problems(params.multi_class)) {
      state_.problems.push_back({problem, {0.0}, std::vector<double>(labels.class_of.size(), 0.0)});
      decisions_.emplace_back(labels.class_of.size(), 0.0);
      GreedyRows rows;
      for (Index i = 0; i < labels.rows(); ++i) {
        const int sign = problem.sign(labels.class_of[i]);
        if (sign == 0) continue;
        rows.rows.push_back(i);
        rows.C.push_back(bounds_[i]);
        rows.sign.push_back(sign);
      }
      rows.slack.assign(rows.rows.size(), 1.0);
      problems_.push_back(std::move(rows));
    }
  }

  std::vector<Index> run() {
    Index next = 1;     // the number of landmarks at which all coefficients are optimised
    bool fresh = true;  // they have been since the last landmark
    while (true) {
      context_.pool->poll();
      const bool added = add_best();
      if (!added && fresh) break;
      fresh = false;
      const auto size = static_cast<Index>(chosen_.size());
      if (size == k_ || cancelled(size)) break;
      if (added && size < next) continue;
      optimise_all();
      fresh = true;
      next = std::max(size + 1, static_cast<Index>(std::ceil(kGrowth * static_cast<double>(size))));
    }
    if (chosen_.empty()) {
      throw DataError("landmarks: no row of X lowers the training loss; the kernel values are all 0, or C is too small");
    }
    return chosen_;
  }

 private:
  bool cancelled(Index done) const {
    if (context_.monitor == nullptr) return false;
    Progress p;
    p.phase = "landmarks";
    p.done = done;
    p.total = k_;
    return context_.monitor->progress(p);
  }

  /// Adds the best of some random rows with its coefficient; false: none of them lowers the loss.
  bool add_best() {
    const std::vector<Index> candidates = base::sample(rest_, kCandidates, random_);
    const auto m = static_cast<Index>(candidates.size()), n = labels_.rows(), parts = static_cast<Index>(problems_.size());
    const data::PointStore points = data::copy_points(x_, candidates);
    const DataView view = points.view();
    context_.pool->for_range(n, kPointsAtOnce, [&](Index begin, Index end, int) {
      columns_->block(view, 0, m, begin, end, values_.data() + begin, n);
    });
    std::vector<double> diagonal(candidates.size());
    kernel_matrix::self_kernel(view, 0, m, kernel_, diagonal.data());
    std::vector<GreedyStep> steps(static_cast<std::size_t>(m * parts));
    context_.pool->for_each(m * parts, [&](Index t, int) {
      const Index c = t / parts, p = t % parts;
      const double cross = decisions_[p][candidates[c]] - state_.problems[p].w.back();
      steps[t] = greedy_step(problems_[p], values_.data() + c * n, cross, diagonal[c]);
    });
    Index best = -1;
    double most = 0;
    for (Index c = 0; c < m; ++c) {
      double gain = 0;
      for (Index p = 0; p < parts; ++p) gain += steps[c * parts + p].gain;
      if (!std::isfinite(gain)) {
        throw DataError("kernel values overflow (infinity or NaN); scale the features or choose another kernel");
      }
      if (gain <= most) continue;
      most = gain;
      best = c;
    }
    if (best < 0) return false;
    for (Index p = 0; p < parts; ++p) move(p, values_.data() + best * n, steps[best * parts + p].length);
    chosen_.push_back(candidates[best]);
    rest_.erase(std::lower_bound(rest_.begin(), rest_.end(), candidates[best]));
    return true;
  }

  /// The decisions after a step along one landmark's kernel row.
  void move(Index p, const float* kernel, double length) {
    std::vector<double>& decisions = decisions_[p];
    for (std::size_t i = 0; i < decisions.size(); ++i) decisions[i] += length * static_cast<double>(kernel[i]);
    measure_slack(p);
  }

  void measure_slack(Index p) {
    GreedyRows& rows = problems_[p];
    for (std::size_t t = 0; t < rows.rows.size(); ++t) rows.slack[t] = 1.0 - rows.sign[t] * decisions_[p][rows.rows[t]];
  }

  /// All coefficients and the bias, by this family's own solver from the last dual solution.
  void optimise_all() {
    const data::PointStore points = data::copy_points(x_, chosen_);
    const DataView view = points.view();
    const auto map = make_nystrom_features(
        view, kernel_, kernel_map(landmark_kernel(view, kernel_, nullptr, *context_.pool), points.rows, kernel_, *context_.pool),
        *context_.pool);
    LowRankSolver solver(source_, *map, context_.cap_bytes, *context_.pool, nullptr);
    if (!solver.resident()) {
      throw CapError(
          "landmarks: greedy needs the features of the sample in memory; raise cache_size (memory_mb), or lower "
          "landmark_sample or n_landmarks");
    }
    const Labelled data{labels_.class_of.data(), bounds_.data()};
    for (BinaryState& s : state_.problems) {
      solver.weigh(data, s);
      if (!options_.fit_intercept) s.w.back() = 0.0;
    }
    solver.solve(data, options_, 1, state_);
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      context_.pool->for_range(labels_.rows(), kPointsAtOnce, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) decisions_[p][i] = solver.decision(state_.problems[p], i);
      });
      measure_slack(static_cast<Index>(p));
    }
  }

  const DataView& x_;
  data::RowsInMemory source_;
  const LowRankLabels& labels_;
  std::vector<double> bounds_;
  const KernelParams& kernel_;
  Index k_;
  base::Context& context_;
  LinearOptions options_;
  std::unique_ptr<kernel_matrix::KernelValues<float>> columns_;
  base::Random random_;
  std::vector<Index> rest_, chosen_;  // rows that are no landmarks, ascending; landmarks
  base::Buffer<float> values_;        // kCandidates x n
  BlockState state_;
  std::vector<std::vector<double>> decisions_;  // of each problem, for all rows
  std::vector<GreedyRows> problems_;
};

}  // namespace

std::size_t greedy_bytes_per_row(Index k, Index problems) {
  const auto features = static_cast<std::size_t>(k + 16) * sizeof(float) + 96;  // LowRankSolver's
  return features + static_cast<std::size_t>(kCandidates) * sizeof(float) +
         static_cast<std::size_t>(problems) * 6 * sizeof(double);
}

GreedyStep greedy_step(const GreedyRows& problem, const float* kernel, double cross, double diagonal) {
  const Parabola start = parabola_at(problem, kernel, cross, diagonal, 0.0);
  if (!(start.curvature > 0)) return {0, std::isnan(start.curvature) ? start.curvature : 0.0};
  double low = -std::numeric_limits<double>::infinity(), high = -low, v = 0;
  Parabola now = start;
  for (int i = 0; i < kNewtonSteps && std::abs(now.slope) > kSlopeShare * std::abs(start.slope); ++i) {
    (now.slope > 0 ? high : low) = v;
    const double newton = v - now.slope / now.curvature;
    v = newton > low && newton < high ? newton : 0.5 * (low + high);
    now = parabola_at(problem, kernel, cross, diagonal, v);
  }
  return {v, start.value - now.value};
}

std::vector<Index> greedy_rows(const DataView& x, const LowRankLabels& labels, const KernelParams& kernel, Index k,
                               const LowRankParams& params, base::Context& context) {
  return GreedyChoice(x, labels, kernel, k, params, context).run();
}

}  // namespace dcsvm::low_rank
