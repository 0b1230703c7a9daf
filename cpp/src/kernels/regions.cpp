#include "kernels/regions.hpp"

#include <algorithm>
#include <limits>

namespace dcsvm::kernels {

template <class T>
Index region_size() {
  const Index nr = simd::ops<T>().nr;
  return nr * std::max<Index>(1, 64 / nr);
}

template <class T>
std::size_t Regions<T>::bytes_for(Index n, Index d) {
  const Index region = region_size<T>();
  const auto each = static_cast<std::size_t>(2 * d + padded_features<T>(d) + 1) * sizeof(T) +
                    static_cast<std::size_t>(d + 1) * sizeof(std::int32_t);
  return static_cast<std::size_t>((n + region - 1) / region) * each;
}

template <class T>
Regions<T>::Regions(PointSet<T>& points, const Reach<T>& reach, base::ThreadPool& pool)
    : d_(points.d_), padded_(padded_features<T>(points.d_)) {
  const Index region = region_size<T>(), n_regions = (points.size() + region - 1) / region;
  low_ = base::Buffer<T>(n_regions * d_);
  high_ = base::Buffer<T>(n_regions * d_);
  centre_ = base::Buffer<T>(n_regions * padded_, T(0));
  radius2_ = base::Buffer<T>(n_regions, T(0));
  wide_ = base::Buffer<std::int32_t>(n_regions * d_);
  n_wide_ = base::Buffer<std::int32_t>(n_regions, 0);
  pool.for_range(n_regions, 64, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      bound(points, reach, b);
      if (!reach.differences) centre(points, reach, b);
    }
  });
}

template <class T>
void Regions<T>::bound(const PointSet<T>& points, const Reach<T>& reach, Index b) {
  const Index nr = simd::ops<T>().nr, region = region_size<T>(), first = b * region;
  for (Index t = 0; t < d_; ++t) {
    const Index k = reach.dims[t];
    T low = points.panels_[first * d_ + k * nr], high = low;
    for (Index j = first; j < std::min(points.size(), first + region); ++j) {
      const T v = points.panels_[j / nr * nr * d_ + k * nr + j % nr];
      low = std::min(low, v);
      high = std::max(high, v);
    }
    low_[b * d_ + t] = low;
    high_[b * d_ + t] = high;
  }
}

template <class T>
void Regions<T>::centre(PointSet<T>& points, const Reach<T>& reach, Index b) {
  const Index nr = simd::ops<T>().nr, region = region_size<T>(), first = b * region;
  T* centre = centre_.data() + b * padded_;
  for (Index t = 0; t < d_; ++t) centre[reach.dims[t]] = T(0.5) * (low_[b * d_ + t] + high_[b * d_ + t]);
  std::int32_t* wide = wide_.data() + b * d_;
  for (Index t = 0; t < d_; ++t) {
    if (low_[b * d_ + t] < high_[b * d_ + t]) *wide++ = static_cast<std::int32_t>(reach.dims[t]);
  }
  n_wide_[b] = static_cast<std::int32_t>(wide - (wide_.data() + b * d_));
  std::sort(wide_.data() + b * d_, wide);
  T radius2 = 0;
  for (Index p = first; p < std::min(points.size(), first + region); p += nr) {
    T* panel = points.panels_.data() + p * d_;
    for (Index k = 0; k < d_; ++k) {
      for (Index j = 0; j < nr; ++j) panel[k * nr + j] -= centre[k];
    }
    simd::ops<T>().norms(kernels::Term::product, panel, d_, nr, points.norms_.data() + p);
    for (Index j = p; j < std::min(points.size(), p + nr); ++j) radius2 = std::max(radius2, points.norms_[j]);
  }
  radius2_[b] = radius2;
}

template <class T>
NearRows<T>::NearRows(const DataView& x, const Index* idx, Index m, const double* shift, const Reach<T>& reach,
                      base::ThreadPool& pool)
    : m_(m),
      d_(cols_of(x)),
      padded_(padded_features<T>(d_)),
      limit2_(reach.limit2),
      differences_(reach.differences),
      rows_(m * padded_) {
  const auto& op = simd::ops<T>();
  const Index lanes = op.lanes, groups = (m + lanes - 1) / lanes;
  strips_ = base::Buffer<T>(groups * lanes * d_);
  pool.for_range(m, packed_at_once(lanes, padded_ * static_cast<Index>(sizeof(T))), [&](Index begin, Index end, int) {
    std::fill(rows_.data() + begin * padded_, rows_.data() + end * padded_, T(0));
    data::copy_rows(x, idx + begin, 0, end - begin, rows_.data() + begin * padded_, padded_, shift);
    for (Index r = begin; r < round_up(end, lanes); ++r) {
      const T* row = rows_.data() + std::min(r, m - 1) * padded_;
      T* strip = strips_.data() + r / lanes * lanes * d_ + r % lanes;
      for (Index t = 0; t < d_; ++t) strip[t * lanes] = row[reach.dims[t]];
    }
  });
}

