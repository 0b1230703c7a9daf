// Shrinking in the block solver, and the check of the full problem afterwards.
#include <algorithm>

#include "qp/block_solver.hpp"
#include "qp/timer.hpp"

namespace dcsvm::qp {

namespace {
constexpr double kShrinkBelow = 0.8;  // an active set is compacted when at most this share remains
constexpr double kNear = 1.0;  // the base: variables that a gradient change of this many violations could make violate ...
constexpr double kBaseBelow = 0.5;  // ... when they are at most this share of all
}  // namespace

template <class T>
void BlockSolver<T>::maybe_shrink() {
  const auto keep = active_.unshrinkable(bounds_);
  const double part = static_cast<double>(keep.size()) / static_cast<double>(active_.size());
  if (keep.size() < 2 || part > kShrinkBelow || read_in_place(keep.size())) return;
  compact(keep);
}

template <class T>
void BlockSolver<T>::compact(const std::vector<Index>& keep) {
  const Timer timer(result_.seconds_select);
  const bool tile_stays = tile_is_whole_;
  active_.shrink(keep);
  if (cache_ && !whole()) cache_->compact(keep, pool_);
  if (region_cache_ && !whole()) region_cache_->restart(active_.size());
  if (!tile_stays) return enter_active_set();
  columns_.reset();  // the tile keeps the rows that it has; further ones need columns of the variables that are left
  tile_.compact(keep);
  work_.resize(keep.size());
  in_work_.assign(keep.size(), 0);
}

// The active set is solved: updates all gradients and checks the full problem. True: it is solved too, as far as left-out kernel
// values allow to tell.
template <class T>
bool BlockSolver<T>::certify() {
  note_peak();
  std::array<double, 2> centre{};
  for (std::size_t c = 0; c < 2 && problem_.equality; ++c) centre[c] = 0.5 * (bounds_.of[c].up + bounds_.of[c].low);
  if (idle_ == 0 && active_.has_base() && !base_is_solved()) {
    next_active_set(centre);
    return false;
  }
  if (active_.everything() && !stale()) return true;
  drop_rows();  // they belong to this active set; the reconstruction gets their memory
  columns_.reset();
  {
    const Timer timer(result_.seconds_update);
    skipped_ += active_.reconstruct(context_.cap_bytes / 2, pool_) * source_.negligible();
  }
  if (stale()) renew_gradient();
  active_.activate_all();
  bounds_ = active_.bounds();
  if (violation() < options_.tol || (seems_solved() && beyond_reach())) return true;
  if (options_.shrinking) leave_far(centre);
  next_active_set(centre);
  return false;
}

// Chooses the next active set among the active variables.
template <class T>
void BlockSolver<T>::next_active_set(const std::array<double, 2>& centre) {
  if (options_.shrinking && !next_stage(centre)) shrink_if_worth();
  enter_active_set();
}

// After a check of all variables: those far from the threshold wait until the others are solved. Their gradients then need one
// product with all changes, instead of one after each stage.
template <class T>
void BlockSolver<T>::leave_far(const std::array<double, 2>& centre) {
  if (source_.negligible() > 0) return;
  const double reach = kNear * violation();
  const auto keep = active_.within(centre, reach);
  if (keep.size() >= 2 && static_cast<double>(keep.size()) <= kBaseBelow * static_cast<double>(active_.size()))
    active_.shrink_to_base(keep);
}

// Updates the gradients of the base and makes it active. False: it still violates.
template <class T>
bool BlockSolver<T>::base_is_solved() {
  drop_rows();
  columns_.reset();
  const Timer timer(result_.seconds_update);
  active_.return_to_base(context_.cap_bytes / 2, pool_);
  bounds_ = active_.bounds();
  return violation() < options_.tol;
}

template <class T>
void BlockSolver<T>::shrink_if_worth() {
  const auto keep = active_.unshrinkable(bounds_);
  if (keep.size() < 2 || static_cast<double>(keep.size()) > kShrinkBelow * static_cast<double>(active_.size())) return;
  if (read_in_place(keep.size())) return;
  active_.shrink(keep);
}

template void BlockSolver<float>::maybe_shrink();
template void BlockSolver<float>::compact(const std::vector<Index>&);
template bool BlockSolver<float>::certify();
template bool BlockSolver<double>::certify();
template void BlockSolver<float>::shrink_if_worth();
template void BlockSolver<double>::maybe_shrink();
template void BlockSolver<double>::compact(const std::vector<Index>&);
template void BlockSolver<double>::shrink_if_worth();

}  // namespace dcsvm::qp
