#include "clustering/kernel_lloyd.hpp"

#include <algorithm>
#include <limits>

#include "clustering/centres.hpp"

namespace dcsvm::clustering {

namespace {

constexpr int kSeedCandidates = 3;
constexpr Index kRowGrain = 64;

/// Squared distances in feature space between points of one kernel block; rounding noise counts as 0.
template <class T>
class Distances {
 public:
  Distances(const T* kernel, Index m) : kernel_(kernel), m_(m) {}

  double operator()(Index i, Index j) const {
    const double self = diagonal(i) + diagonal(j);
    const double d = self - 2.0 * static_cast<double>(kernel_[i * m_ + j]);
    return d > kNoise * std::abs(self) ? d : 0.0;
  }
  double diagonal(Index i) const { return static_cast<double>(kernel_[i * m_ + i]); }

 private:
  static constexpr double kNoise = 8.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const T* kernel_;
  Index m_;
};

/// Greedy k-means++ (Arthur and Vassilvitskii 2007). Returns the seeds, fewer when there are fewer distinct points.
template <class T>
std::vector<Index> choose_seeds(const Distances<T>& distance, Index m, Index clusters, base::Random& random) {
  std::vector<Index> seeds{random.below(m)};
  std::vector<double> nearest(m), trial(static_cast<std::size_t>(m)), best(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) nearest[i] = distance(i, seeds[0]);
  while (static_cast<Index>(seeds.size()) < clusters) {
    double total = 0.0;
    for (const double d : nearest) total += d;
    if (!(total > 0.0)) break;
    double best_total = std::numeric_limits<double>::infinity();
    Index chosen = -1;
    for (int c = 0; c < kSeedCandidates; ++c) {
      const Index candidate = draw_by_weight(nearest, total, random);
      double sum = 0.0;
      for (Index i = 0; i < m; ++i) {
        trial[i] = std::min(nearest[i], distance(i, candidate));
        sum += trial[i];
      }
      if (sum < best_total) {
        best_total = sum;
        chosen = candidate;
        best.swap(trial);
      }
    }
    if (chosen < 0) break;  // infinite kernel values
    seeds.push_back(chosen);
    nearest.swap(best);
  }
  return seeds;
}

/// The iteration's state: sums_[i][c] = sum of K(i, j) over the points j of cluster c.
template <class T>
class Lloyd {
 public:
  Lloyd(const T* kernel, Index m, const std::vector<Index>& seeds, base::ThreadPool& pool)
      : kernel_(kernel),
        m_(m),
        k_(static_cast<Index>(seeds.size())),
        pool_(pool),
        sums_(static_cast<std::size_t>(m * k_)),
        distance_(static_cast<std::size_t>(m)),
        weight_(static_cast<std::size_t>(k_)),
        constant_(static_cast<std::size_t>(k_)) {
    const Distances<T> distance(kernel, m);
    assignment_.resize(m);
    for (Index i = 0; i < m; ++i) {
      Index nearest = 0;
      for (Index c = 1; c < k_; ++c) {
        if (distance(i, seeds[c]) < distance(i, seeds[nearest])) nearest = c;
      }
      assignment_[i] = static_cast<std::int32_t>(nearest);
    }
    // A seed stays in its own cluster, whatever rounding does, so no cluster starts empty.
    for (Index c = 0; c < k_; ++c) assignment_[seeds[c]] = static_cast<std::int32_t>(c);
    sum_all();
  }

