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

constexpr Index kPerCluster = 4;     ///< sampled points per centre, at least
constexpr Index kFirstCentres = 64;  ///< found at once where there are too many centres for one kernel block

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

}  // namespace

template <class T>
KernelPartition kernel_kmeans(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& population,
                              const KernelKMeansOptions& options, base::Context& context) {
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
  const Index m = std::max<Index>(1, std::min(most, std::max(options.sample_size, kPerCluster * at_once)));
  KernelCentres centres = fit_centres(rows, base::sample(from, m, random), at_once, options.max_iterations, random, context);
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
  if (at_once < options.clusters) grow(rows, task, random, context, centres);
  if (options.balance && options.clusters > 1) balance(rows, task, random, context, centres);
  const Index compare_all = options.strict_bound ? kFlatSearch : n;  // a router compares with all
  part.assignment = CentreSearch<T>(rows, centres, random, context, compare_all).nearest(nullptr, n);
  if (options.strict_bound && options.balance && centres.size() > 1) {
    enforce_bound(rows, centres, balance_bound(n, centres.size()), context, part.assignment);
  }
  drop_empty(part, centres);
  return part;
}

template KernelPartition kernel_kmeans<float>(const kernel_matrix::RowSource<float>&, const std::vector<Index>&,
                                              const KernelKMeansOptions&, base::Context&);
template KernelPartition kernel_kmeans<double>(const kernel_matrix::RowSource<double>&, const std::vector<Index>&,
                                               const KernelKMeansOptions&, base::Context&);

}  // namespace dcsvm::clustering
