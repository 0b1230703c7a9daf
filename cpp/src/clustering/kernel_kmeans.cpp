#include "clustering/kernel_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/vectors.hpp"
#include "clustering/balance.hpp"
#include "clustering/centre_search.hpp"
#include "clustering/cluster_sizes.hpp"
#include "clustering/kernel_centres.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kSampledPerCluster = 4;     ///< sampled points per centre, at least
constexpr Index kFirstCentres = 64;  ///< found at once where there are too many centres for one kernel block
constexpr Index kCutSample = 2048;   ///< points that estimate the cut (the share of |K| between clusters)
constexpr int kTries = 8, kTriesWithoutHope = 3;
constexpr double kSmallCut = 1e-3, kLargeCut = 0.05;  ///< cuts at which no better one is needed, or likely

/// The most points whose kernel block fits a quarter of the cap.
Index most_points(std::size_t cap_bytes, std::size_t value_bytes) {
  const double fits = std::sqrt(static_cast<double>(cap_bytes) / 4.0 / static_cast<double>(value_bytes));
  return std::max<Index>(static_cast<Index>(fits), 64);
}

/// Drops centres without points; no point changes its cluster.
void drop_empty(KernelPartition& part, const KernelCentres& centres) {
  const std::vector<Index> sizes = count_members(part.assignment, centres.size());
  KernelCentres kept;
  std::vector<std::int32_t> number(sizes.size(), 0);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] == 0) continue;
    number[c] = static_cast<std::int32_t>(kept.size());
    kept.append(centres, static_cast<Index>(c));
    part.sizes.push_back(sizes[c]);
  }
  for (std::int32_t& c : part.assignment) c = number[c];
  part.clusters = kept.size();
  part.sample = std::move(kept.sample);
  part.first = std::move(kept.first);
  part.constant = std::move(kept.constant);
}

/// How much of |K| between points of a sample lies between clusters.
template <class T>
class Cut {
 public:
  Cut(const kernel_matrix::RowSource<T>& rows, std::vector<Index> points, base::Context& context) : points_(std::move(points)) {
    const auto m = static_cast<Index>(points_.size());
    kernel_.resize(points_.size() * points_.size());
    const auto columns = rows.columns(points_.data(), m, context.cap_bytes / 4, *context.pool);
    columns->block(points_.data(), m, kernel_.data(), m, *context.pool);
  }
  const std::vector<Index>& points() const { return points_; }
  /// The share of the sum of |K| over pairs of different points that lies between clusters.
  double share(const std::vector<std::int32_t>& member) const {
    double cut = 0.0, all = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double value = std::abs(static_cast<double>(kernel_[i * points_.size() + j]));
        all += value;
        if (member[i] != member[j]) cut += value;
      }
    }
    return all > 0.0 ? cut / all : 0.0;
  }

 private:
  std::vector<Index> points_;
  std::vector<T> kernel_;
};

}  // namespace

template <class T>
KernelPartition kernel_kmeans(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& population,
                              const KernelKMeansOptions& options, base::Context& context,
                              const kernel_matrix::RowSource<T>* cut_in) {
  if (options.clusters < 1) throw ParameterError("clusters must be >= 1, got " + std::to_string(options.clusters));
  const Index n = rows.size();
  KernelPartition part;
  if (n == 0) {
    part.first.assign(1, 0);
    return part;
  }
  const std::vector<Index> everyone = base::index_range(n);
  const std::vector<Index>& from = population.empty() ? everyone : population;

  base::Random random(context.seed);
  const Index at_once = options.clusters > kFlatSearch ? kFirstCentres : options.clusters;
  const Index most = most_points(context.cap_bytes, sizeof(T));
  const Index m = std::max<Index>(1, std::min(most, std::max(options.sample_size, kSampledPerCluster * at_once)));
  const auto first_centres = [&] {
    return fit_centres(rows, base::sample(from, m, random), at_once, options.max_iterations, random, context);
  };
  KernelCentres centres = first_centres();
  const Index probed = probe_size(options.clusters);
  const std::vector<Index> probe = base::sample(everyone, probed, random);
  const std::vector<Index> some = population.empty() ? std::vector<Index>() : base::sample(from, probed, random);
  BalanceTask task;
  task.probe = &probe;
  task.population = population.empty() ? &probe : &some;
  task.clusters = options.clusters;
  task.sample_size = m;
  task.most_points = most;
  task.max_iterations = options.max_iterations;
  const auto improve = [&](KernelCentres& found) {
    if (at_once < options.clusters) grow(rows, task, random, context, found);
    if (options.balance && options.clusters > 1) balance(rows, task, random, context, found);
  };
  improve(centres);
  if (cut_in != nullptr && options.clusters > 1) {
    const Cut<T> cut(*cut_in, base::sample(from, std::min(most, kCutSample), random), context);
    const auto share_of = [&](const KernelCentres& c) {
      return cut.share(CentreSearch<T>(rows, c, random, context).nearest(cut.points()));
    };
    double least = share_of(centres);
    for (int tries = 1; tries < kTries && least > kSmallCut && !(tries >= kTriesWithoutHope && least > kLargeCut); ++tries) {
      KernelCentres other = first_centres();
      improve(other);
      const double share = share_of(other);
      if (share >= least) continue;
      least = share;
      centres = std::move(other);
    }
  }
  const Index compare_all = options.strict_bound ? kFlatSearch : n;  // a router compares with all
  part.assignment = CentreSearch<T>(rows, centres, random, context, compare_all).nearest(nullptr, n);
  if (options.strict_bound && options.balance && centres.size() > 1) {
    enforce_bound(rows, centres, balance_bound(n, centres.size()), context, part.assignment);
  }
  drop_empty(part, centres);
  return part;
}

template KernelPartition kernel_kmeans<float>(const kernel_matrix::RowSource<float>&, const std::vector<Index>&,
                                              const KernelKMeansOptions&, base::Context&, const kernel_matrix::RowSource<float>*);
template KernelPartition kernel_kmeans<double>(const kernel_matrix::RowSource<double>&, const std::vector<Index>&,
                                               const KernelKMeansOptions&, base::Context&,
                                               const kernel_matrix::RowSource<double>*);

}  // namespace dcsvm::clustering
