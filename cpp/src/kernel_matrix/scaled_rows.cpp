#include "kernel_matrix/scaled_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "data/byte_grid.hpp"
#include "data/read.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/point_set.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using base::Buffer;
using base::ThreadPool;

constexpr double kRoundings = 0x1.0p-22;  // four of float
constexpr int kLast = 255;
constexpr double kSmallest = 1e-15, kLargest = 1e15;  // products stay far inside float's range

/// What x_i'x_j needs of each row, in x_i = shift + scale u_i.
struct Grids {
  explicit Grids(Index n) : shift(n), scale(n), sum(n), moved(n) {}
  Buffer<float> shift, scale;
  Buffer<float> sum;    ///< scale times the sum of u
  Buffer<float> moved;  ///< that, and d times shift: the inner product with a row of ones
};

/// The step of a row's grid, and its values counted in steps from the lowest into u; 0 for a constant row, -1 when there is none.
double step_of(const std::vector<double>& row, double low, double high, float* u) {
  const double range = high - low, largest = std::max(std::abs(low), std::abs(high));
  if (!(largest < kLargest)) return -1.0;
  if (!(range > kSmallest)) {
    std::fill_n(u, row.size(), 0.0F);
    return range == 0.0 ? 0.0 : -1.0;
  }
  for (int k = kLast; k >= 1; --k) {  // most images have white in them
    const double step = range / k, inverse = k / range;
    const auto level = [&](double v) { return (static_cast<int>(2 * (v - low) * inverse) + 1) / 2; };  // rounded
    const bool fits = std::all_of(row.begin(), row.end(),
                                  [&](double v) { return std::abs(low + level(v) * step - v) <= kRoundings * largest; });
    if (!fits) continue;
    std::transform(row.begin(), row.end(), u, [&](double v) { return static_cast<float>(level(v)); });
    return step;
  }
  return -1.0;
}

/// False: row i is on no grid. `row` is room for its values.
bool read_row(const DataView& x, Index i, std::vector<double>& row, float* u, Grids& grids) {
  const Index d = cols_of(x);
  data::copy_rows(x, nullptr, i, 1, row.data(), d);
  const auto [low, high] = std::minmax_element(row.begin(), row.end());
  const double step = step_of(row, *low, *high, u);
  if (step < 0.0) return false;
  double sum = 0.0;
  for (Index k = 0; k < d; ++k) sum += static_cast<double>(u[k]);
  grids.shift[i] = static_cast<float>(*low);
  grids.scale[i] = static_cast<float>(step);
  grids.sum[i] = static_cast<float>(step * sum);
  grids.moved[i] = static_cast<float>(step * sum + static_cast<double>(d) * *low);
  return true;
}

class ScaledColumns final : public Columns<float> {
 public:
  /// held: bytes of the source that serve these columns.
  ScaledColumns(const Grids& grids, const simd::MapParams<float>& map, std::unique_ptr<Columns<float>> base, const Index* idx,
                Index n, std::size_t held)
      : grids_(grids), map_(map), base_(std::move(base)), own_(n), held_(held) {
    for (Index j = 0; j < n; ++j) {
      own_.shift[j] = grids.shift[idx[j]];
      own_.scale[j] = grids.scale[idx[j]];
      own_.moved[j] = grids.moved[idx[j]];
    }
  }
  Index size() const override { return base_->size(); }
  Index grain() const override { return base_->grain(); }
  std::size_t bytes() const override { return base_->bytes() + held_ + 4 * own_.shift.bytes(); }
  std::unique_ptr<PreparedRows<float>> prepare(const Index* rows, Index m) const override {
    return std::make_unique<Prepared>(*this, rows, m);
  }

