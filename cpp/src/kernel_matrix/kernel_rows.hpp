// Kernel rows computed from data by tiled products and an elementwise map.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/summary.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// The kernel matrix of the rows of x (precomputed: x itself, n x n). Keeps a view: x must outlive it.
/// RBF: the data is shifted by its mean before |x|^2 + |y|^2 - 2xy is formed, which keeps digits for data far from the origin;
/// near points of a local kernel are computed from differences. `negligible` > 0 (rbf, dense form only): Columns of many points
/// offer regions, and values up to it may be left out; worth it when the columns come in data::spatial_order.
template <class T>
std::unique_ptr<RowSource<T>> make_kernel_rows(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool,
                                               double negligible = 0.0);

/// The same for a whole training, which may hold copies of X in `bytes`: a linear kernel offers linear_rows() when their copy
/// fits, and data on a byte grid is kept as bytes when that takes at most a quarter of it.
template <class T>
std::unique_ptr<RowSource<T>> make_summable_rows(const data::Summary& x, const KernelParams& kernel, std::size_t bytes,
                                                 base::ThreadPool& pool);

/// A given n x n kernel matrix. Keeps a view.
template <class T>
std::unique_ptr<RowSource<T>> make_precomputed_rows(const DataView& k);

/// Computes all values of `base` now, each pair of points once, and keeps the n x n: problems over the same points then share
/// every row. The matrix of `base` must be symmetric. Keeps a reference.
template <class T>
std::unique_ptr<RowSource<T>> make_stored_rows(const RowSource<T>& base, base::ThreadPool& pool);

/// Receives K(query which[t], point j) = values[t][j - begin] for t in [0, count), j in [begin, end).
template <class T>
using NearBlock = std::function<void(Index begin, Index end, const std::int32_t* which, Index count, const T* const* values)>;

/// K(queries, points) for a fixed, packed set of points. block() may be called only while region_size() is 0; callers split the
/// queries (about 128 at a time) and the points (about 2048 at a time).
template <class T>
class CrossKernel : public KernelValues<T> {
 public:
  /// Points of a region, of which near_blocks() tells at once whether it is far; 0: no regions.
  virtual Index region_size() const = 0;
  /// When region_size() > 0: calls use() for every region of points with the queries of [first, first + m), numbered from 0, that
  /// have a value above `negligible` in it.
  virtual void near_blocks(const DataView& queries, Index first, Index m, const NearBlock<T>& use) const = 0;
};

/// points: rows idx[0..n) of x (idx null: all n rows). Copies (packs) them. Not for the precomputed kernel (ParameterError).
template <class T>
std::unique_ptr<CrossKernel<T>> make_cross_kernel(const DataView& x, const Index* idx, Index n, const KernelParams& kernel);
/// The same for an rbf kernel and dense x, in an order in which neighbours in the list are neighbours in space: values up to
/// `negligible` > 0 may be left out, where region_size() comes out above 0.
template <class T>
std::unique_ptr<CrossKernel<T>> make_near_kernel(const DataView& x, const Index* idx, Index n, const KernelParams& kernel,
                                                 double negligible, base::ThreadPool& pool);

/// A subset of a row source: point i of the subset is point idx[i] of the base. Keeps references.
template <class T>
std::unique_ptr<RowSource<T>> make_subset(const RowSource<T>& base, std::vector<Index> idx);

/// The same of a source that the subset keeps alive; null for null.
std::shared_ptr<const RowSource<double>> subset_of(std::shared_ptr<const RowSource<double>> base, std::vector<Index> idx);

/// Each point of the base twice: variables 2i and 2i + 1 are point i, whose kernel values are computed once for both. The base
/// leaves nothing out (negligible() == 0). Keeps a reference.
template <class T>
std::unique_ptr<RowSource<T>> make_doubled(const RowSource<T>& base);

}  // namespace dcsvm::kernel_matrix
