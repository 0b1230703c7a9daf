// Which kernel values of a local rbf kernel need not be computed. A region is the bounding box of some consecutive points of a
// PointSet; when a row is farther from it than a limit, all its kernel values in that region are negligible.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/point_set.hpp"

namespace dcsvm::kernels {

/// From which distance on kernel values are negligible. `dims`: features in the order in which distances are summed, the widest
/// first.
template <class T>
struct Reach {
  T limit2 = 0;  ///< squared distance; 0: no value is negligible
  std::vector<Index> dims;
  bool differences = false;  ///< few features: |x - y|^2 is summed directly, and points are not shifted
};

/// Points per region: a multiple of the panel width, about 50.
template <class T>
Index region_size();

/// The regions of a dense PointSet, region_size() points each. Moves the points of each region so that its centre becomes the
/// origin: |x|^2 + |y|^2 - 2xy of near points loses few digits there (not with Reach::differences). After that kernel_tile must
/// not be used with the PointSet.
template <class T>
class Regions {
 public:
  Regions() = default;
  Regions(PointSet<T>& points, const Reach<T>& reach, base::ThreadPool& pool);
  std::size_t bytes() const {
    return low_.bytes() + high_.bytes() + centre_.bytes() + radius2_.bytes() + wide_.bytes() + n_wide_.bytes();
  }
  static std::size_t bytes_for(Index n, Index d);

 private:
  template <class U>
  friend class NearRows;
  void bound(const PointSet<T>& points, const Reach<T>& reach, Index b);
  void centre(PointSet<T>& points, const Reach<T>& reach, Index b);
  /// Features in which the points of region b differ; around its centre the others are 0.
  simd::StripFeatures features(Index b) const { return {wide_.data() + b * d_, n_wide_.data() + b}; }
  Index d_ = 0, padded_ = 0;
  base::Buffer<T> low_, high_;  // region x feature as in Reach::dims
  base::Buffer<T> centre_;      // region x padded feature
  base::Buffer<std::int32_t> wide_, n_wide_;
  base::Buffer<T> radius2_;     // largest squared distance of a point from its region's centre
};

/// Features rounded up to whole vectors.
template <class T>
Index padded_features(Index d) {
  const Index lanes = simd::ops<T>().lanes;
  return (d + lanes - 1) / lanes * lanes;
}

/// Rows that are tested against regions and multiplied with the points of those that are near.
template <class T>
class NearRows {
 public:
  NearRows(const DataView& x, const Index* idx, Index m, const double* shift, const Reach<T>& reach, base::ThreadPool& pool);

  Index size() const { return m_; }
  /// Rows within reach of region b of `regions`, ascending, into which[0..size()); returns how many. The others have
  /// squared distances above limit2 to all its points.
  Index near(const Regions<T>& regions, Index b, std::int32_t* which) const;
  /// out[t][j - begin] = K(row which[t], point j) for t in [0, count), j in [begin, end) of one region, whose first point is
  /// `begin`. near_below(gamma, r): MapParams::near_below for a region whose points are within squared distance r of its centre.
  void compute(const simd::MapParams<T>& map, T (*near_below)(double, double), const PointSet<T>& points,
               const Regions<T>& regions, Index begin, Index end, const std::int32_t* which, Index count, T* const* out) const;
  /// out[j - begin] += sum_t coef[which[t]] K(row which[t], point j), likewise.
  void add(const simd::MapParams<T>& map, T (*near_below)(double, double), const PointSet<T>& points, const Regions<T>& regions,
           Index begin, Index end, const std::int32_t* which, Index count, const double* coef, double* out) const;

 private:
  static constexpr Index kRows = 16;
  /// Calls fn(rows, norms, from, m) for m of which[from..], shifted to the centre of region b (differences: as they are).
  template <class Fn>
  void each_group(const Regions<T>& regions, Index b, const std::int32_t* which, Index count, Fn&& fn) const;

  simd::MapParams<T> map_of_region(const simd::MapParams<T>& map, T (*near_below)(double, double), const Regions<T>& regions,
                                   Index b) const;

  Index m_, d_, padded_;
  T limit2_;
  bool differences_;
  base::Buffer<T> rows_;    // m x padded
  base::Buffer<T> strips_;        // groups of `lanes` rows, features as in Reach::dims
};

}  // namespace dcsvm::kernels