 private:
  class Prepared final : public PreparedRows<float> {
   public:
    Prepared(const ScaledColumns& columns, const Index* rows, Index m)
        : columns_(columns), rows_(rows, rows + m), base_(columns.base_->prepare(rows, m)) {}
    void compute(Index begin, Index end, float* const* out) const override {
      base_->compute(begin, end, out);
      const Grids& grids = columns_.grids_;
      const float* shift = columns_.own_.shift.data() + begin;
      const float* scale = columns_.own_.scale.data() + begin;
      const float* moved = columns_.own_.moved.data() + begin;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const float a = grids.shift[rows_[r]], s = grids.scale[rows_[r]], sum = grids.sum[rows_[r]];
        float* inner = out[r];
        for (Index j = 0; j < end - begin; ++j) inner[j] = s * scale[j] * inner[j] + (a * moved[j] + sum * shift[j]);
        simd::ops<float>().map_row(columns_.map_, 0.0F, moved, inner, end - begin);
      }
    }

   private:
    const ScaledColumns& columns_;
    std::vector<Index> rows_;
    std::unique_ptr<PreparedRows<float>> base_;
  };

  const Grids& grids_;
  simd::MapParams<float> map_;
  std::unique_ptr<Columns<float>> base_;
  Grids own_;  // of these columns
  std::size_t held_;
};

class ScaledRows final : public RowSource<float> {
 public:
  ScaledRows(Buffer<float> u, Index d, Grids grids, const KernelParams& kernel, ThreadPool& pool)
      : u_(std::move(u)), grids_(std::move(grids)), map_(kernels::map_params<float>(kernel)) {
    KernelParams linear;
    linear.type = KernelType::linear;
    base_ = make_kernel_rows<float>(DenseView{u_.data(), ScalarType::float32, grids_.shift.size(), d, d, 1}, linear, pool);
  }
  Index size() const override { return base_->size(); }
  float diagonal(Index i) const override {
    const float s = grids_.scale[i], a = grids_.shift[i];
    float inner = s * s * base_->diagonal(i) + (a * grids_.moved[i] + grids_.sum[i] * a);
    simd::ops<float>().map_row(map_, 0.0F, &grids_.moved[i], &inner, 1);
    return inner;
  }
  std::unique_ptr<Columns<float>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const override {
    return std::make_unique<ScaledColumns>(grids_, map_, base_->columns(idx, n, budget, pool), idx, n, u_.bytes());
  }
  double work_per_value() const override { return base_->work_per_value(); }
  std::int64_t n_values() const override { return base_->n_values(); }

 private:
  Buffer<float> u_;
  Grids grids_;
  simd::MapParams<float> map_;
  std::unique_ptr<RowSource<float>> base_;
};

}  // namespace

std::unique_ptr<RowSource<float>> make_scaled_rows(const DataView& x, const KernelParams& kernel, ThreadPool& pool) {
  const Index n = rows_of(x), d = cols_of(x);
  if (simd::byte_ops() == nullptr || n == 0 || d == 0 || d > simd::kByteFeatures || std::holds_alternative<CsrView>(x))
    return nullptr;
  if (kernel.type == KernelType::rbf || kernel.type == KernelType::precomputed) return nullptr;
  if (data::find_byte_grid(x, nullptr, n, false, pool).step > 0) return nullptr;
  Grids grids(n);
  std::vector<double> first(d);
  std::vector<float> ignored(d);
  if (!read_row(x, 0, first, ignored.data(), grids)) return nullptr;  // before there is room for all
  Buffer<float> u(n * d);
  std::atomic<bool> all{true};
  pool.for_range(n, 64, [&](Index begin, Index end, int) {
    std::vector<double> row(d);
    for (Index i = begin; i < end && all.load(std::memory_order_relaxed); ++i) {
      if (!read_row(x, i, row, u.data() + i * d, grids)) all.store(false, std::memory_order_relaxed);
    }
  });
  if (!all.load()) return nullptr;
  return std::make_unique<ScaledRows>(std::move(u), d, std::move(grids), kernel, pool);
}

}  // namespace dcsvm::kernel_matrix
