#include "kernel_matrix/kept_rows.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "base/buffer.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {

constexpr Index kGrain = 4096;    // columns per piece, about
constexpr Index kLongRun = 16;  // mean length of runs of consecutive columns from which runs are copied instead of single values

// Rows over all columns, each computed at its first request.
template <class T>
class Store {
 public:
  Store(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes, ThreadPool& pool)
      : stride_((base.size() + 15) / 16 * 16), state_(order.size(), kMissing), slot_(order.size(), 0) {
    const std::size_t row = static_cast<std::size_t>(stride_) * sizeof(T);
    columns_ = base.columns(order.data(), base.size(), bytes / 4, pool);
    const std::size_t left = bytes - std::min(bytes, columns_->bytes());
    capacity_ = std::min(base.size(), static_cast<Index>(left / row));
    values_ = base::Buffer<T>(capacity_ * stride_);
  }
  bool holds_all() const { return capacity_ == static_cast<Index>(state_.size()); }

  // out[r]: row rows[r], null when it is not kept.
  void fetch(const Index* rows, Index m, const T** out, ThreadPool& pool) {
    std::vector<Index> mine;
    mine.reserve(static_cast<std::size_t>(m));  // nothing may throw while rows are busy: others wait for them
    bool busy = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (Index r = 0; r < m; ++r) {
        auto& state = state_[rows[r]];
        if (state == kMissing && used_ < capacity_) {
          slot_[rows[r]] = used_++;
          state = kBusy;
          mine.push_back(rows[r]);
        } else {
          busy = busy || state == kBusy;
        }
      }
    }
    if (!mine.empty()) compute(mine, pool);
    std::unique_lock<std::mutex> lock(mutex_);
    if (busy) {
      ready_.wait(lock, [&] { return std::none_of(rows, rows + m, [&](Index i) { return state_[i] == kBusy; }); });
    }
    for (Index r = 0; r < m; ++r) {
      out[r] = state_[rows[r]] == kReady ? values_.data() + slot_[rows[r]] * stride_ : nullptr;
    }
  }

 private:
  enum State : char { kMissing, kBusy, kReady, kLost };

  void compute(const std::vector<Index>& mine, ThreadPool& pool) {
    const auto settle = [&](State state) {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const Index i : mine) state_[i] = state;
      ready_.notify_all();
    };
    try {
      std::vector<T*> to;
      to.reserve(mine.size());
      for (const Index i : mine) to.push_back(values_.data() + slot_[i] * stride_);
      columns_->block(mine.data(), static_cast<Index>(mine.size()), to.data(), pool);
    } catch (...) {
      settle(kLost);
      throw;
    }
    settle(kReady);
  }

  Index stride_, capacity_ = 0, used_ = 0;
  std::unique_ptr<Columns<T>> columns_;
  base::Buffer<T> values_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<State> state_;
  std::vector<Index> slot_;
};

// Columns [begin, end) are at `from` and the following places of a kept row.
struct Run {
  Index begin, end, from;
};

template <class T>
class KeptColumns final : public Columns<T> {
 public:
  KeptColumns(const RowSource<T>& base, Store<T>& store, const std::vector<std::int32_t>& position, const Index* idx, Index n,
              std::size_t budget, ThreadPool& pool)
      : base_(base), store_(store), budget_(budget), pool_(pool), idx_(idx, idx + n), from_(static_cast<std::size_t>(n)) {
    for (Index j = 0; j < n; ++j) from_[j] = position[idx[j]];
    Index runs = 0;
    for (Index j = 0; j < n; ++j) runs += j == 0 || from_[j] != from_[j - 1] + 1 ? 1 : 0;
    if (runs * kLongRun > n) return;
    for (Index j = 0, begin = 0; j < n; ++j) {
      if (j + 1 < n && from_[j + 1] == from_[j] + 1) continue;
      runs_.push_back({begin, j + 1, from_[begin]});
      begin = j + 1;
    }
  }
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return kGrain / panel_width() * panel_width(); }
  std::size_t bytes() const override {
    return idx_.size() * (sizeof(Index) + sizeof(std::int32_t)) + (rest_ ? rest_->bytes() : 0);
  }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m) const override;

  void copy(const T* row, Index begin, Index end, T* out) const {
    if (runs_.empty()) {
      const std::int32_t* from = from_.data() + begin;
      for (Index j = 0; j < end - begin; ++j) out[j] = row[from[j]];
      return;
    }
    each_run(begin, end, [&](Index j, Index stop, Index from) {
      std::memcpy(out + (j - begin), row + from, static_cast<std::size_t>(stop - j) * sizeof(T));
    });
  }
  // fn(j, stop, from): columns [j, stop) are at `from` and the following places of a kept row.
  template <class Fn>
  void each_run(Index begin, Index end, Fn&& fn) const {
    auto run = std::upper_bound(runs_.begin(), runs_.end(), begin, [](Index j, const Run& r) { return j < r.end; });
    for (Index j = begin; j < end; ++run) {
      const Index stop = std::min(end, run->end);
      fn(j, stop, run->from + (j - run->begin));
      j = stop;
    }
  }

 private:
  template <class U>
  friend class KeptPrepared;
  const RowSource<T>& base_;
  Store<T>& store_;
  std::size_t budget_;
  ThreadPool& pool_;
  std::vector<Index> idx_;
  std::vector<std::int32_t> from_;  // place of each column in a kept row
  std::vector<Run> runs_;  // the same, when they are long
  mutable std::unique_ptr<Columns<T>> rest_;  // for rows that are not kept; null until there is one
};

