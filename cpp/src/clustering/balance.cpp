#include "clustering/balance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "clustering/centre_search.hpp"
#include "clustering/cluster_sizes.hpp"

namespace dcsvm::clustering {

namespace {

constexpr int kRounds = 3;
constexpr Index kMinPerPart = 8;  ///< sampled points behind each centre of a split

/// Centres, and the clusters that they give.
template <class T>
class Clusters {
 public:
  Clusters(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context)
      : rows_(rows), task_(task), random_(random), context_(context) {}

  void set(KernelCentres centres) {
    centres_ = std::move(centres);
    const CentreSearch<T> search(rows_, centres_, random_, context_);
    const std::vector<std::int32_t> probe = search.nearest(*task_.probe);
    sizes_ = count_members(probe, centres_.size());
    members_.assign(sizes_.size(), {});
    const bool same = task_.population == task_.probe;
    const std::vector<std::int32_t> own = same ? std::vector<std::int32_t>() : search.nearest(*task_.population);
    for (std::size_t i = 0; i < task_.population->size(); ++i) {
      members_[same ? probe[i] : own[i]].push_back((*task_.population)[i]);
    }
  }
  const KernelCentres& centres() const { return centres_; }
  /// Of the probe.
  const std::vector<Index>& sizes() const { return sizes_; }

  /// parts[c] centres in place of centre c, found among its members; its own where there are no more.
  KernelCentres split(const std::vector<Index>& parts) {
    KernelCentres next;
    for (Index c = 0; c < centres_.size(); ++c) {
      if (parts[c] < 1) continue;
      const KernelCentres found = parts[c] > 1 && members_[c].size() > 1 ? split_one(c, parts[c]) : KernelCentres();
      if (found.size() < 2) next.append(centres_, c);
      for (Index p = 0; p < found.size() && found.size() > 1; ++p) next.append(found, p);
    }
    return next;
  }
  KernelCentres keep_largest(Index keep) const {
    KernelCentres kept;
    for (const Index c : largest(sizes_, keep)) kept.append(centres_, c);
    return kept;
  }

 private:
  KernelCentres split_one(Index c, Index parts) {
    const double share = static_cast<double>(sizes_[c]) / static_cast<double>(task_.probe->size());
    const Index wanted = std::max<Index>(kMinPerPart * parts, static_cast<Index>(share * static_cast<double>(task_.sample_size)));
    const std::vector<Index> points = base::sample(members_[c], std::min(wanted, task_.most_points), random_);
    return fit_centres(rows_, points, parts, task_.max_iterations, random_, context_);
  }

  const kernel_matrix::RowSource<T>& rows_;
  const BalanceTask& task_;
  base::Random& random_;
  base::Context& context_;
  KernelCentres centres_;
  std::vector<Index> sizes_;
  std::vector<std::vector<Index>> members_;
};

}  // namespace

template <class T>
void grow(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context,
          KernelCentres& centres) {
  if (centres.size() < 2 || centres.size() >= task.clusters) return;
  Clusters<T> clusters(rows, task, random, context);
  clusters.set(centres);
  const double per_point = static_cast<double>(task.clusters) / static_cast<double>(task.probe->size());
  std::vector<Index> parts;
  Index points = 0, before = 0;
  for (const Index size : clusters.sizes()) {  // rounded so that the sum is task.clusters
    points += size;
    const auto total = static_cast<Index>(std::llround(per_point * static_cast<double>(points)));
    parts.push_back(total - before);
    before = total;
  }
  centres = clusters.split(parts);
}

template <class T>
void balance(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context,
             KernelCentres& centres) {
  const Index n = static_cast<Index>(task.probe->size()), bound = balance_bound(n, task.clusters);
  Clusters<T> now(rows, task, random, context);
  now.set(centres);
  double best = sum_of_squares(now.sizes());
  for (int round = 0; round < kRounds; ++round) {
    if (now.sizes().empty() || *std::max_element(now.sizes().begin(), now.sizes().end()) <= bound) return;
    std::vector<Index> parts;
    for (const Index size : now.sizes())
      parts.push_back(size > bound ? std::min(task.clusters, (size * task.clusters + n - 1) / n) : std::min<Index>(size, 1));
    now.set(now.split(parts));
    const Index used = now.centres().size() - std::count(now.sizes().begin(), now.sizes().end(), 0);
    if (used < now.centres().size() || now.centres().size() > task.clusters)
      now.set(now.keep_largest(std::min(used, task.clusters)));
    if (sum_of_squares(now.sizes()) < best) {
      best = sum_of_squares(now.sizes());
      centres = now.centres();
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

#define DCSVM_INSTANTIATE(T)                                                                                                    \
  template void grow<T>(const kernel_matrix::RowSource<T>&, const BalanceTask&, base::Random&, base::Context&, KernelCentres&); \
  template void balance<T>(const kernel_matrix::RowSource<T>&, const BalanceTask&, base::Random&, base::Context&,               \
                           KernelCentres&);                                                                                     \
  template void enforce_bound<T>(const kernel_matrix::RowSource<T>&, const KernelCentres&, Index, base::Context&,               \
                                 std::vector<std::int32_t>&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::clustering
