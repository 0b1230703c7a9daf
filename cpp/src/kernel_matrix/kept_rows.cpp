#include "kernel_matrix/kept_rows.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/buffer.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {

constexpr double kMostKept = 0.95;  // of the bytes: columns are packed in the rest
constexpr Index kGrain = 4096;    // columns per piece, about
constexpr Index kExpected = 256;  // rows that are computed together
constexpr Index kGap = 8;  // places between two columns that are read along with them: a cache line holds several columns
constexpr Index kLongSpan = 16;  // mean number of columns of a span from which rows are read in place

Index padded(Index columns) { return (columns + 15) / 16 * 16; }

// Rows over all columns, each computed at its first request.
template <class T>
class Store {
 public:
  // packed: of `bytes`, what the columns may take.
  Store(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes, std::size_t packed, ThreadPool& pool)
      : stride_(padded(base.size())), state_(order.size(), kMissing), slot_(order.size(), 0) {
    const std::size_t row = static_cast<std::size_t>(stride_) * sizeof(T);
    columns_ = base.columns(order.data(), base.size(), packed, pool);
    const std::size_t left = bytes - std::min(bytes, columns_->bytes());
    capacity_ = std::min(base.size(), static_cast<Index>(left / row));
    values_ = base::Buffer<T>(capacity_ * stride_);
  }

