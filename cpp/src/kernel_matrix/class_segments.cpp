#include "kernel_matrix/class_segments.hpp"

#include <algorithm>
#include <atomic>

#include "base/buffer.hpp"
#include "kernel_matrix/compute_anywhere.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/subset_columns.hpp"

namespace dcsvm::kernel_matrix {

namespace {

constexpr Index kSmall = 4096;  // with fewer columns, reading kept segments saves nothing

}  // namespace

template <class T>
struct ClassSegments<T>::Impl {
  const RowSource<T>& base;
  const std::vector<std::vector<Index>>& members;
  std::size_t budget, used = 0, peak = 0;
  std::vector<base::Buffer<T>> segment;  // by point of the base; empty: not kept

  bool has(Index i) const { return segment[i].size() > 0; }
  // Room for one more segment of n values; an empty buffer when the budget is spent.
  base::Buffer<T> reserve(Index n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    if (used + bytes > budget) return {};
    used += bytes;
    peak = std::max(peak, used);
    return base::Buffer<T>(n);
  }
};

namespace {

// One class's columns of a pair: which of them, and where they start among the pair's columns.
template <class T>
struct Side {
  std::vector<Index> local;  // positions within the class, ascending
  std::unique_ptr<Columns<T>> columns;
  Index offset = 0;
  bool complete = false;     // all points of the class: segments computed here can be kept
  Index size() const { return static_cast<Index>(local.size()); }
};

template <class T>
class PairColumns final : public Columns<T> {
 public:
  using Store = typename ClassSegments<T>::Impl;
  // first_b: how many points class a has.
  PairColumns(Store& store, const std::vector<Index>& pair_idx, Index first_b, const Index* idx, Index n, std::size_t budget,
              ThreadPool& pool)
      : store_(store), pair_idx_(pair_idx), first_b_(first_b) {
    const Index split = std::lower_bound(idx, idx + n, first_b) - idx;
    fill(0, idx, split, 0, first_b, budget, pool);
    fill(1, idx + split, n - split, first_b, static_cast<Index>(pair_idx.size()) - first_b, budget, pool);
    side_[1].offset = split;
  }
  Index size() const override { return side_[0].size() + side_[1].size(); }
  Index grain() const override { return std::max(side_[0].columns->grain(), side_[1].columns->grain()); }
  std::size_t bytes() const override {
    return side_[0].columns->bytes() + side_[1].columns->bytes() + static_cast<std::size_t>(size()) * sizeof(Index);
  }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const override;

 private:
  template <class U>
  friend class PairPrepared;
  void fill(int s, const Index* idx, Index n, Index first, Index class_size, std::size_t budget, ThreadPool& pool) {
    std::vector<Index> base_idx(n);
    side_[s].local.resize(n);
    for (Index j = 0; j < n; ++j) {
      side_[s].local[j] = idx[j] - first;
      base_idx[j] = pair_idx_[idx[j]];
    }
    side_[s].columns = store_.base.columns(base_idx.data(), n, budget / 2, pool);
    side_[s].complete = n == class_size;
  }

  Store& store_;
  const std::vector<Index>& pair_idx_;
  Index first_b_;
  Side<T> side_[2];
};

// Rows of a pair in three kinds: own segment kept, own segment to compute (and perhaps keep), and every row's part in the other
// class.
template <class T>
class PairPrepared final : public PreparedRows<T> {
 public:
  PairPrepared(const PairColumns<T>& columns, const Index* rows, Index m, ThreadPool& pool) : columns_(columns) {
    for (Index r = 0; r < m; ++r) {
      const int own = rows[r] < columns.first_b_ ? 0 : 1;
      const Index id = columns.pair_idx_[rows[r]];
      cross_[1 - own].add(r, id);
      (columns.store_.has(id) ? kept_[own] : fresh_[own]).add(r, id);
    }
    for (int s = 0; s < 2; ++s) {
      cross_[s].prepare(*columns.side_[s].columns, pool);
      fresh_[s].prepare(*columns.side_[s].columns, pool);
      if (!columns.side_[s].complete) continue;
      for (std::size_t r = 0; r < fresh_[s].ids.size(); ++r)
        fresh_[s].keep.push_back(columns.store_.reserve(columns.side_[s].size()));
    }
  }
  // Segments whose every piece was computed join the store.
  ~PairPrepared() override {
    for (int s = 0; s < 2; ++s) {
      const bool done = computed_[s].load() == columns_.side_[s].size();
      for (std::size_t r = 0; r < fresh_[s].keep.size(); ++r) {
        auto& segment = fresh_[s].keep[r];
        if (segment.size() == 0) continue;
        if (done) {
          columns_.store_.segment[fresh_[s].ids[r]] = std::move(segment);
        } else {
          columns_.store_.used -= segment.bytes();
        }
      }
    }
  }
  PairPrepared(const PairPrepared&) = delete;
  PairPrepared& operator=(const PairPrepared&) = delete;

