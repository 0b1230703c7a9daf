// The gradient update of the block solver: where cached rows are read and missing ones computed.
#include <algorithm>
#include <cmath>

#include "simd/ops.hpp"
#include "solver/block_solver.hpp"
#include "solver/timer.hpp"

namespace dcsvm::solver {

template <class T>
void BlockSolver<T>::apply_changes(const std::vector<Index>& changed) {
  const Timer timer(result_.seconds_update);
  const auto m = static_cast<Index>(changed.size());
  if (whole()) {
    std::vector<double> coef(changed.size());
    std::vector<const T*> rows(changed.size());
    for (std::size_t r = 0; r < changed.size(); ++r) {
      coef[r] = -delta_[static_cast<std::size_t>(changed[r])];
      rows[r] = tile_->k.data() + changed[r] * tile_->ld;
    }
    simd::ops<T>().accumulate(coef.data(), rows.data(), m, 0, active_.size(), active_.g.data());
    bounds_ = active_.bounds();
    return;
  }
  if (box_cache_) return update_by_boxes(changed.data(), m);
  for (Index from = 0; from < m;) {  // the capacity may grow meanwhile
    const Index count = std::min(cache_->capacity(), m - from);
    update_by_rows(changed.data() + from, count);
    from += count;
  }
}

// Maps fresh rows' pages in, one row per piece: inside a kernel piece hundreds of huge pages would fault at once.
template <class T>
void BlockSolver<T>::touch(const std::vector<T*>& rows) {
  constexpr Index kPage = 4096 / static_cast<Index>(sizeof(T));
  pool_.for_each(static_cast<Index>(rows.size()), [&](Index r, int) {
    for (Index j = 0; j < active_.size(); j += kPage) rows[static_cast<std::size_t>(r)][j] = T(0);
  });
}

template <class T>
void BlockSolver<T>::look_at_piece(Index begin, Index end, Index grain, std::vector<Bounds>& pieces) const {
  Bounds b{-HUGE_VAL, HUGE_VAL};
  for (Index p = begin; p < end; ++p) {
    const double g = active_.g[static_cast<std::size_t>(p)];
    if (active_.in_up(p)) b.up = std::max(b.up, g);
    if (active_.in_low(p)) b.low = std::min(b.low, g);
  }
  pieces[static_cast<std::size_t>(begin / grain)] = b;
}

template <class T>
void BlockSolver<T>::merge_bounds(const std::vector<Bounds>& pieces) {
  bounds_ = {-HUGE_VAL, HUGE_VAL};
  for (const auto& b : pieces) bounds_ = {std::max(bounds_.up, b.up), std::min(bounds_.low, b.low)};
}

// g -= K[slots, active] delta. A piece of columns of the missing rows is computed and used while it is in cache.
template <class T>
void BlockSolver<T>::update_by_rows(const Index* slots, Index m) {
  std::vector<T*> rows(static_cast<std::size_t>(m), nullptr), missing;
  std::vector<double> coef(static_cast<std::size_t>(m));
  std::vector<Index> missing_ids;
  for (Index r = 0; r < m; ++r) {
    const auto slot = static_cast<std::size_t>(slots[r]);
    rows[static_cast<std::size_t>(r)] = cache_->find(work_[slot]);
    coef[static_cast<std::size_t>(r)] = -delta_[slot];
  }
  for (Index r = 0; r < m; ++r) {
    T*& row = rows[static_cast<std::size_t>(r)];
    if (row != nullptr) continue;
    const Index position = work_[static_cast<std::size_t>(slots[r])];
    row = cache_->insert(position);
    missing.push_back(row);
    missing_ids.push_back(active_.idx[static_cast<std::size_t>(position)]);
  }
  touch(missing);
  const Index n = active_.size(), grain = columns_->grain();
  const auto prepared = missing.empty() ? nullptr : columns_->prepare(missing_ids.data(), static_cast<Index>(missing_ids.size()));
  std::vector<Bounds> pieces(static_cast<std::size_t>((n + grain - 1) / grain));
  const auto& op = simd::ops<T>();
  pool_.for_range(n, grain, [&](Index begin, Index end, int) {
    if (prepared) {
      std::vector<T*> out(missing.size());
      for (std::size_t r = 0; r < missing.size(); ++r) out[r] = missing[r] + begin;
      prepared->compute(begin, end, out.data());
    }
    op.accumulate(coef.data(), rows.data(), m, begin, end, active_.g.data());
    look_at_piece(begin, end, grain, pieces);
  });
  merge_bounds(pieces);
}

template void BlockSolver<float>::look_at_piece(Index, Index, Index, std::vector<Bounds>&) const;
template void BlockSolver<double>::look_at_piece(Index, Index, Index, std::vector<Bounds>&) const;
template void BlockSolver<float>::merge_bounds(const std::vector<Bounds>&);
template void BlockSolver<double>::merge_bounds(const std::vector<Bounds>&);
template void BlockSolver<float>::apply_changes(const std::vector<Index>&);
template void BlockSolver<double>::apply_changes(const std::vector<Index>&);

}  // namespace dcsvm::solver
