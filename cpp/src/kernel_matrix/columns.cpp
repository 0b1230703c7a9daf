#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {
constexpr Index kRowsAtOnce = 64;     // rows of a product whose tile (rows x grain) stays in L2
constexpr Index kPanelsAtOnce = 8;    // and its columns, in panels
constexpr Index kRowsOfPass = 1024;   // over the columns; a multiple of any passing()

// Several vectors of coefficients, packed for simd::Ops::product_add: kRowsAtOnce rows at a time.
template <class T>
class PackedCoefficients {
 public:
  PackedCoefficients(const std::vector<const double*>& coef, Index m)
      : count_(static_cast<Index>(coef.size())), strips_((count_ + mr() - 1) / mr()) {
    const Index padded = (m + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce;
    values_ = base::Buffer<T>(strips_ * mr() * padded, T(0));
    for (Index c = 0; c < count_; ++c) {
      for (Index r = 0; r < m; ++r) {
        const Index from = r / kRowsAtOnce * kRowsAtOnce, depth = std::min(kRowsAtOnce, m - from);
        values_[from * strips_ * mr() + c / mr() * mr() * depth + (r - from) * mr() + c % mr()] = static_cast<T>(coef[c][r]);
      }
    }
  }
  Index count() const { return count_; }
  /// Those of the rows from `first` on, a multiple of kRowsAtOnce.
  const T* from(Index first) const { return values_.data() + first * strips_ * mr(); }

 private:
  static Index mr() { return simd::ops<T>().mr; }
  Index count_, strips_;
  base::Buffer<T> values_;
};

// What one thread needs to add up a piece of columns: kernel values, the same in panels, and sums over some rows. Few columns at
// a time, so that all of it stays near the core.
template <class T>
class SumPiece {
 public:
  explicit SumPiece(Index count)
      : count_(count), tile_(kRowsAtOnce * width()), panels_(kRowsAtOnce * width()), sums_(count * width()) {}
  // out[c][j] += sum_r coef[c][r] K(row r, begin + j) over the m rows of `rows`, in T, and in double with what is there.
  void add(const PreparedRows<T>& rows, Index m, const T* coef, Index begin, Index end, const std::vector<double*>& out) {
    for (Index from = begin; from < end; from += width()) add_some(rows, m, coef, from, std::min(end, from + width()), out);
  }

 private:
  static Index width() { return kPanelsAtOnce * simd::ops<T>().nr; }
  void add_some(const PreparedRows<T>& rows, Index m, const T* coef, Index begin, Index end, const std::vector<double*>& out) {
    const auto& op = simd::ops<T>();
    const Index n = end - begin;
    std::array<T*, kRowsAtOnce> tile{};
    for (Index r = 0; r < m; ++r) tile[r] = tile_.data() + r * n;
    rows.compute(begin, end, tile.data());
    for (Index j = 0; j < n; j += op.nr) {
      const Index width = std::min(op.nr, n - j);
      T* to = panels_.data() + j * m;
      for (Index r = 0; r < m; ++r, to += op.nr) std::copy_n(tile[r] + j, width, to);
    }
    std::vector<T*> sums;
    sums.reserve(count_);
    for (Index c = 0; c < count_; ++c) sums.push_back(sums_.data() + c * n);
    std::fill(sums_.data(), sums_.data() + count_ * n, T(0));
    op.product_add(coef, count_, panels_.data(), n, m, sums.data());
    for (Index c = 0; c < count_; ++c) {
      double* to = out[c] + begin;
      for (Index j = 0; j < n; ++j) to[j] += static_cast<double>(sums[c][j]);
    }
  }

  Index count_;
  base::Buffer<T> tile_, panels_, sums_;
};

}  // namespace

template <class T>
void PreparedRows<T>::add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[r] = scratch + r * (end - begin);
  compute(begin, end, at.data());
  simd::ops<T>().accumulate(coef, at.data(), m, 0, end - begin, out);
}
template <class T>
Index PreparedRows<T>::near(Index, std::int32_t*) const {
  return 0;  // never asked: box() is 0
}
template <class T>
void PreparedRows<T>::compute_some(Index, Index, const std::int32_t*, Index, T* const*) const {}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* out, Index ld, ThreadPool& pool) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[r] = out + r * ld;
  block(rows, m, at.data(), pool);
}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* const* out, ThreadPool& pool) const {
  if (m == 0) return;
  const auto prepared = prepare(rows, m);
  pool.for_range(size(), grain(), [&](Index begin, Index end, int) {
    std::vector<T*> at(static_cast<std::size_t>(m));
    for (Index r = 0; r < m; ++r) at[r] = out[r] + begin;
    prepared->compute(begin, end, at.data());
  });
}

namespace {

// use(make()'s state of this thread, up to `group` rows, their first one's place, how many, begin, end) for all rows and columns.
template <class T, class Make, class Use>
void each_group(const Columns<T>& columns, const Index* rows, Index m, Index group, ThreadPool& pool, Make&& make, Use&& use) {
  std::vector<std::optional<decltype(make())>> states(static_cast<std::size_t>(pool.size()));
  for (Index first = 0; first < m; first += kRowsOfPass) {
    std::vector<std::unique_ptr<PreparedRows<T>>> prepared;
    for (Index from = first; from < std::min(m, first + kRowsOfPass); from += group) {
      prepared.push_back(columns.prepare(rows + from, std::min(group, m - from)));
    }
    pool.for_range(columns.size(), columns.grain(), [&](Index begin, Index end, int worker) {
      auto& state = states[worker];
      if (!state) state.emplace(make());
      for (std::size_t g = 0; g < prepared.size(); ++g) {
        const Index from = first + static_cast<Index>(g) * group;
        use(*state, *prepared[g], from, std::min(group, m - from), begin, end);
      }
    });
  }
}

}  // namespace

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  const Index group = passing();
  each_group(
      *this, rows, m, group, pool, [&] { return base::Buffer<T>(group * grain()); },
      [&](base::Buffer<T>& scratch, const PreparedRows<T>& some, Index from, Index count, Index begin, Index end) {
        some.add(begin, end, coef + from, count, scratch.data(), out + begin);
      });
}

template <class T>
void Columns<T>::multiply_many(const Index* rows, Index m, const std::vector<const double*>& coef,
                               const std::vector<double*>& out, ThreadPool& pool) const {
  if (m == 0 || coef.empty()) return;
  const PackedCoefficients<T> packed(coef, m);
  each_group(
      *this, rows, m, kRowsAtOnce, pool, [&] { return SumPiece<T>(packed.count()); },
      [&](SumPiece<T>& piece, const PreparedRows<T>& some, Index from, Index count, Index begin, Index end) {
        piece.add(some, count, packed.from(from), begin, end, out);
      });
}

template class PreparedRows<float>;
template class PreparedRows<double>;
template class Columns<float>;
template class Columns<double>;

}  // namespace dcsvm::kernel_matrix
