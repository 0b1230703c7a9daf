// Part of ops_impl.hpp (inside its unnamed namespace): the functions of lanes.hpp.

template <class T, Index kWidth>
inline void lane_dot_block(const T* val, const std::int32_t* idx, Index nnz, const double* rows, Index width, double* out) {
  if constexpr (kWidth >= kD) {
    constexpr Index kVectors = kWidth / kD;
    constexpr Index kSums = kVectors <= 2   ? 4
                            : kVectors <= 6 ? 2
                                            : 1;  // of every kSums-th value: they hide an addition's latency
    V<double> sum[kSums][kVectors] = {};
    const auto add = [&](Index t, V<double>* to) {
      const double v = static_cast<double>(val[t]);
      const double* at = rows + static_cast<Index>(idx[t]) * width;
#pragma GCC unroll 12
      for (Index c = 0; c < kVectors; ++c) to[c] += load(at + c * kD) * v;
    };
    Index t = 0;
    for (; t + kSums <= nnz; t += kSums) {
#pragma GCC unroll 4
      for (Index s = 0; s < kSums; ++s) add(t + s, sum[s]);
    }
    for (; t < nnz; ++t) add(t, sum[0]);
#pragma GCC unroll 12
    for (Index c = 0; c < kVectors; ++c) {
      V<double> all = load(out + c * kD);
#pragma GCC unroll 4
      for (Index s = 0; s < kSums; ++s) all += sum[s][c];
      store<double>(out + c * kD, all);
    }
  } else {
    constexpr Index kSums = 4;
    double sum[kSums][kWidth] = {};
    const auto add = [&](Index t, double* to) {
      const double* at = rows + static_cast<Index>(idx[t]) * width;
      for (Index m = 0; m < kWidth; ++m) to[m] += static_cast<double>(val[t]) * at[m];
    };
    Index t = 0;
    for (; t + kSums <= nnz; t += kSums) {
#pragma GCC unroll 4
      for (Index s = 0; s < kSums; ++s) add(t + s, sum[s]);
    }
    for (; t < nnz; ++t) add(t, sum[0]);
    for (Index m = 0; m < kWidth; ++m) out[m] += (sum[0][m] + sum[1][m]) + (sum[2][m] + sum[3][m]);
  }
}

template <class T, Index kWidth>
inline void lane_add_block(const T* val, const std::int32_t* idx, Index nnz, const double* step, double* rows, Index width) {
  if constexpr (kWidth >= kD) {
    constexpr Index kVectors = kWidth / kD;
    V<double> s[kVectors];
#pragma GCC unroll 12
    for (Index c = 0; c < kVectors; ++c) s[c] = load(step + c * kD);
    for (Index t = 0; t < nnz; ++t) {
      const double v = static_cast<double>(val[t]);
      double* at = rows + static_cast<Index>(idx[t]) * width;
#pragma GCC unroll 12
      for (Index c = 0; c < kVectors; ++c) store<double>(at + c * kD, load(at + c * kD) + s[c] * v);
    }
  } else {
    for (Index t = 0; t < nnz; ++t) {
      double* at = rows + static_cast<Index>(idx[t]) * width;
      for (Index m = 0; m < kWidth; ++m) at[m] += static_cast<double>(val[t]) * step[m];
    }
  }
}

template <class T>
void lane_dot(const T* val, const std::int32_t* idx, Index nnz, const double* rows, Index width, double* out) {
  Index m = 0;  // as many lanes at once as 16 registers hold: each block reads the row again
  for (; m + 24 <= width; m += 24) lane_dot_block<T, 24>(val, idx, nnz, rows + m, width, out + m);
  for (; m + 16 <= width; m += 16) lane_dot_block<T, 16>(val, idx, nnz, rows + m, width, out + m);
  for (; m + 8 <= width; m += 8) lane_dot_block<T, 8>(val, idx, nnz, rows + m, width, out + m);
  if (m < width) lane_dot_block<T, 4>(val, idx, nnz, rows + m, width, out + m);
}

template <class T>
void lane_add(const T* val, const std::int32_t* idx, Index nnz, const double* step, double* rows, Index width) {
  Index m = 0;
  for (; m + 24 <= width; m += 24) lane_add_block<T, 24>(val, idx, nnz, step + m, rows + m, width);
  for (; m + 16 <= width; m += 16) lane_add_block<T, 16>(val, idx, nnz, step + m, rows + m, width);
  for (; m + 8 <= width; m += 8) lane_add_block<T, 8>(val, idx, nnz, step + m, rows + m, width);
  if (m < width) lane_add_block<T, 4>(val, idx, nnz, step + m, rows + m, width);
}
