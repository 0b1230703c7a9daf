#include "kernel_matrix/kernel_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <type_traits>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/plan.hpp"
#include "kernels/kernel_traits.hpp"
#include "kernels/point_set.hpp"
#include "kernels/regions.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using base::ThreadPool;
using kernels::Form;

constexpr Index kSummedTogether = 512; // rows that need no scratch; the more there are, the more similar the rows of a strip
constexpr Index kRegionsFrom = 4096;     // columns: below, testing regions saves little
// Features up to which all distances are from differences, which lose no digits: where they cost no more than products, and in
// float, where near pairs need them anyway. Where clusters are solved most pairs are near: covtype85k (54 features) takes 0.93 of
// the time that it took with differences for near pairs alone.
constexpr Index kRowDifferencesTo = 8;
constexpr Index kNearDifferencesTo = 64;
constexpr double kOfNearRows = 2.5;  // (|x|^2 + |y|^2) / 2 for |y| <= r, |x| <= 2 r, in r^2
constexpr Index kCentreFrom = 256;  // columns, spread evenly, whose mean is taken for the centre of all
constexpr double kLeftOutInDouble = 1e-3;  // of what float leaves out: below the digits that a violation is reported to
constexpr double kByteRowsShare = 0.25;  // of the bytes that a source may hold: the most that rows of bytes may take

template <class T>
struct Shared : Plan<T> {
  DataView x;
  std::unique_ptr<const kernels::ByteRows> byte_rows;  // null: not kept
  mutable std::atomic<std::int64_t> n_values{0};

  kernels::Term term() const { return kernels::term_of(this->map.kind); }
  const double* shift_or_null() const { return this->shift.empty() ? nullptr : this->shift.data(); }
  kernels::OnGrid on_grid() const { return {this->grid, byte_rows.get()}; }
};

template <class T>
class KernelColumns final : public Columns<T> {
 public:
  KernelColumns(const Shared<T>& shared, const Index* idx, Index n, std::size_t budget, ThreadPool& pool)
      : shared_(shared), idx_(idx, idx + n), grain_(kernels::tile_grain<T>(cols_of(shared.x), n)) {
    const auto count = static_cast<double>(n + simd::ops<T>().nr);  // panels are padded
    by_region_ = shared.reach.limit2 > T(0) && n >= kRegionsFrom;
    if (shared.form == Form::bytes) grain_ = kernels::tile_grain<float>(cols_of(shared.x), n);  // whole panels of bytes
    if (by_region_) grain_ = std::max<Index>(1, 256 / kernels::region_size<T>()) * kernels::region_size<T>();
    const double wanted =
        shared.form == Form::dense ? count * (static_cast<double>(cols_of(shared.x)) + 1.0) * sizeof(T) + count * sizeof(Index)
        : shared.form == Form::bytes
            ? kernels::BytePoints::wanted(count, cols_of(shared.x), shared.grid) + count * (sizeof(T) + sizeof(Index))
            : static_cast<double>(data::stored_values(shared.x)) * (sizeof(T) + 4.0) + count * (sizeof(T) + 2.0 * sizeof(Index));
    const double regions = by_region_ ? static_cast<double>(kernels::Regions<T>::bytes_for(n, cols_of(shared.x))) : 0.0;
    held_ = wanted + regions <= static_cast<double>(budget);
    by_region_ = by_region_ && held_;
    if (!by_region_) shift_to_centre(pool);
    if (held_)
      packed_ = kernels::PointSet<T>(shared.x, idx_.data(), 0, n, shared.form, shared.term(), shift(), pool, shared.on_grid());
    if (by_region_) regions_ = kernels::Regions<T>(packed_, shared.reach, pool);
  }
  Index size() const override { return static_cast<Index>(idx_.size()); }
  Index grain() const override { return grain_; }
  Index rows_at_once() const override {
    return by_region_ || shared_.form == Form::sparse ? Columns<T>::rows_at_once() : kSummedTogether;
  }
  Index region_size() const override { return by_region_ ? kernels::region_size<T>() : 0; }
  std::size_t bytes() const override { return packed_.bytes() + regions_.bytes() + idx_.capacity() * sizeof(Index); }
  std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const override;

