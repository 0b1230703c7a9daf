#include "svm/prediction/decide.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernel_matrix/cross_sums.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "svm/prediction/bias.hpp"
#include "svm/prediction/emit.hpp"
#include "svm/prediction/route.hpp"
#include "svm/prediction/sums.hpp"
#include "svm/prediction/support_kernel.hpp"

namespace dcsvm::svm {

namespace {

/// Memory of one worker.
template <class T>
struct Scratch {
  Scratch(const ModelData& m, Index rows) : sums(m, rows), dec(static_cast<std::size_t>(m.n_pairs())) {}
  Sums<T> sums;
  std::vector<double> dec;
  std::vector<int> votes;
};

/// One Scratch per worker, made by the worker that first needs it. rows: queries at a time.
template <class T>
class Scratches {
 public:
  Scratches(const ModelData& model, Index rows, const base::ThreadPool& pool)
      : model_(model), rows_(rows), all_(static_cast<std::size_t>(pool.size())) {}
  Scratch<T>& of(int worker) {
    auto& mine = all_[worker];
    if (!mine) mine = std::make_unique<Scratch<T>>(model_, rows_);
    return *mine;
  }

 private:
  const ModelData& model_;
  Index rows_;
  std::vector<std::unique_ptr<Scratch<T>>> all_;
};

/// One row of coefficients, so one sum for each query: two classes, one-class, regression.
template <class T>
void decide_by_sums(const kernel_matrix::CrossSums<T>& sums, const ModelData& model, const Bias& bias, const DataView& x,
                    base::ThreadPool& pool, const data::Output& out) {
  pool.for_range(rows_of(x), sums.grain(), [&](Index begin, Index end, int) {
    std::vector<double> sum(end - begin), dec(1);
    std::vector<int> votes;
    sums.sum(x, begin, end - begin, sum.data());
    for (Index r = begin; r < end; ++r) {
      dec[0] = sum[r - begin];
      bias.subtract(r, dec.data());
      emit(out, model, r, dec, votes);
    }
  });
}

/// All support vectors against all queries: a model that is not clustered, or the naive sum.
template <class T>
void decide_whole(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  const Index k = model.n_classes();
  const Bias bias(model, x, pool);
  const std::vector<Segment> segments = segments_of(model, 0, model.expansions.size());
  const auto near = near_support<T>(model, rows_of(x), pool);
  if (!near && k == 2 && rows_of(x) >= kernel_matrix::kQueries && !model.points.sparse) {
    const auto sums = kernel_matrix::make_cross_sums<T>(model.points.view(), model.kernel, model.sv_coef.data(), pool);
    if (sums) return decide_by_sums(*sums, model, bias, x, pool, out);
  }
  const auto kernel = near ? nullptr : support_kernel<T>(model, PackedSupport::kWhole);
  const Index grain = std::min(query_grain(rows_of(x)), Sums<T>::rows_for(k));
  Scratches<T> scratches(model, std::min(grain, rows_of(x)), pool);
  pool.for_range(rows_of(x), grain, [&](Index begin, Index end, int worker) {
    Scratch<T>& mine = scratches.of(worker);
    near ? mine.sums.add(*near, x, begin, end - begin) : mine.sums.add(*kernel, segments, x, begin, end - begin);
    for (Index r = begin; r < end; ++r) {
      std::size_t p = 0;
      for (Index i = 0; i < k; ++i) {
        for (Index j = i + 1; j < k; ++j, ++p) mine.dec[p] = mine.sums.pair(r - begin, i, j);
      }
      bias.subtract(r, mine.dec.data());
      emit(out, model, r, mine.dec, mine.votes);
    }
  });
}

/// Decisions of query r by one cluster, for the pairs of all classes.
template <class T>
void decide_in_cluster(const Expansion& e, const Presence& presence, Index k, const Sums<T>& sums, Index r,
                       std::vector<double>& dec) {
  std::size_t p = 0, next = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j, ++p) {
      dec[p] = presence.both(i, j) ? sums.pair(r, i, j) - e.rho[next++] : presence.sign(i, j);
    }
  }
}

/// Some queries of one cluster.
struct Task {
  std::size_t cluster;
  std::vector<Index> rows;
};

std::vector<Task> tasks_of(const std::vector<int>& cluster_of, std::size_t n_clusters, Index most) {
  std::vector<std::vector<Index>> rows(n_clusters);
  for (std::size_t i = 0; i < cluster_of.size(); ++i) rows[cluster_of[i]].push_back(static_cast<Index>(i));
  std::vector<Task> tasks;
  for (std::size_t c = 0; c < n_clusters; ++c) {
    for (auto from = rows[c].begin(); from != rows[c].end();) {
      const auto to = from + std::min<Index>(most, rows[c].end() - from);
      tasks.push_back({c, std::vector<Index>(from, to)});
      from = to;
    }
  }
  return tasks;
}

template <class T>
void decide_early(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  const std::size_t n_clusters = model.expansions.size();
  const Index k = model.n_classes();
  const std::vector<Task> tasks = tasks_of(route(model, x, pool), n_clusters, Sums<T>::rows_for(k));
  std::vector<PackedSupport::Values<T>> kernels(n_clusters);
  std::vector<std::size_t> used;
  for (const Task& t : tasks) {
    if (used.empty() || used.back() != t.cluster) used.push_back(t.cluster);
  }
  pool.for_each(static_cast<Index>(used.size()), [&](Index u, int) {
    const Expansion& e = model.expansions[used[u]];
    const Index n = n_support(e);
    if (n > 0 && e.classes.size() > 1) kernels[used[u]] = support_kernel<T>(model, static_cast<Index>(used[u]));
  });
  Scratches<T> scratches(model, std::min(Sums<T>::rows_for(k), rows_of(x)), pool);
  pool.for_each(static_cast<Index>(tasks.size()), [&](Index t, int worker) {
    const auto& [cluster, rows] = tasks[t];
    Scratch<T>& mine = scratches.of(worker);
    mine.sums.clear();
    if (kernels[cluster]) {
      const data::PointStore queries = data::copy_points(x, rows);
      mine.sums.add(*kernels[cluster], segments_of(model, cluster, cluster + 1), queries.view(), 0, queries.rows);
    }
    const Presence presence(model.expansions[cluster].classes, k);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      decide_in_cluster(model.expansions[cluster], presence, k, mine.sums, static_cast<Index>(r), mine.dec);
      emit(out, model, rows[r], mine.dec, mine.votes);
    }
  });
}

}  // namespace

Index query_grain(Index n) {
  constexpr Index kTasks = 8, kLeast = 8;
  const Index share = (n / kTasks + kLeast - 1) / kLeast * kLeast;
  return std::clamp(share, kLeast, kernel_matrix::kQueries);
}

void decide(const ModelData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  if (rows_of(x) == 0) return;
  const bool single = model.precision == Precision::single_;
  switch (model.clustered() ? model.prediction : LevelPrediction::naive) {
    case LevelPrediction::naive:
      return single ? decide_whole<float>(model, x, pool, out) : decide_whole<double>(model, x, pool, out);
    case LevelPrediction::early:
      return single ? decide_early<float>(model, x, pool, out) : decide_early<double>(model, x, pool, out);
  }
}

}  // namespace dcsvm::svm