  // out[r]: row rows[r], null when it is not kept. Without `add` no row is added.
  void fetch(const Index* rows, Index m, bool add, const T** out, ThreadPool& pool) {
    std::vector<Index> mine;
    mine.reserve(static_cast<std::size_t>(m));  // nothing may throw while rows are busy: others wait for them
    bool busy = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (Index r = 0; r < m; ++r) {
        auto& state = state_[rows[r]];
        if (add && state == kMissing && used_ < capacity_) {
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

// Where a column is in a kept row, and in a piece of columns.
struct Place {
  std::int32_t from, to;
};

// Columns of a piece that lie near each other in a kept row: places [first, last) of the piece.
struct Span {
  Index first, last;
  bool together;  // they follow each other without gaps, in the piece too
};

// A piece of columns, in the order in which a kept row has them: memory is read forwards, whatever the order of columns is.
struct Piece {
  std::vector<Place> places;
  std::vector<Span> spans;

  Piece(const std::vector<std::int32_t>& position, const Index* idx, Index n) {
    places.reserve(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) places.push_back({position[idx[j]], static_cast<std::int32_t>(j)});
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.from < b.from; });
    for (Index t = 0; t < n; ++t) {
      const bool near = t > 0 && places[t].from - places[t - 1].from <= kGap;
      if (!near) spans.push_back({t, t, true});
      Span& span = spans.back();
      const Place& start = places[span.first];
      span.last = t + 1;
      span.together = span.together && places[t].from - start.from == t - span.first && places[t].to - start.to == t - span.first;
    }
  }
  bool has_long_spans() const { return static_cast<Index>(spans.size()) * kLongSpan <= static_cast<Index>(places.size()); }
  std::size_t bytes() const { return places.capacity() * sizeof(Place) + spans.capacity() * sizeof(Span); }
};

template <class T>
class KeptColumns final : public Columns<T> {
 public:
  KeptColumns(const RowSource<T>& base, Store<T>& store, bool adds, bool adds_all, const std::vector<std::int32_t>& position,
              const Index* idx, Index n, std::size_t budget, ThreadPool& pool)
      : base_(base),
        store_(store),
        adds_(adds),
        adds_all_(adds_all),
        budget_(budget),
        pool_(pool),
        position_(position),
        idx_(idx, idx + n) {
    for (Index begin = 0; begin < n; begin += grain()) pieces_.emplace_back(position, idx + begin, std::min(n - begin, grain()));
  }
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return kGrain / panel_width() * panel_width(); }
  std::size_t bytes() const override {
    std::size_t held = idx_.size() * sizeof(Index) + (rest_ ? rest_->bytes() : 0);
    for (const Piece& piece : pieces_) held += piece.bytes();
    return held;
  }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const override;
  void expect(const Index* rows, Index m, ThreadPool& pool) const override {
    std::vector<const T*> kept(static_cast<std::size_t>(std::min(m, kExpected)));
    bool all = true;
    for (Index from = 0; from < m; from += kExpected) {
      const Index count = std::min(kExpected, m - from);
      store_.fetch(rows + from, count, adds_, kept.data(), pool);
      all = all && std::none_of(kept.begin(), kept.begin() + count, [](const T* row) { return row == nullptr; });
    }
    if (!all) pack_rest(pool);
  }

  // The piece of columns [begin, end), or null where these are not one.
  const Piece* piece_of(Index begin, Index end) const {
    return begin % grain() == 0 && end == std::min(size(), begin + grain()) ? &pieces_[begin / grain()] : nullptr;
  }
  void copy(const T* row, Index begin, Index end, T* out) const {
    const Piece* piece = piece_of(begin, end);
    if (piece == nullptr) {
      for (Index j = begin; j < end; ++j) out[j - begin] = row[position_[idx_[j]]];
      return;
    }
    for (const Span& span : piece->spans) {
      const Place* places = piece->places.data();
      if (span.together) {
        std::copy_n(row + places[span.first].from, span.last - span.first, out + places[span.first].to);
      } else {
        for (Index t = span.first; t < span.last; ++t) out[places[t].to] = row[places[t].from];
      }
    }
  }

 private:
  template <class U>
  friend class KeptPrepared;
  void pack_rest(ThreadPool& pool) const {
    if (!rest_) rest_ = base_.columns(idx_.data(), size(), budget_, pool);
  }

  const RowSource<T>& base_;
  Store<T>& store_;
  bool adds_;  // rows that are expected
  bool adds_all_;  // and those that are not
  std::size_t budget_;
  ThreadPool& pool_;
  const std::vector<std::int32_t>& position_;
  std::vector<Index> idx_;
  std::vector<Piece> pieces_;
  mutable std::unique_ptr<Columns<T>> rest_;  // for rows that are not kept; null until there is one
};

template <class T>
class KeptPrepared final : public PreparedRows<T> {
 public:
  KeptPrepared(const KeptColumns<T>& columns, const Index* rows, Index m, ThreadPool& pool)
      : columns_(columns), kept_(static_cast<std::size_t>(m)) {
    columns.store_.fetch(rows, m, columns.adds_all_, kept_.data(), columns.pool_);
    std::vector<Index> missing;
    for (Index r = 0; r < m; ++r) {
      if (kept_[r] != nullptr) continue;
      missing.push_back(rows[r]);
      at_row_.push_back(r);
    }
    if (missing.empty()) return;
    columns.pack_rest(columns.pool_);
    rest_ = columns.rest_->prepare(missing.data(), static_cast<Index>(missing.size()), pool);
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
  // When all rows are kept they are read in place, with what lies between the columns of a span.
  void add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const override {
    const Piece* piece = columns_.piece_of(begin, end);
    if (rest_ || piece == nullptr || !piece->has_long_spans()) return PreparedRows<T>::add(begin, end, coef, m, scratch, out);
    std::vector<const T*> rows(kept_.size());
    std::vector<double> sums;
    for (const Span& span : piece->spans) {
      const Place* places = piece->places.data();
      const Place first = places[span.first];
      const Index length = places[span.last - 1].from - first.from + 1;
      for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = kept_[r] + first.from;
      if (span.together) {
        simd::ops<T>().accumulate(coef, rows.data(), m, 0, length, out + first.to);
        continue;
      }
      sums.assign(static_cast<std::size_t>(length), 0.0);
      for (Index t = span.first; t < span.last; ++t) sums[places[t].from - first.from] = out[places[t].to];
      simd::ops<T>().accumulate(coef, rows.data(), m, 0, length, sums.data());
      for (Index t = span.first; t < span.last; ++t) out[places[t].to] = sums[places[t].from - first.from];
    }
  }

 private:
  const KeptColumns<T>& columns_;
  std::vector<const T*> kept_;
  std::vector<Index> at_row_;
  std::unique_ptr<PreparedRows<T>> rest_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> KeptColumns<T>::prepare(const Index* rows, Index m, ThreadPool& pool) const {
  return std::make_unique<KeptPrepared<T>>(*this, rows, m, pool);
}

template <class T>
class KeptRows final : public RowSource<T> {
 public:
  // packed: of `bytes`, what the columns may take. expected: a row is kept only where it was expected over most of the points.
  KeptRows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes, std::size_t packed, bool expected,
           ThreadPool& pool)
      : base_(base), expected_(expected), position_(order.size()), store_(base, order, bytes, packed, pool) {
    for (std::size_t p = 0; p < order.size(); ++p) position_[order[p]] = static_cast<std::int32_t>(p);
  }
  Index size() const override { return base_.size(); }
  T diagonal(Index i) const override { return base_.diagonal(i); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    const bool adds = !expected_ || 2 * n >= size();
    return std::make_unique<KeptColumns<T>>(base_, store_, adds, !expected_, position_, idx, n, budget, pool);
  }
  double work_per_value() const override { return expected_ ? base_.work_per_value() : kReadWork; }
  std::int64_t n_values() const override { return base_.n_values(); }
  kernels::Rounding rounding() const override { return base_.rounding(); }
  std::uint64_t point_key(Index i) const override { return base_.point_key(i); }
  LinearRows linear_rows() const override { return base_.linear_rows(); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override { return base_.in_double(pool); }

  /// Keeps the base alive.
  void hold(std::shared_ptr<const RowSource<T>> base) { held_ = std::move(base); }

 private:
  const RowSource<T>& base_;
  std::shared_ptr<const RowSource<T>> held_;
  bool expected_;
  std::vector<std::int32_t> position_;
  mutable Store<T> store_;
};

// All is the base's but for the twin in double.
template <class T>
class KeptInDouble final : public RowSource<T> {
 public:
  KeptInDouble(const RowSource<T>& base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  Index size() const override { return base_.size(); }
  T diagonal(Index i) const override { return base_.diagonal(i); }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return base_.columns(idx, n, budget, pool);
  }
  LinearRows linear_rows() const override { return base_.linear_rows(); }
  std::size_t bytes() const override { return base_.bytes(); }
  double negligible() const override { return base_.negligible(); }
  double work_per_value() const override { return base_.work_per_value(); }
  Index variables_per_point() const override { return base_.variables_per_point(); }
  std::int64_t n_values() const override { return base_.n_values(); }
  kernels::Rounding rounding() const override { return base_.rounding(); }
  std::uint64_t point_key(Index i) const override { return base_.point_key(i); }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override {
    if (twin_) return twin_;
    auto exact = base_.in_double(pool);
    if (!exact || exact->negligible() > 0) return exact;
    std::vector<Index> order(static_cast<std::size_t>(size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto kept = std::make_shared<KeptRows<double>>(*exact, order, bytes_, bytes_ / 4 * 3, true, pool);
    kept->hold(exact);
    twin_ = kept;
    return twin_;
  }

 private:
  const RowSource<T>& base_;
  std::size_t bytes_;
  mutable std::shared_ptr<const RowSource<double>> twin_;  // null until it is asked for
};

}  // namespace

template <class T>
double kept_matrix_bytes(Index n) {
  return static_cast<double>(n) * static_cast<double>(padded(n)) * sizeof(T);
}

template <class T>
std::unique_ptr<RowSource<T>> make_kept_rows(const RowSource<T>& base, const std::vector<Index>& order, std::size_t bytes,
                                             ThreadPool& pool) {
  const double matrix = kept_matrix_bytes<T>(base.size());
  if (matrix > kMostKept * static_cast<double>(bytes)) return nullptr;
  return std::make_unique<KeptRows<T>>(base, order, bytes, bytes - static_cast<std::size_t>(matrix), false, pool);
}

template <class T>
std::unique_ptr<RowSource<T>> make_kept_in_double(const RowSource<T>& base, std::size_t bytes) {
  return std::make_unique<KeptInDouble<T>>(base, bytes);
}

template double kept_matrix_bytes<float>(Index);
template double kept_matrix_bytes<double>(Index);
template std::unique_ptr<RowSource<float>> make_kept_rows<float>(const RowSource<float>&, const std::vector<Index>&, std::size_t,
                                                                 ThreadPool&);
template std::unique_ptr<RowSource<double>> make_kept_rows<double>(const RowSource<double>&, const std::vector<Index>&,
                                                                   std::size_t, ThreadPool&);
template std::unique_ptr<RowSource<float>> make_kept_in_double<float>(const RowSource<float>&, std::size_t);
template std::unique_ptr<RowSource<double>> make_kept_in_double<double>(const RowSource<double>&, std::size_t);

}  // namespace dcsvm::kernel_matrix