 private:
  template <class U>
  friend class KernelPrepared;
  template <class U>
  friend class RegionPrepared;
  // Under a local kernel, the centre of these points: points of a cluster are near it and lose fewer digits, so that fewer
  // distances need differences. No value loses more than the plan says for all points (value_rounding.cpp). With |y| <= r for
  // the columns, what is lost grows with |x|^2 + |y|^2 <= 5 r^2 for a row with |x| <= 2 r; a row beyond that is so far from all
  // columns that what it loses is within the rounding of the exponent.
  void shift_to_centre(ThreadPool& pool) {
    map_ = shared_.map;
    if (map_.kind != KernelType::rbf || shared_.form != Form::dense || idx_.empty()) return;
    if (!(map_.near_below > T(0)) || std::isinf(map_.near_below)) return;
    // Any point will do, if the norms from there are those of all columns.
    const Index m = std::min(size(), kCentreFrom);
    std::vector<Index> some(m);
    for (Index k = 0; k < m; ++k) some[k] = idx_[k * size() / m];
    Centre own = centre_of(data::column_moments(shared_.x, some.data(), m, pool));
    const double norm2 = kOfNearRows * largest_shifted_norm2(shared_.x, idx_.data(), size(), own.point, pool);
    const double shorter = std::log(shared_.largest_norm2 / norm2) / static_cast<double>(map_.gamma);
    if (!(shorter > 0)) return;
    map_.near_below = std::max(T(0), static_cast<T>(static_cast<double>(map_.near_below) - shorter));
    shift_ = std::move(own.point);
  }
  const double* shift() const { return shift_.empty() ? shared_.shift_or_null() : shift_.data(); }

  const Shared<T>& shared_;
  simd::MapParams<T> map_ = shared_.map;
  std::vector<double> shift_;  // instead of shared_.shift; empty: that one
  std::vector<Index> idx_;
  Index grain_;
  bool held_ = false;  // false: each piece is packed when it is computed
  bool by_region_ = false;  // near rows are found by regions_
  kernels::PointSet<T> packed_;
  kernels::Regions<T> regions_;
};

template <class T>
class KernelPrepared final : public PreparedRows<T> {
 public:
  KernelPrepared(const KernelColumns<T>& columns, const Index* rows, Index m, ThreadPool& pool)
      : columns_(columns),
        queries_(columns.shared_.x, rows, 0, m, columns.shared_.form, columns.shared_.term(), columns.shift(), pool,
                 columns.shared_.on_grid(), columns.size()) {}

  void compute(Index begin, Index end, T* const* out) const override {
    on_points(begin, end, [&](const kernels::PointSet<T>& points, Index from, Index to) {
      kernels::kernel_tile(columns_.map_, queries_, points, from, to, out);
    });
  }
  void add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const override {
    if (columns_.shared_.form == Form::sparse) return PreparedRows<T>::add(begin, end, coef, m, scratch, out);
    on_points(begin, end, [&](const kernels::PointSet<T>& points, Index from, Index to) {
      kernels::kernel_tile_sum(columns_.map_, queries_, points, from, to, coef, out);
    });
  }

 private:
  // Calls fn(points, first, last) for columns [begin, end), which were packed in the constructor or are packed now.
  template <class Fn>
  void on_points(Index begin, Index end, Fn&& fn) const {
    const auto& shared = columns_.shared_;
    if (columns_.held_) {
      fn(columns_.packed_, begin, end);
    } else {
      fn(kernels::PointSet<T>(shared.x, columns_.idx_.data() + begin, 0, end - begin, shared.form, shared.term(),
                              columns_.shift(), ThreadPool::serial(), shared.on_grid()),
         0, end - begin);
    }
    shared.n_values.fetch_add(queries_.size() * (end - begin), std::memory_order_relaxed);
  }

  const KernelColumns<T>& columns_;
  kernels::QuerySet<T> queries_;
};

template <class T>
class RegionPrepared final : public PreparedRows<T> {
 public:
  RegionPrepared(const KernelColumns<T>& columns, const Index* rows, Index m, ThreadPool& pool)
      : columns_(columns), rows_(columns.shared_.x, rows, m, columns.shared_.shift_or_null(), columns.shared_.reach, pool) {}

