#include "kernels/split_points.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "data/read.hpp"
#include "kernels/strip_plan.hpp"

namespace dcsvm::kernels {

namespace {

using simd::kSplitBlock;
using simd::kSplitFeatures;
using simd::kSplitParts;
using simd::kSplitWords;

Index groups(Index n, Index size) { return (n + size - 1) / size; }

// The bits of the bf16 number next to a finite x; of two, the even one.
std::uint32_t to_bf16(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
}
float from_bf16(std::uint32_t bits) {
  bits <<= 16;
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Words of a point's blocks, in each block those of high, of middle and of low, filled up with zeros; returns its norm.
float split_row(const float* x, Index d, std::uint32_t* words) {
  std::fill(words, words + groups(d, kSplitFeatures) * kSplitBlock, 0U);
  double norm = 0;
  for (Index k = 0; k < d; ++k) {
    norm += static_cast<double>(x[k]) * static_cast<double>(x[k]);
    std::uint32_t* to = words + k / kSplitFeatures * kSplitBlock + k % kSplitFeatures / 2;
    float rest = x[k];
    for (Index part = 0; part < kSplitParts; ++part, to += kSplitWords) {
      const std::uint32_t bits = to_bf16(rest);
      *to |= bits << (k % 2 * 16);
      rest -= from_bf16(bits);
    }
  }
  return static_cast<float>(norm);
}

// Calls use(j, words) for rows j in [begin, end), whose norms it writes.
template <class Use>
void split_rows(const DataView& x, const Index* idx, Index first, Index begin, Index end, const double* shift, float* norms,
                Use&& use) {
  const Index d = cols_of(x);
  std::vector<float> row(static_cast<std::size_t>(d));
  std::vector<std::uint32_t> words(static_cast<std::size_t>(groups(d, kSplitFeatures) * kSplitBlock));
  for (Index j = begin; j < end; ++j) {
    data::copy_rows(x, idx != nullptr ? idx + j : nullptr, first + j, 1, row.data(), d, shift);
    norms[j] = split_row(row.data(), d, words.data());
    use(j, words.data());
  }
}

}  // namespace

SplitPoints::SplitPoints(const SplitOps& of, const DataView& x, const Index* idx, Index first, Index n, const double* shift,
                         base::ThreadPool& pool)
    : ops(&of), blocks(groups(cols_of(x), kSplitFeatures)) {
  const Index width = of.nr, padded = groups(n, width) * width, length = blocks * kSplitBlock;
  panels = base::Buffer<std::uint32_t>(padded * length);
  norms = base::Buffer<float>(padded);
  pool.for_range(n, packed_at_once(width, length * static_cast<Index>(sizeof(panels[0]))), [&](Index begin, Index end, int) {
    const auto put = [&](Index j, const std::uint32_t* words) {
      std::uint32_t* const to = panels.data() + j / width * width * length + j % width;
      for (Index w = 0; w < length; ++w) to[w * width] = words[w];
    };
    split_rows(x, idx, first, begin, end, shift, norms.data(), put);
    if (end < n) return;
    const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(length), 0U);
    for (Index j = n; j < padded; ++j) {  // the last panel's free columns
      put(j, zeros.data());
      norms[j] = 0.0F;
    }
  });
}

double SplitPoints::wanted(double n, Index d) {
  return n * (static_cast<double>(groups(d, kSplitFeatures) * kSplitBlock) + 1.0) * sizeof(float);
}

SplitQueries::SplitQueries(const SplitOps& ops, const DataView& x, const Index* idx, Index first, Index count,
                           const double* shift, base::ThreadPool& pool)
    : m(count) {
  const Index width = ops.mr, length = groups(cols_of(x), kSplitFeatures) * kSplitBlock, padded = groups(m, width) * width;
  strips = base::Buffer<std::uint32_t>(padded * length, 0U);
  norms = base::Buffer<float>(padded, 0.0F);
  pool.for_range(m, packed_at_once(width, length * static_cast<Index>(sizeof(strips[0]))), [&](Index begin, Index end, int) {
    split_rows(x, idx, first, begin, end, shift, norms.data(), [&](Index r, const std::uint32_t* words) {
      std::uint32_t* const strip = strips.data() + r / width * width * length;
      for (Index part = 0; part < length / kSplitWords; ++part)
        std::copy_n(words + part * kSplitWords, kSplitWords, strip + (part * width + r % width) * kSplitWords);
    });
  });
}

void split_tile(const simd::MapParams<float>& map, const SplitQueries& queries, const SplitPoints& points, Index begin, Index end,
                float* const* out) {
  points.ops->tile(map, queries.view(), points.panels.data() + begin * points.blocks * kSplitBlock, points.norms.data() + begin,
                   end - begin, points.blocks, out);
}

void split_tile_sum(const simd::MapParams<float>& map, const SplitQueries& queries, const SplitPoints& points, Index begin,
                    Index end, const float* coef, double* out) {
  points.ops->tile_sum(map, queries.view(), coef, points.panels.data() + begin * points.blocks * kSplitBlock,
                       points.norms.data() + begin, end - begin, points.blocks, out);
}

}  // namespace dcsvm::kernels
