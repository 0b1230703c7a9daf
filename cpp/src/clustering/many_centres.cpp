#include "clustering/many_centres.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "clustering/centres.hpp"
#include "clustering/used_columns.hpp"
#include "data/point_store.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kBatches = 16;

bool same(const Points& points, Index a, Index b) {
  if (points.norm(a) != points.norm(b)) return false;
  std::vector<double> row(points.cols(), 0.0);
  points.each(a, [&](Index j, double v) { row[j] = v; });
  points.each(b, [&](Index j, double v) { row[j] -= v; });
  return std::all_of(row.begin(), row.end(), [](double v) { return v == 0.0; });
}

}  // namespace

std::vector<Index> batch_seeds(const Points& points, Index k, base::Context& context) {
  base::Random random(context.seed);
  std::vector<Index> chosen{random.below(points.size())};
  Centres batch;
  batch.cols = points.cols();
  add_centre(points, chosen.back(), batch);
  std::vector<double> nearest = squared_distances(points, batch, context);
  const Index most = std::max<Index>(1, k / kBatches);
  while (static_cast<Index>(chosen.size()) < k) {
    context.pool->poll();
    batch.values.clear();
    // A batch is at most as large as the seeds found so far, because the first seeds matter most.
    const Index size = std::min({most, static_cast<Index>(chosen.size()), k - static_cast<Index>(chosen.size())});
    std::vector<double> weight = nearest;
    const auto before = static_cast<std::ptrdiff_t>(chosen.size());
    for (Index t = 0; t < size; ++t) {
      const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
      if (!(total > 0.0)) break;
      const Index i = draw_by_weight(weight, total, random);
      weight[i] = 0.0;
      if (std::any_of(chosen.begin() + before, chosen.end(), [&](Index j) { return same(points, i, j); })) continue;
      chosen.push_back(i);
      add_centre(points, i, batch);
    }
    if (batch.values.empty()) break;  // every row is a seed
    const std::vector<double> d = squared_distances(points, batch, context);
    for (std::size_t i = 0; i < d.size(); ++i) nearest[i] = std::min(d[i], nearest[i]);
  }
  return chosen;
}

std::vector<Index> spread_rows(const DataView& x, const std::vector<Index>& sample, Index k, base::Context& context) {
  if (is_wide(x)) {  // the seeds of the sample's own rows are the same, over its own columns
    const data::PointStore own = data::copy_points(x, sample);
    const DataView view = own.view();
    const UsedColumns used(view);
    const std::vector<Index> all = base::index_range(own.rows);
    std::vector<Index> rows = batch_seeds(Points(used.view(), all, {}), k, context);
    for (Index& r : rows) r = sample[r];
    return rows;
  }
  const Points points(x, sample, mean_of(x, sample));
  std::vector<Index> rows = batch_seeds(points, k, context);
  for (Index& r : rows) r = sample[r];
  return rows;
}

std::vector<double> many_centres(const DataView& x, const std::vector<Index>& sample, Index k, int max_iterations,
                                 base::Context& context) {
  const std::vector<double> shift = mean_of(x, sample);
  const Points points(x, sample, shift);
  Centres centres;
  centres.cols = points.cols();
  for (const Index i : batch_seeds(points, k, context)) add_centre(points, i, centres);
  lloyd(points, max_iterations, context, centres);
  for (std::size_t e = 0; e < centres.values.size(); ++e) centres.values[e] += shift[e % shift.size()];
  return centres.values;
}

}  // namespace dcsvm::clustering
