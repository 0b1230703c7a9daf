// The gradient update of the block solver when far points are left out: columns are treated region by region.
#include <algorithm>
#include <cmath>

#include "qp/block_solver.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

namespace {
constexpr Index kRegions = 4;  // of a piece
}  // namespace

// The missing rows that each region of columns needs.
template <class T>
std::vector<std::vector<std::int32_t>> BlockSolver<T>::find_near(const kernel_matrix::PreparedRows<T>& prepared, Index m) {
  const Index n = active_.size(), region = region_cache_->region_size();
  std::vector<std::vector<std::int32_t>> near(region_cache_->n_regions());
  if (columns_->region_size() == 0) {  // no room for regions: rows are computed whole
    for (auto& which : near) {
      for (Index r = 0; r < m; ++r) which.push_back(static_cast<std::int32_t>(r));
    }
    return near;
  }
  pool_.for_range(n, kRegions * region, [&](Index begin, Index end, int) {
    std::vector<std::int32_t> which(m);
    for (Index from = begin; from < end; from += region) {
      const Index count = prepared.near(from, which.data());
      near[from / region].assign(which.begin(), which.begin() + count);
    }
  });
  return near;
}

// Computes region b of the missing rows that need it; next[r] is the position of row r's next region.
template <class T>
void BlockSolver<T>::compute_region(Index b, const RegionUpdate& update, std::vector<std::size_t>& next, std::vector<T*>& out) {
  const auto& which = update.near[b];
  if (which.empty()) return;
  out.clear();
  for (const std::int32_t r : which) {
    const auto& row = region_cache_->row(update.slots[r]);
    out.push_back(region_cache_->unit(row.units[next[r]++]));
  }
  const Index begin = b * region_cache_->region_size(), end = std::min(active_.size(), begin + region_cache_->region_size());
  if (columns_->region_size() > 0) {
    update.prepared->compute_some(begin, end, which.data(), static_cast<Index>(which.size()), out.data());
  } else {
    update.prepared->compute(begin, end, out.data());
  }
}

// g += coef * row for the regions of one row in [first, last), from its region number t on. Regions that follow each other in
// memory as well are read in one go.
template <class T>
void BlockSolver<T>::add_regions(const typename RegionCache<T>::Row& row, std::size_t t, std::int32_t last, double coef) {
  const Index region = region_cache_->region_size();
  while (t < row.regions.size() && row.regions[t] < last) {
    std::size_t run = t + 1;
    while (run < row.regions.size() && row.regions[run] < last && row.regions[run] == row.regions[run - 1] + 1 &&
           row.units[run] == row.units[run - 1] + 1) {
      ++run;
    }
    const Index begin = row.regions[t] * region, end = std::min(active_.size(), begin + static_cast<Index>(run - t) * region);
    const T* values = region_cache_->unit(row.units[t]);
    simd::ops<T>().accumulate(&coef, &values, 1, 0, end - begin, active_.g.data() + begin);
    t = run;
  }
}

// Regions [first, last) of all rows of an update.
template <class T>
void BlockSolver<T>::update_region_range(std::int32_t first, std::int32_t last, const RegionUpdate& update) {
  std::vector<std::size_t> start(update.slots.size());
  for (std::size_t r = 0; r < update.slots.size(); ++r) {
    const auto& row = region_cache_->row(update.slots[r]);
    start[r] = static_cast<std::size_t>(std::lower_bound(row.regions.begin(), row.regions.end(), first) - row.regions.begin());
    if (start[r] < row.regions.size()) __builtin_prefetch(region_cache_->unit(row.units[start[r]]), 0, 2);
  }
  if (update.prepared) {
    std::vector<std::size_t> next = start;
    std::vector<T*> out;
    for (Index b = first; b < last; ++b) compute_region(b, update, next, out);
  }
  for (std::size_t r = 0; r < update.slots.size(); ++r)
    add_regions(region_cache_->row(update.slots[r]), start[r], last, update.coef[r]);
}

