// Part of ops_impl.hpp (inside its unnamed namespace): the functions of lanes.hpp. W: float or double, of the vectors.

template <class T, class W, Index kWidth>
inline void lane_dot_block(const T* val, const std::int32_t* idx, Index nnz, const W* rows, Index width, W* out) {
  if constexpr (kWidth >= L<W>) {
    constexpr Index kVectors = kWidth / L<W>;
    constexpr Index kSums = kVectors <= 2   ? 4
                            : kVectors <= 6 ? 2
                                            : 1;  // of every kSums-th value: they hide an addition's latency
    V<W> sum[kSums][kVectors] = {};
    const auto add = [&](Index t, V<W>* to) {
      const W v = static_cast<W>(val[t]);
      const W* at = rows + static_cast<Index>(idx[t]) * width;
#pragma GCC unroll 12
      for (Index c = 0; c < kVectors; ++c) to[c] += load(at + c * L<W>) * v;
    };
    Index t = 0;
    for (; t + kSums <= nnz; t += kSums) {
#pragma GCC unroll 4
      for (Index s = 0; s < kSums; ++s) add(t + s, sum[s]);
    }
    for (; t < nnz; ++t) add(t, sum[0]);
#pragma GCC unroll 12
    for (Index c = 0; c < kVectors; ++c) {
      V<W> all = load(out + c * L<W>);
#pragma GCC unroll 4
      for (Index s = 0; s < kSums; ++s) all += sum[s][c];
      store<W>(out + c * L<W>, all);
    }
  } else {
    constexpr Index kSums = 4;
    W sum[kSums][kWidth] = {};
    const auto add = [&](Index t, W* to) {
      const W* at = rows + static_cast<Index>(idx[t]) * width;
      for (Index m = 0; m < kWidth; ++m) to[m] += static_cast<W>(val[t]) * at[m];
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

template <class T, class W, Index kWidth>
inline void lane_add_block(const T* val, const std::int32_t* idx, Index nnz, const W* step, W* rows, Index width) {
  if constexpr (kWidth >= L<W>) {
    constexpr Index kVectors = kWidth / L<W>;
    V<W> s[kVectors];
#pragma GCC unroll 12
    for (Index c = 0; c < kVectors; ++c) s[c] = load(step + c * L<W>);
    for (Index t = 0; t < nnz; ++t) {
      const W v = static_cast<W>(val[t]);
      W* at = rows + static_cast<Index>(idx[t]) * width;
#pragma GCC unroll 12
      for (Index c = 0; c < kVectors; ++c) store<W>(at + c * L<W>, load(at + c * L<W>) + s[c] * v);
    }
  } else {
    for (Index t = 0; t < nnz; ++t) {
      W* at = rows + static_cast<Index>(idx[t]) * width;
      for (Index m = 0; m < kWidth; ++m) at[m] += static_cast<W>(val[t]) * step[m];
    }
  }
}

// As many lanes at once as 16 registers hold: each block reads the row again.
template <class T, class W>
void lane_dot(const T* val, const std::int32_t* idx, Index nnz, const W* rows, Index width, W* out) {
  constexpr Index kMost = sizeof(W) == sizeof(float) ? 32 : 24;
  Index m = 0;
  for (; m + kMost <= width; m += kMost) lane_dot_block<T, W, kMost>(val, idx, nnz, rows + m, width, out + m);
  for (; m + 16 <= width; m += 16) lane_dot_block<T, W, 16>(val, idx, nnz, rows + m, width, out + m);
  if constexpr (sizeof(W) == sizeof(double)) {
    for (; m + 8 <= width; m += 8) lane_dot_block<T, W, 8>(val, idx, nnz, rows + m, width, out + m);
  }
  if (m < width) lane_dot_block<T, W, kLeastLanes>(val, idx, nnz, rows + m, width, out + m);
}

template <class T, class W>
void lane_add(const T* val, const std::int32_t* idx, Index nnz, const W* step, W* rows, Index width) {
  constexpr Index kMost = sizeof(W) == sizeof(float) ? 32 : 24;
  Index m = 0;
  for (; m + kMost <= width; m += kMost) lane_add_block<T, W, kMost>(val, idx, nnz, step + m, rows + m, width);
  for (; m + 16 <= width; m += 16) lane_add_block<T, W, 16>(val, idx, nnz, step + m, rows + m, width);
  if constexpr (sizeof(W) == sizeof(double)) {
    for (; m + 8 <= width; m += 8) lane_add_block<T, W, 8>(val, idx, nnz, step + m, rows + m, width);
  }
  if (m < width) lane_add_block<T, W, kLeastLanes>(val, idx, nnz, step + m, rows + m, width);
}
