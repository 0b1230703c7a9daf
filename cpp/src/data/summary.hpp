// Statistics of X, each computed once, each number computed once.
#pragma once

#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/byte_grid.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::data {

struct Moments {
  std::vector<double> mean, variance;  ///< of each column; the variance is the population's
};
/// Moments of rows idx[0..n), idx null: 0..n-1; the same for any number of threads.
Moments column_moments(const DataView& x, const Index* idx, Index n, base::ThreadPool& pool);

/// A view of the data and what is known about it; copies know the same. Each number is computed when it is first asked for; the
/// memory is read at most three times: by check() (or moments() without it), by variance() and largest_norm2() together, which
/// build on the means, and by byte_grid(). Everything is the same for any number of threads. One thread at a time may ask.
class Summary {
 public:
  Summary() = default;
  Summary(const DataView& x) : x_(x) {}   // NOLINT(google-explicit-constructor): every view has a summary
  Summary(const DenseView& x) : x_(x) {}  // NOLINT(google-explicit-constructor)
  operator const DataView&() const { return x_; }  // NOLINT(google-explicit-constructor)
  const DataView& view() const { return x_; }

  /// check_data(), once. points: the rows are points, not those of a kernel matrix; their sums are formed on the way.
  void check(base::ThreadPool& pool, bool points = true) const;
  /// Of all rows.
  const Moments& moments(base::ThreadPool& pool) const;
  /// Variance of all entries (zeros of CSR included) around their common mean, in two passes, as numpy's X.var().
  double variance(base::ThreadPool& pool) const;
  /// Largest |x_i|^2 over the rows.
  double largest_norm2(base::ThreadPool& pool) const;
  /// Smallest |x_i|^2 above 0; infinite: there is none.
  double smallest_norm2(base::ThreadPool& pool) const;
  /// Largest sum of |x_ik| over a row.
  double largest_sum(base::ThreadPool& pool) const;
  /// Largest |x_i - mean|^2; CSR: largest |x_i|^2, because sparse points are not shifted.
  double largest_centred_norm2(base::ThreadPool& pool) const;
  /// Most values of a row that are not 0.
  Index most_nonzeros(base::ThreadPool& pool) const;
  /// A power of two of which all values are whole multiples, 0: none was found. Values of more than 2^12 times it may or may not
  /// be found to be.
  double unit(base::ThreadPool& pool) const;
  /// find_byte_grid() for all rows.
  const ByteGrid& byte_grid(bool rbf, base::ThreadPool& pool) const;

 private:
  struct Sums;  // of the first pass
  struct Spread {
    double variance, largest_norm2, largest_centred_norm2, smallest_norm2, largest_sum, unit;
    Index most_nonzeros;
  };
  void keep(const Sums& sums) const;
  void read_sums(base::ThreadPool& pool) const;
  const Spread& spread(base::ThreadPool& pool) const;  // of the second pass

  DataView x_;
  mutable bool checked_ = false;
  mutable std::optional<double> mean_;  // of all entries
  mutable std::optional<Moments> moments_;
  mutable std::optional<Spread> spread_;
  mutable std::optional<ByteGrid> grid_[2];  // by rbf
};

}  // namespace dcsvm::data