  /// One step; false when nothing moved.
  bool step() {
    update_constants();
    std::vector<std::int32_t> next(assignment_.size());
    pool_.for_range(m_, kRowGrain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) next[i] = nearest(i);
    });
    refill_empty(next);
    std::vector<Index> moved;
    for (Index i = 0; i < m_; ++i) {
      if (next[i] != assignment_[i]) moved.push_back(i);
    }
    if (moved.empty()) return false;
    pool_.for_range(m_, kRowGrain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        for (const Index j : moved) {
          const double value = static_cast<double>(kernel_[i * m_ + j]);
          sums_[i * k_ + assignment_[j]] -= value;
          sums_[i * k_ + next[j]] += value;
        }
      }
    });
    assignment_ = std::move(next);
    return true;
  }

  std::vector<std::int32_t> take() { return std::move(assignment_); }

 private:
  void sum_all() {
    pool_.for_range(m_, kRowGrain, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        for (Index j = 0; j < m_; ++j) {
          sums_[i * k_ + assignment_[j]] += static_cast<double>(kernel_[i * m_ + j]);
        }
      }
    });
  }

  void update_constants() {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(constant_.begin(), constant_.end(), 0.0);
    for (Index i = 0; i < m_; ++i) {
      const std::int32_t c = assignment_[i];
      weight_[c] += 1.0;
      constant_[c] += sums_[i * k_ + c];
    }
    for (Index c = 0; c < k_; ++c) {
      if (weight_[c] > 0.0) constant_[c] /= weight_[c] * weight_[c];
    }
  }

  std::int32_t nearest(Index i) {
    double best = std::numeric_limits<double>::infinity();
    Index chosen = 0;
    for (Index c = 0; c < k_; ++c) {
      if (weight_[c] == 0.0) continue;
      const double d = constant_[c] - 2.0 * sums_[i * k_ + c] / weight_[c];
      if (d < best) {
        best = d;
        chosen = c;
      }
    }
    distance_[i] = best + static_cast<double>(kernel_[i * m_ + i]);
    return static_cast<std::int32_t>(chosen);
  }

  void refill_empty(std::vector<std::int32_t>& next) {
    std::vector<Index> count(k_, 0);
    for (const std::int32_t c : next) ++count[c];
    const double noise = 1e3 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (Index c = 0; c < k_; ++c) {
      if (count[c] > 0) continue;
      Index farthest = -1;
      for (Index i = 0; i < m_; ++i) {
        if (count[next[i]] < 2) continue;
        if (distance_[i] <= noise * std::abs(static_cast<double>(kernel_[i * m_ + i]))) continue;
        if (farthest < 0 || distance_[i] > distance_[farthest]) farthest = i;
      }
      if (farthest < 0) return;  // every point equals its centre: the cluster stays empty
      --count[next[farthest]];
      next[farthest] = static_cast<std::int32_t>(c);
      count[c] = 1;
      distance_[farthest] = 0.0;
    }
  }

  const T* kernel_;
  Index m_, k_;
  base::ThreadPool& pool_;
  std::vector<double> sums_, distance_, weight_, constant_;
  std::vector<std::int32_t> assignment_;
};

void remove_gaps(std::vector<std::int32_t>& assignment, Index clusters) {
  std::vector<std::int32_t> number(clusters, -1);
  for (const std::int32_t c : assignment) number[c] = 0;
  std::int32_t used = 0;
  for (std::int32_t& c : number) {
    if (c == 0) c = used++;
  }
  for (std::int32_t& c : assignment) c = number[c];
}

}  // namespace

template <class T>
std::vector<std::int32_t> kernel_lloyd(const T* kernel, Index m, Index clusters, int max_iterations, base::Random& random,
                                       base::ThreadPool& pool) {
  if (m <= 0) return {};
  const std::vector<Index> seeds = choose_seeds(Distances<T>(kernel, m), m, std::min(clusters, m), random);
  Lloyd<T> lloyd(kernel, m, seeds, pool);
  for (int i = 0; i < max_iterations && lloyd.step(); ++i) {
  }
  std::vector<std::int32_t> assignment = lloyd.take();
  remove_gaps(assignment, static_cast<Index>(seeds.size()));
  return assignment;
}

template std::vector<std::int32_t> kernel_lloyd<float>(const float*, Index, Index, int, base::Random&, base::ThreadPool&);
template std::vector<std::int32_t> kernel_lloyd<double>(const double*, Index, Index, int, base::Random&, base::ThreadPool&);

}  // namespace dcsvm::clustering