template <class T>
class KeptPrepared final : public PreparedRows<T> {
 public:
  KeptPrepared(const KeptColumns<T>& columns, const Index* rows, Index m)
      : columns_(columns), kept_(static_cast<std::size_t>(m)) {
    columns.store_.fetch(rows, m, kept_.data(), columns.pool_);
    std::vector<Index> missing;
    for (Index r = 0; r < m; ++r) {
      if (kept_[r] != nullptr) continue;
      missing.push_back(rows[r]);
      at_row_.push_back(r);
    }
    if (missing.empty()) return;
    if (!columns.rest_)
      columns.rest_ = columns.base_.columns(columns.idx_.data(), columns.size(), columns.budget_, columns.pool_);
    rest_ = columns.rest_->prepare(missing.data(), static_cast<Index>(missing.size()));
  }
  void compute(Index begin, Index end, T* const* out) const override {
    for (std::size_t r = 0; r < kept_.size(); ++r) {
      if (kept_[r] != nullptr) columns_.copy(kept_[r], begin, end, out[r]);
    }
    if (!rest_) return;
    std::vector<T*> to;
    to.reserve(at_row_.size());
    for (const Index r : at_row_) to.push_back(out[r]);
    rest_->compute(begin, end, to.data());
  }
  // When all rows are kept they are read in place.
  void add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const override {
    if (rest_ || columns_.runs_.empty()) return PreparedRows<T>::add(begin, end, coef, m, scratch, out);
    columns_.each_run(begin, end, [&](Index j, Index stop, Index from) {
      std::vector<const T*> rows(kept_);
      for (const T*& row : rows) row += from;
      simd::ops<T>().accumulate(coef, rows.data(), m, 0, stop - j, out + (j - begin));
    });
  }

 private:
  const KeptColumns<T>& columns_;
  std::vector<const T*> kept_;
  std::vector<Index> at_row_;
  std::unique_ptr<PreparedRows<T>> rest_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> KeptColumns<T>::prepare(const Index* rows, Index m) const {
  return std::make_unique<KeptPrepared<T>>(*this, rows, m);
}

template <class T>
class KeptRows final : public RowSource<T> {
 public:
  KeptRows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes, ThreadPool& pool)
      : base_(base), position_(order.size()), store_(base, order, bytes, pool) {
    for (std::size_t p = 0; p < order.size(); ++p) position_[order[p]] = static_cast<std::int32_t>(p);
  }
  Index size() const override { return base_.size(); }
  T diagonal(Index i) const override { return base_.diagonal(i); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return std::make_unique<KeptColumns<T>>(base_, store_, position_, idx, n, budget, pool);
  }
  double work_per_value() const override { return store_.holds_all() ? kReadWork : base_.work_per_value(); }
  std::int64_t n_values() const override { return base_.n_values(); }
  Rounding rounding() const override { return base_.rounding(); }
  LinearRows linear_rows() const override { return base_.linear_rows(); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override { return base_.in_double(pool); }

 private:
  const RowSource<T>& base_;
  std::vector<std::int32_t> position_;
  mutable Store<T> store_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_kept_rows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes,
                                             ThreadPool& pool) {
  return std::make_unique<KeptRows<T>>(base, order, bytes, pool);
}

template std::unique_ptr<RowSource<float>> make_kept_rows<float>(const RowSource<float>&, const std::vector<Index>&, std::size_t,
                                                                 ThreadPool&);
template std::unique_ptr<RowSource<double>> make_kept_rows<double>(const RowSource<double>&, const std::vector<Index>&,
                                                                   std::size_t, ThreadPool&);

}  // namespace dcsvm::kernel_matrix
