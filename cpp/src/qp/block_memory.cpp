// What the block solver holds under its byte cap: the tile, packed columns and kernel rows.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "qp/block_solver.hpp"

namespace dcsvm::qp {

namespace {

constexpr Index kLeastWhole = 128;     // where updates go through weights: at least this,
constexpr double kWholePerRoot = 6.0;  // and this times sqrt(n)
constexpr double kLeastShare = 1e-3;   // the least share of the call's cap that a message assumes a solve to have

// Variables of the largest tile for which q (q + 32) values fit.
template <class T>
Index largest_tile(std::size_t bytes) {
  return std::max<Index>(2, static_cast<Index>(std::sqrt(256.0 + static_cast<double>(bytes) / sizeof(T)) - 16.0));
}

template <class T>
std::size_t bytes_of_two_rows(Index n) {
  return 2 * (static_cast<std::size_t>(n) + 16) * sizeof(T);
}

// Whether the tile of a working set of at most `part` variables and two rows of n values fit. columns: bytes of the packed
// columns.
template <class T>
bool holds_two_rows(std::size_t cap, Index part, Index n, std::size_t columns) {
  const std::size_t tile = InnerSmo<T>::bytes_of(std::min(part, largest_tile<T>(cap / 4)));
  return tile + cap / 8 + bytes_of_two_rows<T>(n) + columns <= cap;
}

}  // namespace

// Of the cap a working set's tile gets at most a quarter. A tile of all active variables gets half, since no rows are kept beside
// it, and walks on it an eighth. Packed columns of a tile get an eighth while it is filled.
template <class T>
void BlockSolver<T>::size_tile() {
  const std::size_t cap = context_.cap_bytes;
  whole_limit_ = kWholeTile;
  const bool small =
      linear_ && !is_long();  // an update costs one pass over X, whatever the number of changes: small tiles pay sooner
  if (small) {
    const auto wanted = static_cast<Index>(kWholePerRoot * std::sqrt(static_cast<double>(problem_.n)));
    while (whole_limit_ > kLeastWhole && whole_limit_ / 2 >= wanted) whole_limit_ /= 2;
  }
  whole_limit_ = std::min(whole_limit_, largest_tile<T>(cap / 2));
  part_limit_ = std::min(small ? std::max<Index>(2, whole_limit_ / 2) : most_of_part(), largest_tile<T>(cap / 4));
}

// Allocates what the current active set needs: a whole tile, or columns and a row cache.
template <class T>
void BlockSolver<T>::enter_active_set() {
  const Index n = active_.size();
  work_.clear();
  in_work_.assign(n, 0);
  tile_is_whole_ = false;
  note_peak();
  columns_.reset();
  part_columns_.reset();
  if (whole()) drop_rows();
  make_tile(whole() ? n : part_limit_);
  if (whole() || linear_) return note_peak();
  const std::size_t cap = context_.cap_bytes, fixed = tile_.bytes() + tile_columns_budget();
  const std::size_t two_rows = bytes_of_two_rows<T>(n);
  require_bytes(fixed + two_rows);
  // A cache that outlives shrinking keeps its memory; the columns get the rest.
  const std::size_t cached = cache_ ? cache_->bytes() : region_cache_ ? region_cache_->bytes() : 0;
  const std::size_t budget = cached > 0 ? cap - fixed - cached : (cap - fixed - two_rows) / 2;
  columns_ = source_.columns(active_.idx.data(), n, budget, pool_);
  if (cached > 0 || keeps_no_rows()) return;
  require_bytes(fixed + two_rows + columns_->bytes());
  const std::size_t rest = cap - fixed - columns_->bytes();
  if (columns_->region_size() > 0) {
    region_cache_ = std::make_unique<RegionCache<T>>(n, columns_->region_size(), rest);
  } else {
    cache_ = std::make_unique<RowCache<T>>(n, rest, source_.work_per_value());
  }
}

template <class T>
void BlockSolver<T>::make_tile(Index slots) {
  const auto made = static_cast<Index>(tile_.g.size());
  // Rows are kept beside a working set's tile: it keeps no memory that an earlier solve or a larger tile left.
  if (!whole() && made != slots) tile_ = InnerSmo<T>();
  if (whole() ? made < slots : made != slots) tile_.make_room(slots);
  tile_.allow_walks(whole() ? slots : 0, context_.cap_bytes / 8);  // a working set hardly ever lasts until one pays
  if (whole()) tile_.lay_out(slots);
  tile_size_ = 0;
}

// Throws CapError where the cap is less than `bytes`. The message names a cache_size that is enough until the end of the solve,
// also for rows over all variables and for rows in double; it assumes that this solve keeps its present share of the call's cap.
template <class T>
void BlockSolver<T>::require_bytes(std::size_t bytes) const {
  const std::size_t cap = context_.cap_bytes, of_call = std::max(cap, context_.call_cap_bytes);
  if (bytes <= cap) return;
  const Index n = problem_.n, part = most_of_part();
  const std::size_t columns = source_.columns(base::index_range(n).data(), n, 0, pool_)->bytes();
  const double share = std::max(kLeastShare, static_cast<double>(cap) / static_cast<double>(of_call));
  std::size_t mb = of_call >> 20;
  const auto is_enough = [&](std::size_t own) {
    return holds_two_rows<float>(own, part, n, columns) && holds_two_rows<double>(own, part, n, columns);
  };
  do ++mb;
  while (!is_enough(static_cast<std::size_t>(share * static_cast<double>(mb << 20))));
  throw CapError("cache_size: this solve may use " + std::to_string(cap) + " bytes of it, too few for two kernel rows of " +
                 std::to_string(active_.size()) + " values beside its tile; raise it to at least " + std::to_string(mb) + " MB");
}

template <class T>
void BlockSolver<T>::note_peak() {
  const std::size_t held = tile_.bytes() + (columns_ ? columns_->bytes() : 0) + (cache_ ? cache_->peak_bytes() : 0) +
                           (region_cache_ ? region_cache_->peak_bytes() : 0);
  result_.peak_bytes = std::max(result_.peak_bytes, static_cast<std::int64_t>(held));
}

template void BlockSolver<float>::size_tile();
template void BlockSolver<double>::size_tile();
template void BlockSolver<float>::enter_active_set();
template void BlockSolver<double>::enter_active_set();
template void BlockSolver<float>::note_peak();
template void BlockSolver<double>::note_peak();

}  // namespace dcsvm::qp
