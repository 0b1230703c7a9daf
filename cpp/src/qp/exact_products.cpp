#include "qp/exact_products.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "base/buffer.hpp"
#include "base/vectors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

std::vector<double> exact_products(const kernel_matrix::Columns<double>& columns, const std::vector<double>& coef,
                                   const std::vector<Index>& rows, bool lower, base::ThreadPool& pool) {
  constexpr Index kGroup = 16;
  constexpr Index kSummed = 64;  // products that are added up before their sum joins the others, with its rounding
  const auto m = static_cast<Index>(rows.size()), groups = (m + kGroup - 1) / kGroup;
  const Index region = columns.region_size(), piece = region > 0 ? region : columns.grain();
  std::vector<base::CompensatedSum> sums(rows.size());
  std::vector<base::Buffer<double>> scratch(static_cast<std::size_t>(pool.size()));
  pool.for_each(groups, [&](Index task, int worker) {
    auto& own = scratch[worker];
    if (own.size() == 0) own = base::Buffer<double>(kGroup * piece);
    const Index first = (groups - 1 - task) * kGroup, count = std::min(kGroup, m - first);  // the longest first
    const Index end = lower ? first + count : columns.size();
    const auto prepared = columns.prepare(rows.data() + first, count);
    std::array<double*, kGroup> at{};
    std::array<std::int32_t, kGroup> which{};
    for (Index r = 0; r < count; ++r) at[r] = own.data() + r * piece;
    std::iota(which.begin(), which.end(), 0);
    for (Index begin = 0; begin < end; begin += piece) {
      const Index stop = std::min(end, begin + piece);
      const Index near = region > 0 ? prepared->near(begin, which.data()) : count;
      if (region > 0) {
        prepared->compute_some(begin, stop, which.data(), near, at.data());
      } else {
        prepared->compute(begin, stop, at.data());
      }
      for (Index t = 0; t < near; ++t) {
        const Index r = first + which[t], last = lower ? std::clamp(r, begin, stop) : stop;
        for (Index j = begin; j < last; j += kSummed)
          sums[r].add(simd::ops<double>().dot(at[t] + (j - begin), coef.data() + j, std::min(kSummed, last - j)));
      }
    }
  });
  std::vector<double> out(rows.size());
  std::transform(sums.begin(), sums.end(), out.begin(), [](const base::CompensatedSum& s) { return s.value(); });
  return out;
}

}  // namespace dcsvm::qp