  void compute(Index begin, Index end, T* const* out) const override {
    std::vector<std::int32_t> all(rows_.size());
    std::iota(all.begin(), all.end(), 0);
    const Index region = kernels::region_size<T>();
    std::vector<T*> at(out, out + rows_.size());
    for (Index from = begin, to = 0; from < end; from = to) {  // begin may lie inside a region
      to = std::min(end, from - from % region + region);
      for (Index r = 0; r < rows_.size(); ++r) at[r] = out[r] + (from - begin);
      compute_some(from, to, all.data(), rows_.size(), at.data());
    }
  }
  Index near(Index begin, std::int32_t* which) const override {
    return rows_.near(columns_.regions_, begin / kernels::region_size<T>(), which);
  }
  void compute_some(Index begin, Index end, const std::int32_t* which, Index count, T* const* out) const override {
    const auto& shared = columns_.shared_;
    rows_.compute(shared.map, near_below_in_region<T>, columns_.packed_, columns_.regions_, begin, end, which, count, out);
    columns_.shared_.n_values.fetch_add(count * (end - begin), std::memory_order_relaxed);
  }
  void add(Index begin, Index end, const double* coef, Index m, T*, double* out) const override {
    const auto& shared = columns_.shared_;
    const Index region = kernels::region_size<T>();
    std::vector<std::int32_t> which(m);
    for (Index from = begin; from < end; from += region) {
      const Index to = std::min(end, from + region), count = near(from, which.data());
      rows_.add(shared.map, near_below_in_region<T>, columns_.packed_, columns_.regions_, from, to, which.data(), count, coef,
                out + (from - begin));
      shared.n_values.fetch_add(count * (to - from), std::memory_order_relaxed);
    }
  }

 private:
  const KernelColumns<T>& columns_;
  kernels::NearRows<T> rows_;
};

template <class T>
std::unique_ptr<PreparedRows<T>> KernelColumns<T>::prepare(const Index* rows, Index m, ThreadPool& pool) const {
  if (by_region_) return std::make_unique<RegionPrepared<T>>(*this, rows, m, pool);
  return std::make_unique<KernelPrepared<T>>(*this, rows, m, pool);
}

template <class T>
class KernelRows final : public RowSource<T> {
 public:
  KernelRows(const data::Summary& x, const KernelParams& kernel, ThreadPool& pool, double negligible) {
    shared_.x = x;
    summary_ = x;
    kernel_ = kernel;
    static_cast<Plan<T>&>(shared_) = make_plan<T>(x, nullptr, rows_of(x), kernel, negligible, pool);
    const Index d = cols_of(shared_.x);
    const bool near = shared_.map.near_below > T(0), is_float = std::is_same_v<T, float>;
    const bool all = !shared_.shift.empty() && d <= (near && is_float ? kNearDifferencesTo : kRowDifferencesTo);
    const double norm2 = !all ? 0.0
                         : shared_.largest_norm2 > 0
                             ? shared_.largest_norm2
                             : largest_shifted_norm2(shared_.x, nullptr, rows_of(shared_.x), shared_.shift, pool);
    // Where norms overflow, products say so: values are NaN, and the caller is told. Differences would make 0 of them.
    if (all && std::isfinite(norm2)) {
      shared_.map.near_below = std::numeric_limits<T>::infinity();
      // A difference of features is the same without the shift, which rounds both; only float loses more without it.
      if (!is_float) shared_.shift.clear();
    }
    if (shared_.reach.limit2 > T(0)) negligible_ = negligible;
    if (std::is_same_v<T, float>) rounding_ = rounding_of<T>(shared_, x, kernel, pool);
    if (!kernels::is_unit(kernel.type)) fill_diagonal(pool);
  }
  Index size() const override { return rows_of(shared_.x); }
  T diagonal(Index i) const override { return diagonal_.size() == 0 ? T(1) : diagonal_[i]; }
  std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return std::make_unique<KernelColumns<T>>(shared_, idx, n, budget, pool);
  }
  std::int64_t n_values() const override {
    const std::lock_guard<std::mutex> lock(making_);
    return shared_.n_values.load(std::memory_order_relaxed) + (in_double_ ? in_double_->n_values() : 0);
  }
  // Of a twin in double it is seldom asked.
  kernels::Rounding rounding() const override {
    const std::lock_guard<std::mutex> lock(making_);
    if (!rounding_) {
      rounding_ = rounding_of<T>(shared_, summary_, kernel_, ThreadPool::serial());
    }
    return *rounding_;
  }
  // Each is found when it is first asked for; several threads may find the same.
  std::uint64_t point_key(Index i) const override {
    std::call_once(keys_made_, [this] { keys_ = std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(size())); });
    std::uint64_t key = keys_[i].load(std::memory_order_relaxed);
    if (key == 0) keys_[i].store(key = data::key_of_row<T>(shared_.x, i), std::memory_order_relaxed);
    return key;
  }
  LinearRows linear_rows() const override { return linear_; }
  std::size_t bytes() const override { return linear_.bytes() + (shared_.byte_rows ? shared_.byte_rows->bytes() : 0); }
  void offer(LinearRows rows) { linear_ = std::move(rows); }
  /// Keeps byte data as bytes, if that takes a small part of `bytes`.
  void keep_bytes(std::size_t bytes, ThreadPool& pool) {
    const double wanted = kernels::ByteRows::wanted(static_cast<double>(size()), cols_of(shared_.x), shared_.grid);
    if (shared_.form != Form::bytes || wanted > kByteRowsShare * static_cast<double>(bytes)) return;
    shared_.byte_rows = std::make_unique<const kernels::ByteRows>(shared_.x, shared_.grid, pool);
  }
  std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const override {
    if constexpr (std::is_same_v<T, float>) {
      const std::lock_guard<std::mutex> lock(making_);
      if (!in_double_) {
        auto twin = std::make_shared<KernelRows<double>>(summary_, kernel_, pool, kLeftOutInDouble * negligible_);
        twin->offer(linear_);
        in_double_ = std::move(twin);
      }
    }
    return in_double_;
  }
  double negligible() const override { return negligible_; }
  double work_per_value() const override {
    if (shared_.form == Form::bytes) {
      const simd::ByteOps& op = *simd::byte_ops();
      return static_cast<double>(cols_of(shared_.x)) / (shared_.grid.bits ? op.bit_gain : op.gain);
    }
    return static_cast<double>(data::stored_values(shared_.x)) / static_cast<double>(size());
  }

 private:
  void fill_diagonal(ThreadPool& pool) {
    diagonal_ = base::Buffer<T>(size());
    pool.for_range(size(), 1024, [&](Index begin, Index end, int) {
      const kernels::PointSet<T> piece(shared_.x, nullptr, begin, end - begin, shared_.form, shared_.term(), nullptr,
                                       ThreadPool::serial(), shared_.on_grid());
      std::copy(piece.norms(), piece.norms() + (end - begin), diagonal_.data() + begin);
      simd::ops<T>().map_row(shared_.map, T(0), piece.norms(), diagonal_.data() + begin, end - begin);
    });
  }

  Shared<T> shared_;
  data::Summary summary_;  // knows already what a twin in double asks for
  KernelParams kernel_;
  mutable std::mutex making_;  // several solves side by side ask for in_double_
  mutable std::shared_ptr<const RowSource<double>> in_double_;
  double negligible_ = 0.0;
  mutable std::optional<kernels::Rounding> rounding_;
  mutable std::once_flag keys_made_;
  mutable std::vector<std::atomic<std::uint64_t>> keys_;  // by row; 0: not yet known
  base::Buffer<T> diagonal_;  // empty: 1
  LinearRows linear_;  // none, unless they are asked for
};

}  // namespace

