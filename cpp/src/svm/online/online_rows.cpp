#include "svm/online/online_rows.hpp"

#include <algorithm>
#include <numeric>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::online {

namespace {

constexpr Index kRowsAtOnce = 64;

std::size_t bytes_of_rows(Index n, std::size_t size) { return static_cast<std::size_t>(n + 15) * size; }

}  // namespace

template <class T>
OnlineRows<T>::OnlineRows(const kernel_matrix::RowSource<T>& source, base::Context& context)
    : source_(source),
      pool_(*context.pool),
      n_(source.size()),
      columns_(source.columns(base::index_range(n_).data(), n_, context.cap_bytes / 2, *context.pool)),
      cache_(n_, context.cap_bytes / 4, source.work_per_value()) {
  const std::size_t row = bytes_of_rows(n_, sizeof(T));
  if (context.cap_bytes / 4 < 2 * row)
    throw CapError("cache_size must hold 8 kernel rows of " + std::to_string(n_) + " values: at least " +
                   std::to_string(8 * row / 1048576 + 1) + " MB");
  rows_at_once_ = std::clamp<Index>(static_cast<Index>(context.cap_bytes / 4 / row), 1, kRowsAtOnce);
}

template <class T>
const T* OnlineRows<T>::row(Index i) {
  if (i >= first_ && i < end_) return block_.data() + (i - first_) * n_;
  if (const T* found = cache_.find(i)) return found;
  T* out = cache_.insert(i);
  columns_->block(&i, 1, out, n_, pool_);
  return out;
}

template <class T>
const T* OnlineRows<T>::next_row(Index i) {
  if (i < first_ || i >= end_) {
    if (block_.size() == 0) block_ = base::Buffer<T>(rows_at_once_ * n_);
    first_ = i;
    end_ = std::min(n_, i + rows_at_once_);
    std::vector<Index> rows(end_ - first_);
    std::iota(rows.begin(), rows.end(), first_);
    columns_->block(rows.data(), end_ - first_, block_.data(), n_, pool_);
  }
  return row(i);
}

template class OnlineRows<float>;
template class OnlineRows<double>;

}  // namespace dcsvm::online
