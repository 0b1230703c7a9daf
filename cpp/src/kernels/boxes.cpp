#include "kernels/boxes.hpp"

#include <algorithm>

namespace dcsvm::kernels {

template <class T>
Index box_size() {
  const Index nr = simd::ops<T>().nr;
  return nr * std::max<Index>(1, 64 / nr);
}

template <class T>
std::size_t Boxes<T>::bytes_for(Index n, Index d) {
  const Index box = box_size<T>();
  return static_cast<std::size_t>((n + box - 1) / box * d * 2) * sizeof(T);
}

template <class T>
Boxes<T>::Boxes(const PointSet<T>& points, const Reach<T>& reach, base::ThreadPool& pool) : d_(points.d_) {
  const Index nr = simd::ops<T>().nr, box = box_size<T>(), n = points.size(), n_boxes = (n + box - 1) / box;
  low_ = base::Buffer<T>(n_boxes * d_);
  high_ = base::Buffer<T>(n_boxes * d_);
  pool.for_range(n_boxes, 64, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      for (Index t = 0; t < d_; ++t) {
        const Index k = reach.dims[static_cast<std::size_t>(t)], first = b * box;
        T low = points.panels_[first * d_ + k * nr], high = low;
        for (Index j = first; j < std::min(n, first + box); ++j) {
          const T v = points.panels_[j / nr * nr * d_ + k * nr + j % nr];
          low = std::min(low, v);
          high = std::max(high, v);
        }
        low_[b * d_ + t] = low;
        high_[b * d_ + t] = high;
      }
    }
  });
}

template <class T>
NearRows<T>::NearRows(const DataView& x, const Index* idx, Index m, const double* shift, const Reach<T>& reach)
    : m_(m), d_(cols_of(x)), limit2_(reach.limit2), rows_(m * d_), norms_(m) {
  const auto& op = simd::ops<T>();
  data::copy_rows(x, idx, 0, m, rows_.data(), d_, shift);
  for (Index r = 0; r < m; ++r) op.norms(rows_.data() + r * d_, d_, 1, &norms_[r]);
  const Index lanes = op.lanes, groups = (m + lanes - 1) / lanes;
  strips_ = base::Buffer<T>(groups * lanes * d_);
  for (Index r = 0; r < groups * lanes; ++r) {
    const T* row = rows_.data() + std::min(r, m - 1) * d_;
    T* strip = strips_.data() + r / lanes * lanes * d_ + r % lanes;
    for (Index t = 0; t < d_; ++t) strip[t * lanes] = row[reach.dims[static_cast<std::size_t>(t)]];
  }
}

template <class T>
Index NearRows<T>::near(const Boxes<T>& boxes, Index b, std::int32_t* which) const {
  const auto& op = simd::ops<T>();
  Index count = 0;
  for (Index r = 0; r < m_; r += op.lanes) {
    std::uint32_t lanes =
        op.near_box(strips_.data() + r * d_, boxes.low_.data() + b * d_, boxes.high_.data() + b * d_, d_, limit2_);
    for (Index row = r; lanes != 0 && row < m_; ++row, lanes >>= 1U) {
      if ((lanes & 1U) != 0) which[count++] = static_cast<std::int32_t>(row);
    }
  }
  return count;
}

template <class T>
void NearRows<T>::compute(const simd::MapParams<T>& map, const PointSet<T>& points, Index begin, Index end,
                          const std::int32_t* which, Index count, T* const* out) const {
  constexpr Index kRows = 64;
  const T* rows[kRows];
  T norms[kRows];
  for (Index from = 0; from < count; from += kRows) {
    const Index m = std::min(kRows, count - from);
    for (Index t = 0; t < m; ++t) {
      rows[t] = rows_.data() + which[from + t] * d_;
      norms[t] = norms_[which[from + t]];
    }
    simd::ops<T>().rbf_rows(map, rows, norms, m, points.panels_.data() + begin * d_, points.norms_.data() + begin, end - begin,
                            d_, out + from);
  }
}

template Index box_size<float>();
template Index box_size<double>();
template class Boxes<float>;
template class Boxes<double>;
template class NearRows<float>;
template class NearRows<double>;

}  // namespace dcsvm::kernels
