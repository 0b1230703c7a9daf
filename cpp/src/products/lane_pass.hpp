// Sums over the rows of X that couple the classes of a row: out = sum_i x_i f_i(V'x_i)', V a vector for each class. One read of X
// serves all classes, and their entries lie next to each other ("lanes"). The lines of a pass are the rows of X, or its columns:
// then out = sum_j x_j f_j(V'x_j)' over vectors that have an entry for each row.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/block_sums.hpp"
#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "products/matrix.hpp"
#include "products/pieces.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::products {

/// Passes over the same lines; it keeps their memory from one to the next. Results do not depend on the number of threads.
class LanePass {
 public:
  /// entries: of a line and so of each class's vector. stored: values in all lines.
  LanePass(Index lines, Index entries, Index classes, Index stored)
      : lines_(lines), entries_(entries), width_(lane_width<float>(classes)) {
    const Index blocks = sum_blocks(static_cast<double>(stored), entries, kValuesOfLaneSum);
    per_block_ = std::max<Index>(1, (lines + blocks - 1) / blocks);
    blocks_ = std::max<Index>(1, (lines + per_block_ - 1) / per_block_);
  }

  Index width() const { return width_; }
  Index size() const { return entries_ * width_; }
  /// What a pass in float and one in double take.
  double bytes() const { return static_cast<double>(sizeof(float) + sizeof(double)) * static_cast<double>(blocks_ * size()); }

  /// use(i, z, sum): of line i, replaces z = V'x_i by f(z), adds to the pass's sum, and returns whether f(z) is to be added to
  /// `out`. W: the precision of products and sums. In float, v is brought into its range; false: a result has left it.
  template <class W, class Lines, class Use>
  bool run(const Lines& lines, const double* v, double* out, base::ThreadPool& pool, double& total, const Use& use) {
    const auto [from, scale] = converted<W>(v, pool);
    base::Buffer<W>& sums = sums_of<W>();
    if (sums.size() == 0) sums = base::Buffer<W>(blocks_ * size());
    std::vector<double> own_sum(static_cast<std::size_t>(blocks_), 0.0);
    const W* vectors = from;
    pool.for_range(lines_, per_block_, [&](Index begin, Index end, int) {
      W* own = sums.data() + begin / per_block_ * size();
      std::fill(own, own + size(), W(0));
      own_sum[begin / per_block_] = block(lines, begin, end, vectors, own, use);
    });
    total = 0;
    for (const double s : own_sum) total += s;
    return collect(sums.data(), out, scale, pool);
  }

  /// The sum of term(i, z) over the lines, z = V'x_i.
  template <class Lines, class Term>
  auto sum(const Lines& lines, const double* v, base::ThreadPool& pool, const Term& term) const {
    return base::sum_blocks(lines_, kLinePiece, pool, [&](Index begin, Index end) {
      base::Buffer<double> z(width_);
      decltype(term(Index{}, z.data())) sum{};
      for (Index i = begin; i < end; ++i) {
        dot(lines, i, v, z.data());
        sum += term(i, z.data());
      }
      return sum;
    });
  }

  /// As run, for lines that are not coupled and not added: use(i, z).
  template <class Lines, class Use>
  void visit(const Lines& lines, const double* v, base::ThreadPool& pool, const Use& use) const {
    pool.for_range(lines_, kLinePiece, [&](Index begin, Index end, int) {
      base::Buffer<double> z(width_);
      for (Index i = begin; i < end; ++i) {
        dot(lines, i, v, z.data());
        use(i, z.data());
      }
    });
  }

 private:
  template <class W>
  base::Buffer<W>& sums_of() {
    if constexpr (std::is_same_v<W, float>) {
      return sums32_;
    } else {
      return sums64_;
    }
  }

  /// v in the precision of the pass, and by what its results are to be multiplied.
  template <class W>
  std::pair<const W*, double> converted(const double* v, base::ThreadPool& pool) {
    if constexpr (std::is_same_v<W, double>) {
      return {v, 1.0};
    } else {
      double most = 0;
      for (Index t = 0; t < size(); ++t) most = std::max(most, std::abs(v[t]));
      const double scale = most > 0 ? most : 1.0, inverse = 1.0 / scale;
      if (vectors_.size() == 0) vectors_ = base::Buffer<float>(size());
      pool.for_range(size(), kEntryPiece, [&](Index begin, Index end, int) {
        for (Index t = begin; t < end; ++t) vectors_[t] = static_cast<float>(v[t] * inverse);
      });
      return {vectors_.data(), scale};
    }
  }

  template <class W, class Lines>
  void dot(const Lines& lines, Index i, const W* v, W* z) const {
    std::fill(z, z + width_, W(0));
    lines.pieces(i, [&](const auto* values, const std::int32_t* c, Index n) {
      using T = std::remove_const_t<std::remove_reference_t<decltype(*values)>>;
      if constexpr (std::is_same_v<W, float>) {
        simd::lane_ops<T>().float_dot(values, c, n, v, width_, z);
      } else {
        simd::lane_ops<T>().dot(values, c, n, v, width_, z);
      }
    });
  }

  template <class W, class Lines, class Use>
  double block(const Lines& lines, Index begin, Index end, const W* v, W* to, const Use& use) const {
    base::Buffer<W> z(kTogether * width_);
    Index line[kTogether];
    double sum = 0;
    for (Index i = begin; i < end;) {
      Index number = 0;
      for (; i < end && number < kTogether; ++i) {
        W* own = z.data() + number * width_;
        dot(lines, i, v, own);
        if (use(i, own, sum)) line[number++] = i;
      }
      for (Index t = 0; t < number; ++t) {
        const W* a = z.data() + t * width_;
        lines.pieces(line[t], [&](const auto* values, const std::int32_t* c, Index n) {
          using T = std::remove_const_t<std::remove_reference_t<decltype(*values)>>;
          if constexpr (std::is_same_v<W, float>) {
            simd::lane_ops<T>().float_add(values, c, n, a, to, width_);
          } else {
            simd::lane_ops<T>().add(values, c, n, a, to, width_);
          }
        });
      }
    }
    return sum;
  }

  /// out = scale times the sum of the blocks, in their order. False: an entry is not finite.
  template <class W>
  bool collect(const W* sums, double* out, double scale, base::ThreadPool& pool) const {
    std::vector<char> finite(static_cast<std::size_t>((size() + kEntryPiece - 1) / kEntryPiece), 1);
    pool.for_range(size(), kEntryPiece, [&](Index begin, Index end, int) {
      for (Index t = begin; t < end; ++t) out[t] = static_cast<double>(sums[t]);
      for (Index b = 1; b < blocks_; ++b) {
        for (Index t = begin; t < end; ++t) out[t] += static_cast<double>(sums[b * size() + t]);
      }
      double none = 0;  // stays 0 where all are finite
      for (Index t = begin; t < end; ++t) {
        out[t] *= scale;
        none += 0.0 * out[t];
      }
      finite[begin / kEntryPiece] = none == 0;
    });
    return std::all_of(finite.begin(), finite.end(), [](char f) { return f != 0; });
  }

  Index lines_, entries_, width_, per_block_ = 1, blocks_ = 1;
  base::Buffer<float> vectors_, sums32_;
  base::Buffer<double> sums64_;
};

}  // namespace dcsvm::products
