// Sparse rows against several vectors at once, whose elements lie next to each other: element j of all of them is
// rows[j * width .. j * width + width), width kLeastLanes or a multiple of 8.
#pragma once

#include "simd/ops.hpp"

namespace dcsvm::simd {

/// Vectors that are at least side by side.
constexpr Index kLeastLanes = 4;

template <class T>
struct LaneOps {
  /// out[m] += sum_t val[t] * rows[idx[t] * width + m] for m in [0, width), in double.
  void (*dot)(const T* val, const std::int32_t* idx, Index nnz, const double* rows, Index width, double* out);
  /// rows[idx[t] * width + m] += val[t] * step[m].
  void (*add)(const T* val, const std::int32_t* idx, Index nnz, const double* step, double* rows, Index width);
  /// The same with vectors of float, width kLeastLanes or a multiple of 16, and sums in float.
  void (*float_dot)(const T* val, const std::int32_t* idx, Index nnz, const float* rows, Index width, float* out);
  void (*float_add)(const T* val, const std::int32_t* idx, Index nnz, const float* step, float* rows, Index width);
};

/// The table of the instruction set in use.
template <class T>
const LaneOps<T>& lane_ops();
template <>
const LaneOps<float>& lane_ops<float>();
template <>
const LaneOps<double>& lane_ops<double>();

}  // namespace dcsvm::simd
