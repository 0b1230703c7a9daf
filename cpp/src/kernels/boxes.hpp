// F1: which kernel values of a local rbf kernel need not be computed. Consecutive points of a PointSet are bounded by boxes; a
// row farther from a box than a limit has no value there that counts.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/point_set.hpp"

namespace dcsvm::kernels {

/// How far is too far. `dims`: features in the order in which distances are summed, the widest first.
template <class T>
struct Reach {
  T limit2 = 0;  ///< squared distance; 0: everything counts
  std::vector<Index> dims;
};

/// Points per box: a multiple of the panel width, about 50.
template <class T>
Index box_size();

/// The boxes of points [0, box), [box, 2 box), ... of a dense PointSet.
template <class T>
class Boxes {
 public:
  Boxes() = default;
  Boxes(const PointSet<T>& points, const Reach<T>& reach, base::ThreadPool& pool);
  std::size_t bytes() const { return low_.bytes() + high_.bytes(); }
  static std::size_t bytes_for(Index n, Index d);

 private:
  template <class U>
  friend class NearRows;
  Index d_ = 0;
  base::Buffer<T> low_, high_;  // box x feature
};

/// Rows of a data set, each on its own, ready to be tested and multiplied.
template <class T>
class NearRows {
 public:
  NearRows(const DataView& x, const Index* idx, Index m, const double* shift, const Reach<T>& reach);

  Index size() const { return m_; }
  /// Rows within reach of box b of `boxes`, ascending, into which[0..size()); returns how many. The others have
  /// squared distances above limit2 to all its points.
  Index near(const Boxes<T>& boxes, Index b, std::int32_t* which) const;
  /// out[t][j - begin] = K(row which[t], point j) for t in [0, count), j in [begin, end); begin is a multiple of the panel width.
  void compute(const simd::MapParams<T>& map, const PointSet<T>& points, Index begin, Index end, const std::int32_t* which,
               Index count, T* const* out) const;

 private:
  Index m_, d_;
  T limit2_;
  base::Buffer<T> rows_, norms_;  // m x d
  base::Buffer<T> strips_;        // groups of `lanes` rows, features as in Reach::dims
};

}  // namespace dcsvm::kernels