// The same for rows that are not kept: columns' own product, on this active set.
template <class T>
void BlockSolver<T>::update_by_product(const Index* slots, Index m) {
  std::vector<Index> ids;
  std::vector<double> coef;
  for (Index r = 0; r < m; ++r) {
    ids.push_back(active_.idx[work_[slots[r]]]);
    coef.push_back(-delta_[slots[r]]);
    skipped_ += std::abs(coef.back()) * source_.negligible();
  }
  if (linear_) {
    linear_.products(linear_.weights(ids.data(), coef.data(), m).data(), active_.idx.data(), active_.size(), active_.g.data(),
                     pool_);
  } else {
    columns_->multiply(ids.data(), coef.data(), m, active_.g.data(), pool_);
  }
  const Index n = active_.size(), grain = 2048;
  std::vector<GroupBounds> pieces((n + grain - 1) / grain);
  pool_.for_range(n, grain, [&](Index begin, Index end, int) { pieces[begin / grain] = active_.bounds(begin, end); });
  merge_bounds(pieces);
}

// g -= K[slots, active] delta.
template <class T>
void BlockSolver<T>::update_by_regions(const Index* slots, Index m) {
  RegionUpdate update;
  std::vector<Index> missing, found, ids;
  Index units = 0;
  for (Index r = 0; r < m; ++r) {
    const Index position = work_[slots[r]];
    const std::int32_t slot = region_cache_->find(position);
    if (slot >= 0) units += static_cast<Index>(region_cache_->row(slot).regions.size());
    (slot < 0 ? missing : found).push_back(slots[r]);
    if (slot < 0) ids.push_back(active_.idx[position]);
  }
  if (!missing.empty()) {
    update.prepared = columns_->prepare(ids.data(), static_cast<Index>(ids.size()), pool_);
    update.near = find_near(*update.prepared, static_cast<Index>(missing.size()));
    for (const auto& which : update.near) units += static_cast<Index>(which.size());
  }
  if (!region_cache_->make_room(units)) {  // one row always fits
    update_by_regions(slots, m / 2);
    return update_by_regions(slots + m / 2, m - m / 2);
  }
  for (const auto* part : {&missing, &found}) {
    for (const Index s : *part) {
      const Index position = work_[s];
      update.slots.push_back(part == &missing ? region_cache_->insert(position) : region_cache_->find(position));
      update.coef.push_back(-delta_[s]);
      skipped_ += std::abs(update.coef.back()) * source_.negligible();
    }
  }
  give_units(update, missing.size());
  touch_units(update, static_cast<Index>(missing.size()));

  const Index n = active_.size(), region = region_cache_->region_size(), grain = kRegions * region;
  std::vector<GroupBounds> pieces((n + grain - 1) / grain);
  pool_.for_range(n, grain, [&](Index begin, Index end, int) {
    update_region_range(static_cast<std::int32_t>(begin / region), static_cast<std::int32_t>((end + region - 1) / region),
                        update);
    pieces[begin / grain] = active_.bounds(begin, end);
  });
  merge_bounds(pieces);
}

// Row by row, so that a row's regions follow each other in memory.
template <class T>
void BlockSolver<T>::give_units(const RegionUpdate& update, std::size_t n_missing) {
  std::vector<std::vector<std::int32_t>> regions(n_missing);
  for (std::size_t b = 0; b < update.near.size(); ++b) {
    for (const std::int32_t r : update.near[b]) regions[r].push_back(static_cast<std::int32_t>(b));
  }
  for (std::size_t r = 0; r < n_missing; ++r) region_cache_->give(update.slots[r], std::move(regions[r]));
}

// Touches the memory of new rows, as touch() does for whole rows: else the first piece of columns has all new huge pages.
template <class T>
void BlockSolver<T>::touch_units(const RegionUpdate& update, Index n_missing) {
  const auto page = static_cast<std::int32_t>(std::max<Index>(1, kPage / region_cache_->region_size()));
  pool_.for_each(n_missing, [&](Index r, int) {
    const auto& units = region_cache_->row(update.slots[r]).units;
    for (std::size_t t = 0; t < units.size(); ++t) {
      if (t == 0 || units[t] % page == 0) *region_cache_->unit(units[t]) = T(0);
    }
  });
}

template void BlockSolver<float>::update_by_product(const Index*, Index);
template void BlockSolver<double>::update_by_product(const Index*, Index);
template void BlockSolver<float>::update_by_regions(const Index*, Index);
template void BlockSolver<double>::update_by_regions(const Index*, Index);

}  // namespace dcsvm::qp
