// The solver's view of the kernel matrix. K is unsigned; labels never come here. T is the precision of kernel values.
//
// Kernel values are kept in five places:
// - stored rows (make_stored_rows): the whole matrix, computed at once, for problems over the same points;
// - kept rows (kept_rows.hpp): whole rows, each computed when a solve first asks for it, for solves over the same points that
//   run at the same time: folds, C values;
// - class segments (class_segments.hpp): of each row only the columns of its own class, for the one-vs-one pairs of that class;
// - RowCache (qp/row_cache.hpp): rows over the active columns of one solve, the least recently used leaves first;
// - RegionCache (qp/region_cache.hpp): the same where most values are negligible, so a row keeps only some regions of columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "kernel_functions/rounding.hpp"
#include "kernel_matrix/linear_rows.hpp"

namespace dcsvm::kernel_matrix {

using base::ThreadPool;

/// Columns that are computed together, whatever T is: a panel of bytes, which also values in double may be formed from, is as
/// wide as one of floats, and one of doubles is a part of it.
inline Index panel_width() { return simd::ops<float>().nr; }

/// Some rows, prepared for products with some Columns.
template <class T>
class PreparedRows {
 public:
  virtual ~PreparedRows() = default;
  /// out[r][j - begin] = K(row r, column j) for j in [begin, end); begin is a multiple of panel_width(), or of grain(), or
  /// of region_size(). Runs on the calling thread; several threads may compute different pieces at once.
  virtual void compute(Index begin, Index end, T* const* out) const = 0;
  /// out[j - begin] += sum_r coef[r] K(row r, column j) over all m rows: products used once. begin as for compute(), with
  /// region_size() > 0 a multiple of it. scratch: room for m x (end - begin) values. With region_size() > 0 values up to
  /// RowSource::negligible() are left out.
  virtual void add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const;
  /// When Columns::region_size() > 0 and begin is a multiple of it: the rows that have a value above RowSource::negligible() in
  /// the region that starts at column `begin`, ascending, into which[0..m); returns how many.
  virtual Index near(Index begin, std::int32_t* which) const;
  /// compute() for rows which[0..count) in that order: out[t][j - begin], [begin, end) within one region.
  virtual void compute_some(Index begin, Index end, const std::int32_t* which, Index count, T* const* out) const;
};

/// K restricted to a fixed list of columns of a RowSource. Safe to use from several threads at once, each with its own pool.
template <class T>
class Columns {
 public:
  virtual ~Columns() = default;
  virtual Index size() const = 0;
  /// Columns per piece of work: a multiple of region_size().
  virtual Index grain() const = 0;
  /// Columns of a region: PreparedRows::near() tests a region at once for values that count. 0: no regions, all values are
  /// computed.
  virtual Index region_size() const { return 0; }
  /// How many rows are best prepared together for PreparedRows::add(): a piece of them stays in L2, where add() uses its scratch.
  virtual Index rows_at_once() const { return 64; }
  /// These rows will be prepared next, by any threads: what is better done for all of them at once is done now. May be left out.
  /// On one thread at a time, which `pool` belongs to.
  virtual void expect(const Index* rows, Index m, ThreadPool& pool) const;
  /// Prepares m rows (indices into the source); costs memory for m points.
  virtual std::unique_ptr<PreparedRows<T>> prepare(const Index* rows, Index m, ThreadPool& pool) const = 0;
  /// Bytes that this object holds.
  virtual std::size_t bytes() const = 0;

  /// out[r * ld + j] = K(rows[r], column j) for r in [0, m), j in [0, size()). ld >= size().
  void block(const Index* rows, Index m, T* out, Index ld, ThreadPool& pool) const;
  /// The same to scattered destinations: out[r][j].
  void block(const Index* rows, Index m, T* const* out, ThreadPool& pool) const;
  /// out[j] += sum_r coef[r] K(rows[r], column j), summed in double; nothing of size m x size() is ever held. With region_size()
  /// > 0 values up to RowSource::negligible() are left out.
  void multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const;
};

/// RowSource::work_per_value() of rows that are in memory already and are only read.
constexpr double kReadWork = 1.0;
/// Up to this work per value nothing is kept: recomputing a value costs less than keeping it.
constexpr double kRecomputeWork = 8.0;
/// From this work per value on, rows that several problems share are kept; below it, recomputing a value is cheaper than touching
/// new memory (measured at 22 features).
constexpr double kShareWork = 64.0;

/// The kernel matrix of n points, by blocks of rows over chosen columns.
template <class T>
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index size() const = 0;
  /// K(i, i) exactly as a block would give it.
  virtual T diagonal(Index i) const = 0;
  /// Prepares columns idx[0..n). `budget`: bytes it may hold; with too few it packs tile by tile, which is slower.
  virtual std::unique_ptr<Columns<T>> columns(const Index* idx, Index n, std::size_t budget, ThreadPool& pool) const = 0;
  /// The rows of X when K = X X' and sums over rows of K are best formed through weights; else none.
  virtual LinearRows linear_rows() const { return {}; }
  /// Bytes of the copies of X that it keeps as long as it lives.
  virtual std::size_t bytes() const { return 0; }
  /// Where the whole matrix is in memory: out[r][j] = K(rows[r], idx[j]) for r in [0, m) and j in [0, n). False: it is not.
  virtual bool read(const Index* rows, Index m, const Index* idx, Index n, T* const* out) const {
    static_cast<void>(rows), static_cast<void>(m), static_cast<void>(idx), static_cast<void>(n), static_cast<void>(out);
    return false;
  }
  /// out[j] += sum_r coef[r] K(rows[r], idx[j]) for j in [0, n): through weights, else with columns of `budget` bytes.
  void multiply(const Index* idx, Index n, const Index* rows, const double* coef, Index m, double* out, std::size_t budget,
                ThreadPool& pool) const;
  /// Values that a caller may leave out (Columns::region_size() > 0) are at most this.
  virtual double negligible() const { return 0.0; }
  /// Multiply-adds per kernel value, roughly.
  virtual double work_per_value() const { return 32.0; }
  /// How many variables, one after another, each point of X stands for: their rows are equal.
  virtual Index variables_per_point() const { return 1; }
  /// A number that rows with equal values, in T, share, and others do not. By default, and of given matrices, no two are the
  /// same.
  virtual std::uint64_t point_key(Index i) const { return static_cast<std::uint64_t>(i); }
  /// Kernel values computed so far.
  virtual std::int64_t n_values() const = 0;
  /// How far values of T are from the exact ones. By default those of a given positive semidefinite matrix.
  virtual kernels::Rounding rounding() const {
    double largest = 0;
    for (Index i = 0; i < size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(diagonal(i))));
    return kernels::rounding_of_given<T>(largest);
  }
  /// The same matrix with values computed in double, by which certificates are judged (qp/verify.hpp). It leaves out less: its
  /// negligible() is a small part of this one's. Made when it is first asked for; must not outlive this source. Null when values
  /// are double already.
  virtual std::shared_ptr<const RowSource<double>> in_double(ThreadPool& pool) const {
    static_cast<void>(pool);
    return nullptr;
  }
};

}  // namespace dcsvm::kernel_matrix
