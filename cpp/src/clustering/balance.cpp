#include "clustering/balance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "clustering/cluster_sizes.hpp"

namespace dcsvm::clustering {

namespace {

constexpr int kRounds = 3;
constexpr Index kMinPerPart = 8;  ///< sampled points behind each centre of a split

/// Centres found among the members of one cluster.
template <class T>
KernelCentres split(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& members, Index size,
                    const BalanceTask& task, base::Random& random, base::Context& context) {
  const Index n = rows.size();
  const Index parts = std::min<Index>(task.clusters, (size * task.clusters + n - 1) / n);
  const double share = static_cast<double>(size) / static_cast<double>(n);
  const Index wanted = std::max<Index>(kMinPerPart * parts, static_cast<Index>(share * static_cast<double>(task.sample_size)));
  const std::vector<Index> points = base::sample(members, std::min(wanted, task.sample_size), random);
  return fit_centres(rows, points, parts, task.max_iterations, random, context);
}

template <class T>
KernelCentres split_oversize(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, const KernelCentres& centres,
                             const std::vector<std::int32_t>& assignment, const std::vector<Index>& sizes, base::Random& random,
                             base::Context& context) {
  const Index bound = balance_bound(rows.size(), task.clusters);
  KernelCentres next;
  for (Index c = 0; c < centres.size(); ++c) {
    if (sizes[c] == 0) continue;
    KernelCentres parts;
    if (sizes[c] > bound) {
      std::vector<Index> members;
      for (const Index i : *task.population) {
        if (assignment[i] == c) members.push_back(i);
      }
      if (members.size() > 1) parts = split(rows, members, sizes[c], task, random, context);
    }
    if (parts.size() > 1) {
      for (Index p = 0; p < parts.size(); ++p) next.append(parts, p);
    } else {
      next.append(centres, c);
    }
  }
  return next;
}

KernelCentres keep_largest(const KernelCentres& centres, const std::vector<Index>& sizes, Index keep) {
  KernelCentres kept;
  for (const Index c : largest(sizes, keep)) kept.append(centres, c);
  return kept;
}

}  // namespace

template <class T>
void balance(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context,
             KernelCentres& centres, std::vector<std::int32_t>& assignment) {
  const Index bound = balance_bound(rows.size(), task.clusters);
  KernelCentres current = centres;
  std::vector<std::int32_t> member = assignment;
  std::vector<Index> sizes = count_members(member, current.size());
  double best = sum_of_squares(sizes);
  for (int round = 0; round < kRounds; ++round) {
    if (sizes.empty() || *std::max_element(sizes.begin(), sizes.end()) <= bound) return;
    current = split_oversize(rows, task, current, member, sizes, random, context);
    member = assign(rows, current, context);
    sizes = count_members(member, current.size());
    const Index used = static_cast<Index>(sizes.size() - static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), 0)));
    if (used < current.size() || current.size() > task.clusters) {
      current = keep_largest(current, sizes, std::min(used, task.clusters));
      member = assign(rows, current, context);
      sizes = count_members(member, current.size());
    }
    if (sum_of_squares(sizes) < best) {
      best = sum_of_squares(sizes);
      centres = current;
      assignment = member;
    }
  }
}

template <class T>
void enforce_bound(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, Index bound, base::Context& context,
                   std::vector<std::int32_t>& assignment) {
  std::vector<Index> sizes = count_members(assignment, centres.size());
  std::vector<Index> crowded;
  for (Index i = 0; i < rows.size(); ++i) {
    if (sizes[assignment[i]] > bound) crowded.push_back(i);
  }
  if (crowded.empty()) return;
  std::vector<double> margin(crowded.size());
  for_each_score<T>(rows, centres, crowded.data(), static_cast<Index>(crowded.size()), context,
                    [&](Index i, const double* score) {
                      const std::int32_t own = assignment[crowded[i]];
                      double other = std::numeric_limits<double>::infinity();
                      for (Index c = 0; c < centres.size(); ++c) {
                        if (c != own) other = std::min(other, score[c]);
                      }
                      margin[i] = other - score[own];
                    });
  std::vector<Index> order(crowded.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return margin[a] < margin[b]; });
  std::vector<Index> leaving;
  for (const Index i : order) {
    const Index point = crowded[i];
    if (sizes[assignment[point]] <= bound) continue;
    --sizes[assignment[point]];
    leaving.push_back(point);
  }
  // Points are placed in pieces: the scores of a piece are computed together, its points choose in order.
  constexpr Index kPiece = 2048;
  const Index k = centres.size();
  std::vector<double> scores;
  for (std::size_t begin = 0; begin < leaving.size(); begin += static_cast<std::size_t>(kPiece)) {
    const Index count = std::min(kPiece, static_cast<Index>(leaving.size() - begin));
    scores.resize(count * k);
    for_each_score<T>(rows, centres, leaving.data() + begin, count, context,
                      [&](Index i, const double* score) { std::copy(score, score + k, scores.data() + i * k); });
    for (Index i = 0; i < count; ++i) {
      const double* score = scores.data() + i * k;
      Index chosen = -1;
      for (Index c = 0; c < k; ++c) {
        if (sizes[c] < bound && (chosen < 0 || score[c] < score[chosen])) chosen = c;
      }
      assignment[leaving[begin + static_cast<std::size_t>(i)]] = static_cast<std::int32_t>(chosen);
      ++sizes[chosen];
    }
  }
}

#define DCSVM_INSTANTIATE(T)                                                                                      \
  template void balance<T>(const kernel_matrix::RowSource<T>&, const BalanceTask&, base::Random&, base::Context&, \
                           KernelCentres&, std::vector<std::int32_t>&);                                           \
  template void enforce_bound<T>(const kernel_matrix::RowSource<T>&, const KernelCentres&, Index, base::Context&, \
                                 std::vector<std::int32_t>&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::clustering
