// Collects the distinct values, then tries steps that could explain them.
#include "data/byte_grid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "data/read.hpp"

namespace dcsvm::data {

namespace {

constexpr std::size_t kLevels = 256;

// Byte products cost d / 4 float products; the sparse form costs two per non-zero and a gather. Measured crossover, d from 16 to
// 784 and 2 to 25 % of non-zeros: docs/developers/performance.md. Products of bits cost `cheaper` times less.
bool too_sparse(const DataView& x, double cheaper) {
  if (!std::holds_alternative<CsrView>(x)) return false;
  const double per_row = static_cast<double>(stored_values(x)) / static_cast<double>(rows_of(x));
  return static_cast<double>(cols_of(x)) > cheaper * (140.0 + 8.0 * per_row);
}
// Under AMX only products of bytes became faster. The crossover was measured with AVX512-VNNI, so no larger gain counts here.
double bits_cheaper() {
  constexpr double kMeasuredGain = 4.0;
  return simd::has_bit_ops() ? simd::byte_ops()->bit_gain / std::min(simd::byte_ops()->gain, kMeasuredGain) : 1.0;
}

// Up to kLevels distinct numbers, by open addressing in a hash table.
class Distinct {
 public:
  // False: more than kLevels.
  bool add(double v) {
    v += 0.0;  // -0 becomes 0
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    if (bits == last_ && !values.empty()) return true;
    last_ = bits;
    for (std::uint64_t slot = (bits * 0x9E3779B97F4A7C15U) >> 53;; slot = (slot + 1) % kSlots) {
      if (!used_[slot]) {
        if (values.size() == kLevels) return false;
        used_[slot] = true;
        bits_[slot] = bits;
        values.push_back(v);
        return true;
      }
      if (bits_[slot] == bits) return true;
    }
  }
  std::vector<double> values;