template <class T>
Index NearRows<T>::near(const Regions<T>& regions, Index b, std::int32_t* which) const {
  const auto& op = simd::ops<T>();
  Index count = 0;
  for (Index r = 0; r < m_; r += op.lanes) {
    std::uint32_t lanes =
        op.near_region(strips_.data() + r * d_, regions.low_.data() + b * d_, regions.high_.data() + b * d_, d_, limit2_);
    for (Index row = r; lanes != 0 && row < m_; ++row, lanes >>= 1U) {
      if ((lanes & 1U) != 0) which[count++] = static_cast<std::int32_t>(row);
    }
  }
  return count;
}

template <class T>
template <class Fn>
void NearRows<T>::each_group(const Regions<T>& regions, Index b, const std::int32_t* which, Index count, Fn&& fn) const {
  constexpr Index kLocal = 4096;
  alignas(64) T local[kLocal];
  base::Buffer<T> heap(!differences_ && kRows * padded_ > kLocal ? kRows * padded_ : 0);
  T* shifted = heap.size() > 0 ? heap.data() : local;
  const T* rows[kRows];
  T norms[kRows] = {};
  for (Index from = 0; from < count; from += kRows) {
    const Index m = std::min(kRows, count - from);
    for (Index t = 0; t < m; ++t) {
      rows[t] = differences_ ? rows_.data() + which[from + t] * padded_ : shifted + t * padded_;
      if (differences_) continue;
      norms[t] = simd::ops<T>().shift_row(rows_.data() + which[from + t] * padded_, regions.centre_.data() + b * padded_, padded_,
                                          shifted + t * padded_);
    }
    fn(rows, norms, from, m);
  }
}

template <class T>
simd::MapParams<T> NearRows<T>::map_of_region(const simd::MapParams<T>& map, T (*near_below)(double, double),
                                              const Regions<T>& regions, Index b) const {
  simd::MapParams<T> own = map;
  own.near_below = differences_ ? std::numeric_limits<T>::infinity()
                                : near_below(static_cast<double>(map.gamma), static_cast<double>(regions.radius2_[b]));
  return own;
}

template <class T>
void NearRows<T>::compute(const simd::MapParams<T>& map, T (*near_below)(double, double), const PointSet<T>& points,
                          const Regions<T>& regions, Index begin, Index end, const std::int32_t* which, Index count,
                          T* const* out) const {
  const Index b = begin / region_size<T>();
  const simd::MapParams<T> own = map_of_region(map, near_below, regions, b);
  each_group(regions, b, which, count, [&](const T* const* rows, const T* norms, Index from, Index m) {
    simd::ops<T>().rbf_rows(own, rows, norms, m, regions.features(b), points.panels_.data() + begin * d_,
                            points.norms_.data() + begin, end - begin, d_, out + from);
  });
}

template <class T>
void NearRows<T>::add(const simd::MapParams<T>& map, T (*near_below)(double, double), const PointSet<T>& points,
                      const Regions<T>& regions, Index begin, Index end, const std::int32_t* which, Index count,
                      const double* coef, double* out) const {
  const Index b = begin / region_size<T>();
  const simd::MapParams<T> own = map_of_region(map, near_below, regions, b);
  each_group(regions, b, which, count, [&](const T* const* rows, const T* norms, Index from, Index m) {
    T mine[kRows];
    for (Index t = 0; t < m; ++t) mine[t] = static_cast<T>(coef[which[from + t]]);
    simd::ops<T>().rbf_rows_sum(own, rows, norms, mine, m, regions.features(b), points.panels_.data() + begin * d_,
                                points.norms_.data() + begin, end - begin, d_, out);
  });
}

template Index region_size<float>();
template Index region_size<double>();
template class Regions<float>;
template class Regions<double>;
template class NearRows<float>;
template class NearRows<double>;

}  // namespace dcsvm::kernels
