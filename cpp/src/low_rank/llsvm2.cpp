#include "low_rank/llsvm2.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "low_rank/feature_map.hpp"
#include "low_rank/landmarks.hpp"
#include "low_rank/predict.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kMostFit = 20000, kMostHeld = 5000;  // rows that a lambda is tried on, and judged by
constexpr std::int64_t kPasses = 100;                // of each trial
constexpr Index kRowsJudged = 64;                    // between two polls

std::vector<int> classes_of(const LowRankLabels& labels, const std::vector<Index>& rows) {
  std::vector<int> found;
  found.reserve(rows.size());
  for (const Index i : rows) found.push_back(labels.class_of[i]);
  return found;
}

/// K(rows, landmarks) U for the columns of a spectrum.
class Projected {
 public:
  Projected(const SpectrumTask& task, const std::vector<Index>& rows, base::Context& context)
      : cols_(static_cast<Index>(task.spectrum.values.size())) {
    const auto points = gather_rows(task.source, rows);
    const auto map = make_nystrom_features(task.landmarks, task.kernel,
                                           spectral_map(task.spectrum, std::vector<double>(cols_, 1.0)), *context.pool);
    values_.resize(points.rows * cols_);
    const DataView x = points.view();
    context.pool->for_range(points.rows, kFeatureRows, [&](Index begin, Index end, int) {
      map->block(x, begin, end - begin, values_.data() + begin * cols_, cols_);
    });
  }
  const std::vector<float>& values() const { return values_; }
  /// F' = K_rz U mu^(1/2).
  std::vector<float> scaled(const std::vector<double>& mu, base::ThreadPool& pool) const {
    std::vector<float> root, out(values_.size());
    for (const double v : mu) root.push_back(static_cast<float>(std::sqrt(v)));
    pool.for_range(static_cast<Index>(out.size()) / cols_, kFeatureRows, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        for (Index j = 0; j < cols_; ++j) out[i * cols_ + j] = values_[i * cols_ + j] * root[j];
      }
    });
    return out;
  }

 private:
  Index cols_;
  std::vector<float> values_;
};

/// Rows of one matrix of features; the numbers of its rows are 0, 1, ...
Resident resident_of(const std::vector<float>& features, Index cols, base::ThreadPool& pool) {
  Resident r;
  r.features = features.data();
  r.ld = r.cols = cols;
  r.rows = base::index_range(static_cast<Index>(features.size()) / cols);
  measure(r, 0, pool);
  return r;
}

/// Trains on the rows `fit` with features scaled by mu; the share of `held` that is right.
class Trial {
 public:
  Trial(const SpectrumTask& task, const std::vector<Index>& fit, const std::vector<Index>& held, base::Context& context)
      : task_(task),
        context_(context),
        fit_(task, fit, context),
        held_(task, held, context),
        fit_class_(classes_of(task.labels, fit)),
        held_class_(classes_of(task.labels, held)) {
    for (const Index i : fit) bound_.push_back(task.params.C * task.labels.weight[i]);
  }
  double accuracy(const std::vector<double>& mu) {
    const auto cols = static_cast<Index>(mu.size());
    const auto features = fit_.scaled(mu, *context_.pool), held_features = held_.scaled(mu, *context_.pool);
    const Resident resident = resident_of(features, cols, *context_.pool);
    const Resident held = resident_of(held_features, cols, *context_.pool);
    const std::vector<BinaryState> states = train(resident);
    const auto k = static_cast<Index>(task_.labels.classes.size());
    std::vector<char> right(held.size(), 0);
    context_.pool->for_range(held.size(), kRowsJudged, [&](Index begin, Index end, int) {
      std::vector<double> dec(states.size());
      std::vector<int> votes;
      for (Index i = begin; i < end; ++i) {
        for (std::size_t p = 0; p < dec.size(); ++p) dec[p] = linear_decision(held, i, states[p]);
        right[i] = winner(dec.data(), k, task_.params.multi_class, votes) == held_class_[i] ? 1 : 0;
      }
    });
    return static_cast<double>(std::count(right.begin(), right.end(), 1)) / static_cast<double>(held.size());
  }

 private:
  std::vector<BinaryState> train(const Resident& resident) const {
    LinearOptions options = linear_options(task_.params);
    options.max_passes = std::min(options.max_passes, kPasses);
    const auto poll = [this](const LinearStats&) {
      context_.pool->poll();
      return false;
    };
    std::vector<BinaryState> states;
    for (const auto& problem : task_.labels.problems(task_.params.multi_class)) {
      states.push_back({problem, std::vector<double>(resident.cols + 1, 0.0), std::vector<double>(bound_.size(), 0.0)});
      solve_linear(resident, {fit_class_.data(), bound_.data()}, options, *context_.pool, poll, states.back());
    }
    return states;
  }