 private:
  static constexpr std::size_t kSlots = 2048;  // the hash's top 11 bits
  std::uint64_t last_ = 0;
  std::uint64_t bits_[kSlots];
  bool used_[kSlots] = {};
};

// The distinct values of the rows, ascending; nothing when there are too many or one is not finite.
std::optional<std::vector<double>> levels_of(const DataView& x, const Index* idx, Index n, base::ThreadPool& pool) {
  constexpr Index kPiece = 256;
  const auto* csr = std::get_if<CsrView>(&x);
  const Index d = cols_of(x);
  std::vector<Distinct> found(pool.size());
  std::atomic<bool> too_many{false};
  pool.for_range(n, kPiece, [&](Index begin, Index end, int worker) {
    Distinct& mine = found[worker];
    std::vector<double> row(csr != nullptr ? 0 : d);
    for (Index r = begin; r < end && !too_many.load(std::memory_order_relaxed); ++r) {
      const Index i = idx != nullptr ? idx[r] : r;
      bool fits = true;
      if (csr != nullptr) {
        for (Index t = row_begin(*csr, i), last = row_begin(*csr, i + 1); t < last && fits; ++t) {
          fits = mine.add(value_at(*csr, t));
        }
      } else {
        copy_rows(x, nullptr, i, 1, row.data(), d);
        for (Index k = 0; k < d && fits; ++k) fits = mine.add(row[k]);
      }
      if (!fits) too_many.store(true, std::memory_order_relaxed);
    }
  });
  if (too_many.load()) return std::nullopt;
  Distinct all;
  if (csr != nullptr) all.add(0.0);
  for (const Distinct& part : found) {
    for (const double v : part.values) {
      if (!std::isfinite(v) || !all.add(v)) return std::nullopt;
    }
  }
  std::sort(all.values.begin(), all.values.end());
  return std::move(all.values);
}

bool are_bits(const std::vector<std::uint8_t>& u) {
  return simd::has_bit_ops() && std::all_of(u.begin(), u.end(), [](std::uint8_t level) { return level <= 1; });
}

ByteGrid grid_of(const std::vector<double>& levels, double offset) {
  constexpr double kSmallest = 1e-12, kLargest = 1e12;  // step^2 is far inside float's range
  const double top = levels.back() - offset;
  std::vector<std::uint8_t> u(levels.size());
  const auto on = [&](double step, bool exact) {
    ByteGrid grid{offset, step, exact};
    const bool holds = step > kSmallest && step < kLargest &&
                       simd::byte_ops()->quantize(grid, levels.data(), static_cast<Index>(levels.size()), u.data());
    grid.bits = are_bits(u);
    return holds ? grid : ByteGrid{};
  };
  const auto try_step = [&](double step) {
    const ByteGrid grid = on(step, true);
    return grid.step > 0 ? grid : on(step, false);
  };
  if (levels.size() <= 2 && top > 0 && simd::has_bit_ops()) {
    if (const ByteGrid grid = try_step(top); grid.step > 0) return grid;
  }
  // A few rows may not have all levels: try common steps first, so that other rows of the same data fit too.
  for (const double step : {1.0, 1.0 / 255, 2.0 / 255}) {
    if (const ByteGrid grid = try_step(step); grid.step > 0) return grid;
  }
  for (int k = 1; k <= 255; ++k) {
    if (const ByteGrid grid = try_step(top / k); grid.step > 0) return grid;
  }
  return {};
}

// A grid of these levels; an offset only when `shifted`.
ByteGrid best_grid(const std::vector<double>& levels, bool shifted) {
  if (levels.empty()) return {};
  if (levels.front() >= 0) {
    const ByteGrid grid = grid_of(levels, 0.0);
    if (grid.step > 0) return grid;
  }
  return shifted ? grid_of(levels, levels.front()) : ByteGrid{};
}

// Whether all rows are on the grid; whether they are bits.
bool holds_all(ByteGrid& grid, const DataView& x, const Index* idx, Index n, base::ThreadPool& pool) {
  constexpr Index kPiece = 256;
  const Index d = cols_of(x);
  std::atomic<bool> all{true}, bits{true};
  pool.for_range(n, kPiece, [&](Index begin, Index end, int) {
    std::vector<double> row(d);
    std::vector<std::uint8_t> levels(d);
    for (Index r = begin; r < end && all.load(std::memory_order_relaxed); ++r) {
      copy_rows(x, nullptr, idx != nullptr ? idx[r] : r, 1, row.data(), d);
      if (!simd::byte_ops()->quantize(grid, row.data(), d, levels.data())) all.store(false, std::memory_order_relaxed);
      if (!are_bits(levels)) bits.store(false, std::memory_order_relaxed);
    }
  });
  grid.bits = bits.load();
  return all.load();
}

ByteGrid grid_of_rows(const DataView& x, const Index* idx, Index n, bool shifted, base::ThreadPool& pool) {
  constexpr Index kSample = 256;
  // A few rows usually suffice to see that there is no grid, or to find the one that fits all rows.
  if (n > kSample) {
    std::vector<Index> some(kSample);
    for (Index s = 0; s < kSample; ++s) some[s] = idx != nullptr ? idx[s * n / kSample] : s * n / kSample;
    const auto levels = levels_of(x, some.data(), kSample, pool);
    if (!levels) return {};
    ByteGrid grid = best_grid(*levels, shifted);
    if (grid.step > 0 && holds_all(grid, x, idx, n, pool)) return grid;
    if (grid.exact) {
      grid.exact = false;
      if (holds_all(grid, x, idx, n, pool)) return grid;
    }
  }
  const auto levels = levels_of(x, idx, n, pool);
  return levels ? best_grid(*levels, shifted) : ByteGrid{};
}

}  // namespace

ByteGrid find_byte_grid(const DataView& x, const Index* idx, Index n, bool rbf, base::ThreadPool& pool) {
  if (simd::byte_ops() == nullptr || n == 0 || cols_of(x) == 0 || cols_of(x) > simd::kByteFeatures) return {};
  if (too_sparse(x, bits_cheaper())) return {};
  const ByteGrid grid = grid_of_rows(x, idx, n, rbf && std::holds_alternative<DenseView>(x), pool);
  return grid.bits || !too_sparse(x, 1.0) ? grid : ByteGrid{};
}

bool has_few_levels(const DataView& x, base::ThreadPool& pool) { return levels_of(x, nullptr, rows_of(x), pool).has_value(); }

}  // namespace dcsvm::data
