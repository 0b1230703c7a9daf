#include "clustering/centre_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace dcsvm::clustering {

namespace {

constexpr Index kHeadPoints = 16;      ///< sampled points behind the centre of a group
constexpr Index kGroupedAtOnce = 2048;  ///< centres whose kernel block gives the groups
constexpr int kGroupIterations = 10;
constexpr Index kSearchChunk = 2048;  ///< points of one piece of work: enough of them try the same group

}  // namespace

/// One piece of points while they are searched for.
template <class T>
class CentreSearch<T>::Chunk {
 public:
  using Prepared = std::unique_ptr<kernel_matrix::Columns<T>>;

  Chunk(const Index* points, Index n) : points_(points), n_(n), tried_(static_cast<std::size_t>(n * kGroupsTried), -1) {}

  void choose_groups(const kernel_matrix::Columns<T>& columns, const KernelCentres& heads, std::vector<T>& tile) {
    score_block(columns, heads, points_, n_, tile, [&](Index i, const double* score) {
      std::int32_t* best = tried_.data() + i * kGroupsTried;
      for (Index t = 0; t < std::min(kGroupsTried, heads.size()); ++t) {
        std::int32_t found = -1;
        for (Index g = 0; g < heads.size(); ++g) {
          const bool taken = std::find(best, best + t, static_cast<std::int32_t>(g)) != best + t;
          if (!taken && (found < 0 || score[g] < score[found] || score[found] != score[found]))
            found = static_cast<std::int32_t>(g);
        }
        best[t] = found;
      }
    });
  }

  void search(const std::vector<Group>& groups, const std::vector<Prepared>& columns, std::vector<T>& tile, std::int32_t* out) {
    std::vector<double> best(static_cast<std::size_t>(n_), std::numeric_limits<double>::infinity());
    std::fill(out, out + n_, -1);
    std::vector<std::vector<Index>> asking(groups.size());
    for (Index i = 0; i < n_; ++i) {
      for (Index t = 0; t < kGroupsTried; ++t) {
        const std::int32_t g = tried_[i * kGroupsTried + t];
        if (g >= 0) asking[g].push_back(i);
      }
    }
    std::vector<Index> who;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      who.clear();
      for (const Index i : asking[g]) who.push_back(points_[i]);
      score_block(*columns[g], groups[g].centres, who.data(), static_cast<Index>(who.size()), tile,
                  [&](Index j, const double* score) {
                    const Index i = asking[g][j], c = nearest_centre(score, groups[g].centres.size());
                    const std::int32_t number = groups[g].number[c];
                    if (out[i] >= 0 && !(score[c] < best[i] || (score[c] == best[i] && number < out[i]))) return;
                    best[i] = score[c];
                    out[i] = number;
                  });
    }
  }

 private:
  const Index* points_;
  Index n_;
  std::vector<std::int32_t> tried_;
};

template <class T>
CentreSearch<T>::CentreSearch(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, base::Random& random,
                              base::Context& context, Index compare_all)
    : rows_(rows), centres_(centres), context_(context) {
  if (centres.size() > compare_all) make_groups(random);
}

template <class T>
void CentreSearch<T>::make_groups(base::Random& random) {
  std::vector<Index> firsts;
  firsts.reserve(static_cast<std::size_t>(centres_.size()));
  for (Index c = 0; c < centres_.size(); ++c) firsts.push_back(centres_.sample[centres_.first[c]]);
  const Index wanted = static_cast<Index>(std::sqrt(static_cast<double>(centres_.size())));
  const KernelCentres found =
      fit_centres(rows_, base::sample(firsts, kGroupedAtOnce, random), wanted, kGroupIterations, random, context_);
  const std::vector<std::int32_t> member = CentreSearch<T>(rows_, found, random, context_).nearest(firsts);
  std::vector<Group> groups(static_cast<std::size_t>(found.size()));
  for (Index c = 0; c < centres_.size(); ++c) {
    groups[member[c]].centres.append(centres_, c);
    groups[member[c]].number.push_back(static_cast<std::int32_t>(c));
  }
  for (Group& group : groups) {
    if (group.number.empty()) continue;
    std::vector<Index> points;
    points.reserve(group.number.size());
    for (const std::int32_t c : group.number) points.push_back(firsts[c]);
    const KernelCentres head = fit_centres(rows_, base::sample(points, kHeadPoints, random), 1, 1, random, context_);
    heads_.append(head, 0);
    groups_.push_back(std::move(group));
  }
}

template <class T>
std::vector<std::int32_t> CentreSearch<T>::nearest(const Index* points, Index n) const {
  std::vector<std::int32_t> found(static_cast<std::size_t>(n), 0);
  if (centres_.size() < 2) return found;
  if (groups_.empty()) {
    for_each_score<T>(rows_, centres_, points, n, context_,
                      [&](Index i, const double* score) { found[i] = nearest_centre(score, centres_.size()); });
    return found;
  }
  const std::size_t budget = context_.cap_bytes / 8;
  const auto heads = rows_.columns(heads_.sample.data(), static_cast<Index>(heads_.sample.size()), budget, *context_.pool);
  std::vector<typename Chunk::Prepared> columns;
  for (const Group& group : groups_) {
    const auto m = static_cast<Index>(group.centres.sample.size());
    const double share = static_cast<double>(m) / static_cast<double>(centres_.sample.size());
    columns.push_back(rows_.columns(group.centres.sample.data(), m, static_cast<std::size_t>(share * static_cast<double>(budget)),
                                    *context_.pool));
  }
  std::vector<std::vector<T>> tiles(static_cast<std::size_t>(context_.pool->size()));
  context_.pool->for_range(n, kSearchChunk, [&](Index begin, Index end, int worker) {
    std::vector<Index> ids(static_cast<std::size_t>(end - begin));
    for (Index i = begin; i < end; ++i) ids[i - begin] = points != nullptr ? points[i] : i;
    Chunk chunk(ids.data(), end - begin);
    chunk.choose_groups(*heads, heads_, tiles[worker]);
    chunk.search(groups_, columns, tiles[worker], found.data() + begin);
  });
  return found;
}

template class CentreSearch<float>;
template class CentreSearch<double>;

}  // namespace dcsvm::clustering
