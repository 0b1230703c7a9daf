// The gradient update of the block solver: cached rows are read, missing ones computed.
#include <algorithm>
#include <cmath>

#include "qp/block_solver.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

template <class T>
void BlockSolver<T>::apply_changes(const std::vector<Index>& changed) {
  const auto m = static_cast<Index>(changed.size());
  if (whole()) {
    std::vector<double>& coef = room_->coef;
    std::vector<const T*>& rows = room_->rows;
    coef.resize(changed.size());
    rows.resize(changed.size());
    for (std::size_t r = 0; r < changed.size(); ++r) {
      coef[r] = -delta_[changed[r]];
      rows[r] = tile_.row(changed[r]);
    }
    simd::ops<T>().accumulate(coef.data(), rows.data(), m, 0, active_.size(), active_.g.data());
    bounds_ = active_.bounds();
    return;
  }
  if (keeps_no_rows()) return update_by_product(changed.data(), m);
  if (region_cache_) return update_by_regions(changed.data(), m);
  for (Index from = 0; from < m;) {  // the capacity may grow meanwhile
    const Index count = std::min(cache_->capacity(), m - from);
    update_by_rows(changed.data() + from, count);
    from += count;
  }
}

// Touches the memory of new rows, one row per piece; otherwise hundreds of huge pages would fault in one piece of kernel values.
template <class T>
void BlockSolver<T>::touch(const std::vector<T*>& rows) {
  pool_.for_each(static_cast<Index>(rows.size()), [&](Index r, int) {
    for (Index j = 0; j < active_.size(); j += kPage) rows[r][j] = T(0);
  });
}

template <class T>
void BlockSolver<T>::merge_bounds(const std::vector<GroupBounds>& pieces) {
  bounds_ = kNoBounds;
  for (const auto& b : pieces) bounds_.merge(b);
}

// g -= K[slots, active] delta. A piece of columns of the missing rows is computed and used while it is in cache.
template <class T>
void BlockSolver<T>::update_by_rows(const Index* slots, Index m) {
  RowUpdate update;
  std::vector<Index> missing_ids, unkept_ids, to_insert;
  for (Index r = 0; r < m; ++r) {
    const auto slot = static_cast<std::size_t>(slots[r]);
    const Index position = work_[slot], id = active_.idx[position];
    T* row = cache_->find(position);
    if (row == nullptr && !cache_->worth_keeping(position)) {
      unkept_ids.push_back(id);
      update.unkept_coef.push_back(-delta_[slot]);
      continue;
    }
    if (row == nullptr) to_insert.push_back(static_cast<Index>(update.rows.size()));
    if (row == nullptr) missing_ids.push_back(id);
    update.rows.push_back(row);
    update.positions.push_back(position);
    update.coef.push_back(-delta_[slot]);
  }
  for (const Index r : to_insert) {  // after all were found: none of those is evicted
    T* row = cache_->insert(update.positions[r]);
    update.rows[r] = row;
    update.missing.push_back(row);
  }
  touch(update.missing);
  if (!missing_ids.empty())
    update.prepared = columns_->prepare(missing_ids.data(), static_cast<Index>(missing_ids.size()), pool_);
  const Index group = columns_->rows_at_once();
  for (std::size_t from = 0; from < unkept_ids.size(); from += static_cast<std::size_t>(group)) {
    const std::size_t count = std::min(static_cast<std::size_t>(group), unkept_ids.size() - from);
    update.unkept.push_back(columns_->prepare(unkept_ids.data() + from, static_cast<Index>(count), pool_));
  }
  const Index n = active_.size(), grain = columns_->grain();
  std::vector<GroupBounds> pieces((n + grain - 1) / grain);
  std::vector<base::Buffer<T>> scratch(pool_.size());
  pool_.for_range(n, grain, [&](Index begin, Index end, int worker) {
    update_piece(update, begin, end, scratch[worker]);
    pieces[begin / grain] = active_.bounds(begin, end);
  });
  merge_bounds(pieces);
}

template <class T>
void BlockSolver<T>::update_piece(const RowUpdate& update, Index begin, Index end, base::Buffer<T>& scratch) {
  const auto& op = simd::ops<T>();
  if (update.prepared) {
    std::vector<T*> out(update.missing.size());
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = update.missing[r] + begin;
    update.prepared->compute(begin, end, out.data());
  }
  op.accumulate(update.coef.data(), update.rows.data(), static_cast<Index>(update.rows.size()), begin, end, active_.g.data());
  if (update.unkept.empty()) return;
  const Index group = columns_->rows_at_once();
  if (scratch.size() == 0) scratch = base::Buffer<T>(group * columns_->grain());
  const auto total = static_cast<Index>(update.unkept_coef.size());
  for (std::size_t t = 0; t < update.unkept.size(); ++t) {
    const Index from = static_cast<Index>(t) * group;
    update.unkept[t]->add(begin, end, update.unkept_coef.data() + from, std::min(group, total - from), scratch.data(),
                          active_.g.data() + begin);
  }
}

template void BlockSolver<float>::merge_bounds(const std::vector<GroupBounds>&);
template void BlockSolver<double>::merge_bounds(const std::vector<GroupBounds>&);
template void BlockSolver<float>::apply_changes(const std::vector<Index>&);
template void BlockSolver<double>::apply_changes(const std::vector<Index>&);

}  // namespace dcsvm::qp