  void compute(Index begin, Index end, T* const* out) const override {
    for (int s = 0; s < 2; ++s) {
      const Index offset = columns_.side_[s].offset;
      const Index from = std::max(begin, offset), to = std::min(end, offset + columns_.side_[s].size());
      if (from < to) compute_side(s, from - offset, to - offset, out, from - begin);
    }
  }

 private:
  struct Group {
    std::vector<Index> at_row, ids;  // position among the rows asked for, point of the base
    std::unique_ptr<PreparedRows<T>> prepared;
    std::vector<base::Buffer<T>> keep;
    void add(Index r, Index id) {
      at_row.push_back(r);
      ids.push_back(id);
    }
    void prepare(const Columns<T>& c, ThreadPool& pool) {
      if (!ids.empty()) prepared = c.prepare(ids.data(), static_cast<Index>(ids.size()), pool);
    }
    void compute(Index begin, Index end, T* const* out, Index shift) const {
      if (!prepared) return;
      std::vector<T*> to(ids.size());
      for (std::size_t r = 0; r < ids.size(); ++r) to[r] = out[at_row[r]] + shift;
      compute_anywhere(*prepared, static_cast<Index>(ids.size()), begin, end, to.data());
    }
  };

  void compute_side(int s, Index begin, Index end, T* const* out, Index shift) const {
    cross_[s].compute(begin, end, out, shift);
    fresh_[s].compute(begin, end, out, shift);
    for (std::size_t r = 0; r < fresh_[s].keep.size(); ++r) {
      if (fresh_[s].keep[r].size() == 0) continue;
      const T* from = out[fresh_[s].at_row[r]] + shift;
      std::copy(from, from + (end - begin), const_cast<T*>(fresh_[s].keep[r].data()) + begin);
    }
    const auto& local = columns_.side_[s].local;
    for (std::size_t r = 0; r < kept_[s].ids.size(); ++r) {
      const T* segment = columns_.store_.segment[kept_[s].ids[r]].data();
      T* to = out[kept_[s].at_row[r]] + shift;
      for (Index j = begin; j < end; ++j) to[j - begin] = segment[local[j]];
    }
    computed_[s].fetch_add(end - begin);
  }

  const PairColumns<T>& columns_;
  Group cross_[2], fresh_[2], kept_[2];
  mutable std::atomic<Index> computed_[2] = {0, 0};
};

template <class T>
std::unique_ptr<PreparedRows<T>> PairColumns<T>::prepare(const Index* rows, Index m, ThreadPool& pool) const {
  return std::make_unique<PairPrepared<T>>(*this, rows, m, pool);
}

template <class T>
class PairRows final : public RowSource<T> {
 public:
  PairRows(typename ClassSegments<T>::Impl& store, int a, int b) : store_(store), idx_(store.members[a]) {
    first_b_ = static_cast<Index>(idx_.size());
    idx_.insert(idx_.end(), store.members[b].begin(), store.members[b].end());
  }
  Index size() const override { return static_cast<Index>(idx_.size()); }
  T diagonal(Index i) const override { return store_.base.diagonal(idx_[i]); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    const bool both = n > 0 && idx[0] < first_b_ && idx[n - 1] >= first_b_;
    if (n >= kSmall && both && std::is_sorted(idx, idx + n)) {
      return std::make_unique<PairColumns<T>>(store_, idx_, first_b_, idx, n, budget, pool);
    }
    return subset_columns(store_.base, idx_, idx, n, budget, pool);
  }
  std::int64_t n_values() const override { return store_.base.n_values(); }
  double negligible() const override { return store_.base.negligible(); }  // columns of one class may offer regions
  double work_per_value() const override { return store_.base.work_per_value(); }
  kernels::Rounding rounding() const override { return store_.base.rounding(); }
  std::uint64_t point_key(Index i) const override { return store_.base.point_key(idx_[i]); }
  LinearRows linear_rows() const override { return store_.base.linear_rows().of(idx_); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override {
    return subset_of(store_.base.in_double(pool), idx_);
  }

 private:
  typename ClassSegments<T>::Impl& store_;
  std::vector<Index> idx_;
  Index first_b_ = 0;
};

}  // namespace

template <class T>
ClassSegments<T>::ClassSegments(const RowSource<T>& base, const std::vector<std::vector<Index>>& members, std::size_t bytes)
    : impl_(new Impl{base, members, bytes, 0, 0, {}}) {
  impl_->segment.resize(base.size());
}
template <class T>
ClassSegments<T>::~ClassSegments() = default;

template <class T>
std::unique_ptr<RowSource<T>> ClassSegments<T>::pair(int a, int b) {
  return std::make_unique<PairRows<T>>(*impl_, a, b);
}
template <class T>
void ClassSegments<T>::drop(int c) {
  for (const Index i : impl_->members[c]) {
    impl_->used -= impl_->segment[i].bytes();
    impl_->segment[i] = {};
  }
}
template <class T>
std::size_t ClassSegments<T>::peak_bytes() const {
  return impl_->peak;
}

template class ClassSegments<float>;
template class ClassSegments<double>;

}  // namespace dcsvm::kernel_matrix
