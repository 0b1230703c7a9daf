#include "qp/exact_products.hpp"

#include <algorithm>
#include <array>

#include "base/buffer.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

std::vector<double> exact_products(const kernel_matrix::Columns<double>& columns, const std::vector<double>& coef,
                                   const std::vector<Index>& rows, bool lower, base::ThreadPool& pool) {
  constexpr Index kGroup = 16;
  const auto m = static_cast<Index>(rows.size()), groups = (m + kGroup - 1) / kGroup;
  const Index piece = columns.grain();
  std::vector<double> out(rows.size(), 0.0);
  std::vector<base::Buffer<double>> scratch(static_cast<std::size_t>(pool.size()));
  pool.for_each(groups, [&](Index task, int worker) {
    auto& own = scratch[worker];
    if (own.size() == 0) own = base::Buffer<double>(kGroup * piece);
    const Index first = (groups - 1 - task) * kGroup, count = std::min(kGroup, m - first);  // the longest first
    const Index end = lower ? first + count : columns.size();
    const auto prepared = columns.prepare(rows.data() + first, count);
    std::array<double*, kGroup> at{};
    for (Index r = 0; r < count; ++r) at[r] = own.data() + r * piece;
    for (Index begin = 0; begin < end; begin += piece) {
      const Index stop = std::min(end, begin + piece);
      prepared->compute(begin, stop, at.data());
      for (Index r = 0; r < count; ++r) {
        const Index last = lower ? std::clamp(first + r, begin, stop) : stop;
        out[first + r] += simd::ops<double>().dot(at[r], coef.data() + begin, last - begin);
      }
    }
  });
  return out;
}

}  // namespace dcsvm::qp
