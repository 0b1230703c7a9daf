#include "qp/exact_products.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>

#include "base/buffer.hpp"
#include "base/vectors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

namespace {

using kernel_matrix::Columns;
using RowSums = std::vector<base::CompensatedSum>;

constexpr Index kGroup = 16;   // rows that are prepared together
constexpr Index kBlock = 64;   // rows of a symmetric matrix that are taken at a time
// Pairs that are computed once instead of twice, in all pairs of rows and support, from which packing the columns anew pays.
constexpr double kWorthSharing = 0.1;
constexpr std::size_t kColumnSums = std::size_t{1} << 26;  // bytes of sums of columns that wait to be added, within the budget

// Values of a few rows by pieces of columns; far regions are left out.
class Strip {
 public:
  explicit Strip(const Columns<double>& columns)
      : columns_(columns), piece_(columns.region_size() > 0 ? columns.region_size() : columns.grain()), values_(kGroup * piece_) {
    for (Index r = 0; r < kGroup; ++r) at_[r] = values_.data() + r * piece_;
  }

  /// Calls use(begin, stop, near, which, at) for all pieces of columns before `end`: at[t][j - begin] is the value of row
  /// which[t].
  template <class Use>
  void for_pieces(const Index* rows, Index count, Index end, Use&& use) {
    const auto prepared = columns_.prepare(rows, count, base::ThreadPool::serial());
    const bool by_region = columns_.region_size() > 0;
    std::iota(which_.begin(), which_.end(), 0);
    for (Index begin = 0; begin < end; begin += piece_) {
      const Index stop = std::min(end, begin + piece_);
      const Index near = by_region ? prepared->near(begin, which_.data()) : count;
      if (by_region) {
        prepared->compute_some(begin, stop, which_.data(), near, at_.data());
      } else {
        prepared->compute(begin, stop, at_.data());
      }
      use(begin, stop, near, which_.data(), at_.data());
    }
  }