template <class T>
std::unique_ptr<RowSource<T>> make_kernel_rows(const data::Summary& x, const KernelParams& kernel, ThreadPool& pool,
                                               double negligible) {
  if (kernel.type == KernelType::precomputed) return make_precomputed_rows<T>(x);
  return std::make_unique<KernelRows<T>>(x, kernel, pool, negligible);
}

template <class T>
std::unique_ptr<RowSource<T>> make_summable_rows(const data::Summary& x, const KernelParams& kernel, std::size_t bytes,
                                                 ThreadPool& pool) {
  if (kernel.type == KernelType::precomputed) return make_precomputed_rows<T>(x);
  auto rows = std::make_unique<KernelRows<T>>(x, kernel, pool, 0.0);
  rows->keep_bytes(bytes, pool);
  if (kernel.type != KernelType::linear) return rows;
  try {
    rows->offer(LinearRows(std::make_shared<const products::Matrix>(x, -1.0, bytes, pool)));
  } catch (const CapError&) {  // kernel rows need less memory
  }
  return rows;
}

template std::unique_ptr<RowSource<float>> make_summable_rows<float>(const data::Summary&, const KernelParams&, std::size_t,
                                                                     ThreadPool&);
template std::unique_ptr<RowSource<double>> make_summable_rows<double>(const data::Summary&, const KernelParams&, std::size_t,
                                                                       ThreadPool&);
template std::unique_ptr<RowSource<float>> make_kernel_rows<float>(const data::Summary&, const KernelParams&, ThreadPool&,
                                                                   double);
template std::unique_ptr<RowSource<double>> make_kernel_rows<double>(const data::Summary&, const KernelParams&, ThreadPool&,
                                                                     double);

}  // namespace dcsvm::kernel_matrix
