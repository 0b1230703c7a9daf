// X by columns, for solvers that change one weight at a time. Made once for all classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "products/matrix.hpp"
#include "products/pieces.hpp"

namespace dcsvm::products {

class Columns {
  /// Calls fn(values, rows, number of them) for a column; pointers to the types that this matrix holds.
  template <class Fn>
  auto with_column(Index j, const Fn& fn) const {
    const Index at = begin_[j], n = begin_[j + 1] - at;
    if (rows16_.data() != nullptr) {
      return values32_.data() != nullptr ? fn(values32_.data() + at, rows16_.data() + at, n)
                                         : fn(values64_.data() + at, rows16_.data() + at, n);
    }
    return values32_.data() != nullptr ? fn(values32_.data() + at, rows32_.data() + at, n)
                                       : fn(values64_.data() + at, rows32_.data() + at, n);
  }

 public:
  struct Centre {
    Index column;
    double mean;
  };
  /// centred: features without zeros that are far from 0 less their means. Throws CapError when the copy and what x holds already
  /// take more than cap_bytes.
  Columns(const Matrix& x, std::size_t cap_bytes, base::ThreadPool& pool, bool centred = false);
  /// What was subtracted, columns ascending.
  const std::vector<Centre>& centres() const { return centres_; }
  double centre(Index j) const {
    const auto at = std::lower_bound(centres_.begin(), centres_.end(), j, [](const Centre& c, Index k) { return c.column < k; });
    return at != centres_.end() && at->column == j ? at->mean : 0.0;
  }

  std::size_t bytes() const {
    return values32_.bytes() + values64_.bytes() + rows16_.bytes() + rows32_.bytes() + begin_.size() * sizeof(Index);
  }
  Index stored() const { return begin_.back(); }
  /// visit(row, value), rows ascending.
  template <class Visit>
  void each(Index j, const Visit& visit) const {
    with_column(j, [&](const auto* v, const auto* r, Index n) {
      for (Index t = 0; t < n; ++t) visit(static_cast<Index>(r[t]), static_cast<double>(v[t]));
    });
  }
  /// Calls visit(values, rows, count) for the values of a column, a piece of it at a time; rows are 32-bit numbers.
  template <class Visit>
  void pieces(Index j, const Visit& visit) const {
    with_column(j, [&](const auto* v, const auto* r, Index n) {
      if constexpr (sizeof(*r) == sizeof(std::int32_t)) {
        visit(v, r, n);
      } else {
        std::int32_t piece[kOnStack];
        for (Index t = 0; t < n; t += kOnStack) {
          const Index m = std::min(kOnStack, n - t);
          for (Index k = 0; k < m; ++k) piece[k] = static_cast<std::int32_t>(r[t + k]);
          visit(v + t, static_cast<const std::int32_t*>(piece), m);
        }
      }
    });
  }
  /// d'x_j over the rows.
  double dot(Index j, const double* d) const {
    return with_column(j, [&](const auto* v, const auto* r, Index n) { return sparse_dot(v, r, n, d); });
  }
  /// Two numbers of a row, adjacent in memory because sums() reads both.
  struct Pair {
    double first, second;
  };
  /// Sums over the rows of x_ij first_i and x_ij^2 second_i.
  Pair sums(Index j, const Pair* d) const {
    return with_column(j, [&](const auto* v, const auto* r, Index n) {
      Pair sum[kSums] = {};
      const auto add = [&](Index t, Pair& to) {
        const double x = static_cast<double>(v[t]);
        const Pair& at = d[r[t]];
        to.first += x * at.first;
        to.second += x * x * at.second;
      };
      Index t = 0;
      for (; t + kSums <= n; t += kSums) {
        for (Index k = 0; k < kSums; ++k) add(t + k, sum[k]);
      }
      for (; t < n; ++t) add(t, sum[0]);
      return Pair{(sum[0].first + sum[1].first) + (sum[2].first + sum[3].first),
                  (sum[0].second + sum[1].second) + (sum[2].second + sum[3].second)};
    });
  }
  /// Loads the beginning of a column; processors fetch the rest of a long one by themselves.
  void prefetch_begin(Index j) const {
    with_column(j, [&](const auto* v, const auto* r, Index) {
      __builtin_prefetch(v);
      __builtin_prefetch(r);
    });
  }

 private:
  void find_centres(const Matrix& x, base::ThreadPool& pool);
  template <class T, class Row>
  void fill(const Matrix& x, base::Buffer<T>& values, base::Buffer<Row>& rows, base::ThreadPool& pool);

  std::vector<Index> begin_;
  std::vector<Centre> centres_;
  base::Buffer<float> values32_;  // one of the two, as in the matrix
  base::Buffer<double> values64_;
  base::Buffer<std::uint16_t> rows16_;  // one of the two
  base::Buffer<std::int32_t> rows32_;
};

}  // namespace dcsvm::products
