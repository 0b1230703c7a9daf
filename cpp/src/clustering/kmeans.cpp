#include "clustering/kmeans.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "clustering/centres.hpp"
#include "clustering/cluster_sizes.hpp"
#include "clustering/many_centres.hpp"
#include "clustering/used_columns.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kRowsPerCluster = 32;
constexpr int kCandidates = 3;
constexpr Index kSeedsOneByOne = 512;  ///< more seeds are drawn in batches
constexpr Index kMeansGrain = 512;
constexpr int kBalanceRounds = 3;

std::vector<double> distances_to(const Points& points, Index i, base::Context& context) {
  Centres one;
  one.cols = points.cols();
  add_centre(points, i, one);
  return squared_distances(points, one, context);
}

/// Greedy k-means++ (Arthur and Vassilvitskii 2007): each seed is the best of a few candidates. Many seeds: batch_seeds.
Centres choose_seeds(const Points& points, Index clusters, base::Random& random, base::Context& context) {
  Centres centres;
  centres.cols = points.cols();
  if (clusters > kSeedsOneByOne) {
    for (const Index i : batch_seeds(points, clusters, context)) add_centre(points, i, centres);
    return centres;
  }
  const Index start = random.below(points.size());
  add_centre(points, start, centres);
  std::vector<double> nearest = distances_to(points, start, context);
  while (centres.size() < clusters) {
    const double total = std::accumulate(nearest.begin(), nearest.end(), 0.0);
    if (!(total > 0.0)) break;
    double best_total = std::numeric_limits<double>::infinity();
    Index chosen = -1;
    std::vector<double> best;
    for (int t = 0; t < kCandidates; ++t) {
      const Index candidate = draw_by_weight(nearest, total, random);
      std::vector<double> d = distances_to(points, candidate, context);
      for (std::size_t i = 0; i < d.size(); ++i) d[i] = std::min(d[i], nearest[i]);
      const double sum = std::accumulate(d.begin(), d.end(), 0.0);
      if (sum < best_total) {
        best_total = sum;
        chosen = candidate;
        best = std::move(d);
      }
    }
    if (chosen < 0) break;
    add_centre(points, chosen, centres);
    nearest = std::move(best);
  }
  return centres;
}

std::vector<std::int32_t> assign(const DataView& x, const std::vector<double>& shift, const Centres& centres,
                                 base::Context& context) {
  const bool sparse = std::holds_alternative<CsrView>(x);
  const Index n = rows_of(x), d = cols_of(x);
  const Nearest nearest(centres, sparse);
  std::vector<std::int32_t> assignment(n);
  context.pool->for_range(n, kMeansGrain, [&](Index begin, Index end, int) {
    if (sparse) {
      nearest.search(x, begin, end - begin, assignment.data() + begin, nullptr);
      return;
    }
    std::vector<float> moved((end - begin) * d);
    data::copy_rows(x, nullptr, begin, end - begin, moved.data(), d, shift.data());
    nearest.search(dense(moved.data(), end - begin, d), 0, end - begin, assignment.data() + begin, nullptr);
  });
  return assignment;
}

Centres fit(const Points& points, Index clusters, int max_iterations, base::Random& random, base::Context& context) {
  Centres centres = choose_seeds(points, clusters, random, context);
  lloyd(points, max_iterations, context, centres);
  return centres;
}

Centres keep_largest(const Centres& centres, const std::vector<Index>& sizes, Index keep) {
  Centres kept;
  kept.cols = centres.cols;
  for (const Index c : largest(sizes, keep)) {
    const auto row = centres.values.begin() + c * centres.cols;
    if (sizes[c] > 0) kept.values.insert(kept.values.end(), row, row + centres.cols);
  }
  return kept;
}

/// One clustering in progress.
struct Job {
  const DataView& x;
  const std::vector<Index>& probe;  ///< rows that tell the clusters' sizes and give the split ones new centres
  const KMeansOptions& options;
  const std::vector<double>& shift;
  base::Random& random;
  base::Context& context;
  Index sample_size;
};

std::vector<std::int32_t> nearest_of(const Points& points, const Centres& centres, base::Context& context) {
  const Nearest nearest(centres, points.sparse());
  std::vector<std::int32_t> member(static_cast<std::size_t>(points.size()));
  context.pool->for_range(points.size(), kMeansGrain, [&](Index begin, Index end, int) {
    nearest.search(points.view(), begin, end - begin, member.data() + begin, nullptr);
  });
  return member;
}

