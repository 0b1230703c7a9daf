// Points packed for tiles. A PointSet is the columns of a kernel block, a QuerySet its rows; kernel_tile multiplies them
// and applies the kernel's map. Dense points are interleaved (panels, strips); sparse points keep their non-zeros and meet rows
// that are expanded 4 vectors wide, so the cost is per non-zero. Float sets of points on a byte grid are multiplied exactly, as
// integers (byte_points.hpp).
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "data/read.hpp"
#include "dcsvm/kernel_params.hpp"
#include "kernels/byte_points.hpp"
#include "kernels/sparse_groups.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernels {

/// How points are packed for tiles. bytes: only for data on a byte grid (data/byte_grid.hpp).
enum class Form { dense, sparse, bytes };
/// dense or sparse; sparse is faster below about a quarter of non-zeros, and is taken when expanded rows would be too wide.
Form choose_form(const DataView& x);
/// Columns up to which sparse data may be packed as dense points, where the digits of distances ask for it.
constexpr Index kExpandedFeatures = 512;

template <class T>
simd::MapParams<T> map_params(const KernelParams& kernel);

template <class T>
class QuerySet;
template <class T>
class Regions;
template <class T>
class NearRows;

template <class T>
class PointSet {
 public:
  PointSet() = default;
  /// Packs rows idx[0..n) of x (idx null: first, first + 1, ...), shifted (dense form only), for kernels of `term`. on: of the
  /// bytes form (float only).
  PointSet(const DataView& x, const Index* idx, Index first, Index n, Form form, kernels::Term term, const double* shift,
           base::ThreadPool& pool, const OnGrid& on = {});

  Index size() const { return n_; }
  std::size_t bytes() const;
  /// K(x, x) of every point before the map, as a tile would have it.
  const T* norms() const { return norms_.data(); }
  const BytePoints& byte_points() const { return bytes_; }

 private:
  template <class U>
  friend void kernel_tile(const simd::MapParams<U>&, const QuerySet<U>&, const PointSet<U>&, Index, Index, U* const*);
  template <class U>
  friend void kernel_tile_sum(const simd::MapParams<U>&, const QuerySet<U>&, const PointSet<U>&, Index, Index, const double*,
                              double*);
  friend class Regions<T>;
  friend class NearRows<T>;

  Form form_ = Form::dense;
  Index n_ = 0, d_ = 0;
  base::Buffer<T> panels_;
  base::Buffer<T> norms_;
  data::SparseRows<T> sparse_;
  BytePoints bytes_;
};

template <class T>
class QuerySet {
 public:
  /// columns: points that the queries meet, roughly; 0: sums are added up in the order of the queries.
  QuerySet(const DataView& x, const Index* idx, Index first, Index m, Form form, kernels::Term term, const double* shift,
           base::ThreadPool& pool, const OnGrid& on = {}, Index columns = 0);

  Index size() const { return m_; }
  /// Dense form: norm of query r (|x|^2), as a tile uses it; infinite where it overflows (rbf values from differences hide that).
  T norm(Index r) const { return norms_[plan_.slot(r)]; }
  /// bytes: queries that are not on the grid, ascending; their kernel values are not valid.
  const std::vector<Index>& off_grid() const { return bytes_.off_grid; }

 private:
  template <class U>
  friend void kernel_tile(const simd::MapParams<U>&, const QuerySet<U>&, const PointSet<U>&, Index, Index, U* const*);
  template <class U>
  friend void kernel_tile_sum(const simd::MapParams<U>&, const QuerySet<U>&, const PointSet<U>&, Index, Index, const double*,
                              double*);

  Form form_;
  Index m_;
  simd::Strips<T> strips() const { return {strips_.data(), norms_.data(), m_, plan_.features()}; }
  const StripPlan& plan() const { return form_ == Form::bytes ? bytes_.plan : plan_; }

  StripPlan plan_;          ///< dense
  base::Buffer<T> strips_;  ///< dense: strips of mr, by slot
  base::Buffer<T> norms_;
  SparseGroups<T> sparse_;
  ByteQueries bytes_;
};

/// out[r][j - begin] = K(query r, point j) for all queries and j in [begin, end); begin is a multiple of tile_grain.
template <class T>
void kernel_tile(const simd::MapParams<T>& map, const QuerySet<T>& queries, const PointSet<T>& points, Index begin, Index end,
                 T* const* out);

/// out[j - begin] += sum_r coef[r] K(query r, point j), nothing kept. Not for the sparse form.
template <class T>
void kernel_tile_sum(const simd::MapParams<T>& map, const QuerySet<T>& queries, const PointSet<T>& points, Index begin, Index end,
                     const double* coef, double* out);

/// Columns per piece of work: a multiple of the panel width whose panels stay in L2.
template <class T>
Index tile_grain(Index d, Index n);

}  // namespace dcsvm::kernels
