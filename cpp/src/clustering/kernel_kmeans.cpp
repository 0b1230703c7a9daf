#include "clustering/kernel_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "clustering/balance.hpp"
#include "clustering/cluster_sizes.hpp"
#include "clustering/kernel_centres.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kPerCluster = 4;  ///< sampled points per centre, at least

/// A sample size that is enough for k centres and whose m x m kernel values fit a quarter of the cap.
Index sample_size_for(const KernelKMeansOptions& options, std::size_t cap_bytes, std::size_t value_bytes) {
  const Index wanted = std::max(options.sample_size, kPerCluster * options.clusters);
  const double fits = std::sqrt(static_cast<double>(cap_bytes) / 4.0 / static_cast<double>(value_bytes));
  return std::max<Index>(1, std::min(wanted, std::max<Index>(static_cast<Index>(fits), 64)));
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
  std::vector<Index> everyone;
  if (population.empty()) {
    everyone.resize(n);
    std::iota(everyone.begin(), everyone.end(), Index{0});
  }
  const std::vector<Index>& from = population.empty() ? everyone : population;

  base::Random random(context.seed);
  const Index m = sample_size_for(options, context.cap_bytes, sizeof(T));
  KernelCentres centres =
      fit_centres(rows, base::sample(from, m, random), options.clusters, options.max_iterations, random, context);
  part.assignment = assign(rows, centres, context);
  if (options.balance && options.clusters > 1) {
    BalanceTask task;
    task.population = &from;
    task.clusters = options.clusters;
    task.sample_size = m;
    task.max_iterations = options.max_iterations;
    balance(rows, task, random, context, centres, part.assignment);
    if (options.strict_bound && centres.size() > 1) {
      enforce_bound(rows, centres, balance_bound(n, centres.size()), context, part.assignment);
    }
  }
  drop_empty(part, centres);
  return part;
}

template KernelPartition kernel_kmeans<float>(const kernel_matrix::RowSource<float>&, const std::vector<Index>&,
                                              const KernelKMeansOptions&, base::Context&);
template KernelPartition kernel_kmeans<double>(const kernel_matrix::RowSource<double>&, const std::vector<Index>&,
                                               const KernelKMeansOptions&, base::Context&);

}  // namespace dcsvm::clustering