/// Oversize clusters are replaced by centres found among their own members.
Centres split_oversize(const Job& job, const Centres& centres, const std::vector<std::int32_t>& member,
                       const std::vector<Index>& sizes) {
  const auto n = static_cast<Index>(job.probe.size());
  const Index k = job.options.clusters, bound = balance_bound(n, k);
  std::vector<std::vector<Index>> members(sizes.size());
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (sizes[member[i]] > bound) members[member[i]].push_back(job.probe[i]);
  }
  Centres next;
  next.cols = centres.cols;
  for (Index c = 0; c < centres.size(); ++c) {
    Centres parts;
    if (sizes[c] > bound) {
      const Index count = std::min<Index>(k, (sizes[c] * k + n - 1) / n);
      const Index wanted = std::max(kRowsPerCluster * count, job.sample_size / 8);
      const Points points(job.x, base::sample(members[c], wanted, job.random), job.shift);
      if (points.size() > 1) parts = fit(points, count, job.options.max_iterations, job.random, job.context);
    }
    const auto row = centres.values.begin() + c * centres.cols;
    if (parts.size() > 1) {
      next.values.insert(next.values.end(), parts.values.begin(), parts.values.end());
    } else {
      next.values.insert(next.values.end(), row, row + centres.cols);
    }
  }
  return next;
}

void balance(const Job& job, Centres& centres) {
  const Points probe(job.x, job.probe, job.shift);
  const Index k = job.options.clusters, bound = balance_bound(probe.size(), k);
  Centres current = centres;
  std::vector<std::int32_t> member = nearest_of(probe, current, job.context);
  std::vector<Index> sizes = count_members(member, current.size());
  double best = sum_of_squares(sizes);
  for (int round = 0; round < kBalanceRounds && *std::max_element(sizes.begin(), sizes.end()) > bound; ++round) {
    current = split_oversize(job, current, member, sizes);
    member = nearest_of(probe, current, job.context);
    current = keep_largest(current, count_members(member, current.size()), k);
    member = nearest_of(probe, current, job.context);
    sizes = count_members(member, current.size());
    if (sum_of_squares(sizes) < best) {
      best = sum_of_squares(sizes);
      centres = current;
    }
  }
}

Partition cluster_all(const DataView& x, const std::vector<Index>& population, const KMeansOptions& options,
                      base::Context& context) {
  if (options.clusters < 1) throw ParameterError("clusters must be >= 1, got " + std::to_string(options.clusters));
  Partition part;
  part.cols = cols_of(x);
  const Index n = rows_of(x);
  if (n == 0) return part;
  std::vector<Index> from = population;
  if (from.empty()) {
    from.resize(n);
    std::iota(from.begin(), from.end(), Index{0});
  }
  base::Random random(context.seed);
  const Index m = std::max(options.sample_size, kRowsPerCluster * options.clusters);
  const std::vector<Index> chosen = base::sample(from, m, random);
  const std::vector<double> shift = mean_of(x, chosen);
  Centres centres = fit(Points(x, chosen, shift), options.clusters, options.max_iterations, random, context);
  if (options.balance && centres.size() > 1) {
    const std::vector<Index> probe = base::sample(base::index_range(n), probe_size(options.clusters), random);
    balance({x, probe, options, shift, random, context, m}, centres);
  }
  part.assignment = assign(x, shift, centres, context);
  const std::vector<Index> sizes = count_members(part.assignment, centres.size());
  std::vector<std::int32_t> number(sizes.size(), 0);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    number[c] = static_cast<std::int32_t>(part.clusters++);
    part.sizes.push_back(sizes[c]);
    for (Index j = 0; j < part.cols; ++j)
      part.centres.push_back(centres.values[c * static_cast<std::size_t>(part.cols) + static_cast<std::size_t>(j)] + shift[j]);
  }
  for (std::int32_t& c : part.assignment) c = number[c];
  return part;
}

}  // namespace

std::vector<double> Partition::dense_centres() const {
  constexpr Index most = Index{1} << 28;  // values: 2 GB
  if (columns.empty()) return centres;
  if (clusters * cols > most) {
    throw ParameterError("clustering: the centres of " + std::to_string(clusters) + " clusters in " + std::to_string(cols) +
                         " columns would be dense; choose kernel_kmeans, whose centres are rows of X");
  }
  std::vector<double> all(static_cast<std::size_t>(clusters * cols), 0.0);
  const auto width = static_cast<Index>(columns.size());
  for (Index c = 0; c < clusters; ++c) {
    for (Index j = 0; j < width; ++j) all[c * cols + columns[j]] = centres[c * width + j];
  }
  return all;
}

Partition kmeans(const DataView& x, const std::vector<Index>& population, const KMeansOptions& options, base::Context& context) {
  if (!is_wide(x)) return cluster_all(x, population, options, context);
  const UsedColumns used(x);
  Partition part = cluster_all(used.view(), population, options, context);
  part.cols = cols_of(x);
  part.columns = used.columns();
  return part;
}

}  // namespace dcsvm::clustering