 private:
  const Columns<double>& columns_;
  Index piece_;
  base::Buffer<double> values_;
  std::array<double*, kGroup> at_{};
  std::array<std::int32_t, kGroup> which_{};
};

using Strips = std::vector<std::unique_ptr<Strip>>;
Strip& strip_of(Strips& strips, const Columns<double>& columns, int worker) {
  if (!strips[worker]) strips[worker] = std::make_unique<Strip>(columns);
  return *strips[worker];
}

void add_dot(const double* values, const double* coef, Index n, base::CompensatedSum& sum) {
  simd::ops<double>().dot_with_loss(values, coef, n, &sum.sum, &sum.lost);
}

// sums[at[k]] += the products of rows[k].
void add_products(const Columns<double>& columns, const std::vector<double>& coef, const std::vector<Index>& rows,
                  const std::vector<Index>& at, bool lower, base::ThreadPool& pool, RowSums& sums) {
  const auto m = static_cast<Index>(rows.size()), groups = (m + kGroup - 1) / kGroup;
  columns.expect(rows.data(), m, pool);
  Strips strips(static_cast<std::size_t>(pool.size()));
  pool.for_each(groups, [&](Index task, int worker) {
    const Index first = (groups - 1 - task) * kGroup, count = std::min(kGroup, m - first);  // the longest first
    const Index end = lower ? first + count : columns.size();
    strip_of(strips, columns, worker)
        .for_pieces(rows.data() + first, count, end,
                    [&](Index begin, Index stop, Index near, const std::int32_t* which, double* const* values) {
                      for (Index t = 0; t < near; ++t) {
                        const Index r = first + which[t], last = lower ? std::clamp(r, begin, stop) : stop;
                        add_dot(values[t], coef.data() + begin, last - begin, sums[at[r]]);
                      }
                    });
  });
}

// sums[at[k]] += the products of the k-th column's own variable, rows[k]. Blocks of kBlock rows have their values before the
// diagonal computed; what these give to the columns waits until a number of blocks are done, and is added in their order.
void add_symmetric_products(const Columns<double>& columns, const std::vector<double>& coef, const std::vector<Index>& rows,
                            const std::vector<Index>& at, std::size_t budget, base::ThreadPool& pool, RowSums& sums) {
  const auto m = static_cast<Index>(rows.size()), blocks = (m + kBlock - 1) / kBlock;
  columns.expect(rows.data(), m, pool);
  const std::size_t bytes = std::min(kColumnSums, budget);
  const Index at_once = std::clamp(static_cast<Index>(bytes / (2 * sizeof(double)) / rows.size()), Index{1}, Index{64});
  Strips strips(static_cast<std::size_t>(pool.size()));
  std::vector<std::vector<double>> waiting(static_cast<std::size_t>(at_once));  // of each block, sums and then what they lost
  for (Index from = 0; from < blocks; from += at_once) {
    const Index these = std::min(at_once, blocks - from);
    pool.for_each(these, [&](Index task, int worker) {
      const Index block = from + task, row_end = std::min(m, (block + 1) * kBlock);
      std::vector<double>& to_columns = waiting[task];
      to_columns.assign(2 * static_cast<std::size_t>(row_end), 0.0);
      for (Index first = block * kBlock; first < row_end; first += kGroup) {
        const Index count = std::min(kGroup, row_end - first);
        std::array<double, kGroup> some{};
        strip_of(strips, columns, worker)
            .for_pieces(rows.data() + first, count, first + count,
                        [&](Index begin, Index stop, Index near, const std::int32_t* which, double* const* values) {
                          for (Index t = 0; t < near; ++t) {
                            const Index r = first + which[t], last = std::clamp(r, begin, stop);
                            if (r >= begin && r < stop) sums[at[r]].add(coef[r] * values[t][r - begin]);
                            std::fill(values[t] + (last - begin), values[t] + (stop - begin), 0.0);
                            add_dot(values[t], coef.data() + begin, last - begin, sums[at[r]]);
                            some[t] = coef[r];
                          }
                          simd::ops<double>().accumulate_with_loss(some.data(), values, near, stop - begin,
                                                                   to_columns.data() + begin,
                                                                   to_columns.data() + row_end + begin);
                        });
      }
    });
    pool.for_range(m, 1024, [&](Index begin, Index end, int) {
      for (Index task = 0; task < these; ++task) {
        const auto size = static_cast<Index>(waiting[task].size() / 2);
        for (Index j = begin; j < std::min(end, size); ++j) {
          sums[at[j]].add(waiting[task][j]);
          sums[at[j]].lost += waiting[task][size + j];
        }
      }
    });
  }
}

std::vector<double> values_of(const RowSums& sums) {
  std::vector<double> out(sums.size());
  std::transform(sums.begin(), sums.end(), out.begin(), [](const base::CompensatedSum& s) { return s.value(); });
  return out;
}

std::vector<Index> first_numbers(std::size_t n) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// What a list of rows has in common with a support.
struct Common {
  std::vector<Index> rows, at;  // in the support, and their places in the list
  std::vector<Index> other_rows, other_at;
  std::vector<double> coef, other_coef;  // of `rows`, and of the support's others
  std::vector<Index> other_support;
};

// A point with two coefficients is not among those in common: its row has two columns.
Common common_of(const Support& support, const std::vector<Index>& rows, Index per_point) {
  Common c;
  std::size_t s = 0;
  const auto leave = [&](std::size_t j) {
    c.other_support.push_back(support.idx[j]);
    c.other_coef.push_back(support.coef[j]);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index point = rows[k] - rows[k] % per_point;
    for (; s < support.idx.size() && support.idx[s] < point; ++s) leave(s);
    const std::size_t first = s;
    while (s < support.idx.size() && support.idx[s] < point + per_point) ++s;
    if (s - first == 1) {
      c.rows.push_back(support.idx[first]);
      c.coef.push_back(support.coef[first]);
      c.at.push_back(static_cast<Index>(k));
      continue;
    }
    for (std::size_t j = first; j < s; ++j) leave(j);
    c.other_rows.push_back(rows[k]);
    c.other_at.push_back(static_cast<Index>(k));
  }
  for (; s < support.idx.size(); ++s) leave(s);
  return c;
}

}  // namespace

std::vector<double> exact_products(const Columns<double>& columns, const std::vector<double>& coef,
                                   const std::vector<Index>& rows, bool lower, base::ThreadPool& pool) {
  RowSums sums(rows.size());
  add_products(columns, coef, rows, first_numbers(rows.size()), lower, pool, sums);
  return values_of(sums);
}

std::vector<double> exact_products(const kernel_matrix::RowSource<double>& source, const Support& support,
                                   const std::vector<Index>& rows, std::size_t budget, base::ThreadPool& pool) {
  const Common c = common_of(support, rows, source.variables_per_point());
  const double shared = 0.5 * static_cast<double>(c.rows.size()) * static_cast<double>(c.rows.size());
  if (shared <= kWorthSharing * static_cast<double>(rows.size()) * static_cast<double>(support.idx.size()))
    return exact_products(support.columns, support.coef, rows, false, pool);
  RowSums sums(rows.size());
  const auto columns_of = [&](const std::vector<Index>& idx) {
    return source.columns(idx.data(), static_cast<Index>(idx.size()), budget, pool);
  };
  add_symmetric_products(*columns_of(c.rows), c.coef, c.rows, c.at, budget, pool, sums);
  if (!c.other_support.empty()) add_products(*columns_of(c.other_support), c.other_coef, c.rows, c.at, false, pool, sums);
  add_products(support.columns, support.coef, c.other_rows, c.other_at, false, pool, sums);
  return values_of(sums);
}

}  // namespace dcsvm::qp