  const SpectrumTask& task_;
  base::Context& context_;
  Projected fit_, held_;
  std::vector<int> fit_class_, held_class_;
  std::vector<double> bound_;
};

bool any_positive(const std::vector<double>& mu) {
  return std::any_of(mu.begin(), mu.end(), [](double v) { return v > 0; });
}

std::vector<Index> without(const std::vector<Index>& from, const std::vector<Index>& what) {
  std::vector<Index> rest;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

std::vector<double> laplacian_diagonal(const std::vector<double>& projected, Index cols, const std::vector<int>& class_of,
                                       int n_classes, double a) {
  // D_p = n_c - a (n - n_c) for p of class c;  sum_pq A_pq f_p f_q = (1 + a) sum_c S_c^2 - a (sum_c S_c)^2, S_c = sum_{p in c}
  // f_p.
  const auto n = static_cast<Index>(class_of.size());
  std::vector<double> count(n_classes, 0.0);
  for (const int c : class_of) count[c] += 1.0;
  std::vector<double> diagonal(cols, 0.0), sum(static_cast<std::size_t>(n_classes * cols), 0.0);
  for (Index p = 0; p < n; ++p) {
    const int own = class_of[p];
    const double degree = count[own] - a * (static_cast<double>(n) - count[own]);
    for (Index i = 0; i < cols; ++i) {
      const double f = projected[p * cols + i];
      diagonal[i] += degree * f * f;
      sum[own * cols + i] += f;
    }
  }
  for (Index i = 0; i < cols; ++i) {
    double squares = 0, total = 0;
    for (int c = 0; c < n_classes; ++c) {
      const double s = sum[c * cols + i];
      squares += s * s;
      total += s;
    }
    diagonal[i] -= (1.0 + a) * squares - a * total * total;
  }
  return diagonal;
}

std::vector<double> supervised_spectrum(const std::vector<double>& eigenvalues, const std::vector<double>& c, double lambda) {
  std::vector<double> mu;
  mu.reserve(eigenvalues.size());
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) mu.push_back(std::max(0.0, 1.0 / eigenvalues[i] - c[i] / (2.0 * lambda)));
  return mu;
}

std::vector<double> choose_spectrum(const SpectrumTask& task, base::Context& context, double& lambda) {
  const std::vector<Index> labelled = task.labels.labelled();
  base::Random random(context.seed + 1);
  const std::vector<Index> chosen = base::sample(labelled, task.params.n_labelled, random);
  const Projected rows(task, chosen, context);
  const auto c =
      laplacian_diagonal({rows.values().begin(), rows.values().end()}, static_cast<Index>(task.spectrum.values.size()),
                         classes_of(task.labels, chosen), static_cast<int>(task.labels.classes.size()), task.params.balance);
  if (task.params.lambda) {
    lambda = *task.params.lambda;
    auto mu = supervised_spectrum(task.spectrum.values, c, lambda);
    if (!any_positive(mu))
      throw DataError("lambda = " + std::to_string(lambda) + " leaves no feature; larger ones stay nearer to the kernel");
    return mu;
  }
  const std::vector<Index> others = without(labelled, chosen);
  const auto n = static_cast<Index>(others.size());
  if (n < 10)
    throw DataError("lambda \"auto\" needs at least 10 labelled rows beside the n_labelled that the spectrum is learned from");
  const std::vector<Index> held = base::sample(others, std::min(kMostHeld, n / 5), random);
  const std::vector<Index> fit = base::sample(without(labelled, held), kMostFit, random);
  Trial trial(task, fit, held, context);
  double best = -1;
  std::vector<double> best_mu;
  for (int power = 5; power >= -5; --power) {
    context.pool->poll();
    auto mu = supervised_spectrum(task.spectrum.values, c, std::pow(10.0, power));
    if (!any_positive(mu)) continue;
    const double right = trial.accuracy(mu);
    if (right <= best) continue;
    best = right;
    best_mu = std::move(mu);
    lambda = std::pow(10.0, power);
  }
  if (best < 0) throw DataError("supervised: no lambda from 1e-5 to 1e5 leaves a feature");
  return best_mu;
}

}  // namespace dcsvm::low_rank
