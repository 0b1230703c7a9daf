#include "kernels/product.hpp"

#include <algorithm>

#include "simd/ops.hpp"

namespace dcsvm::kernels {

namespace {

constexpr Index kDepth = 384;  // a panel of this depth and the strips multiplied with it stay in a core's cache
constexpr Index kRows = 192;

Index blocks_of(Index n, Index size) { return (n + size - 1) / size; }

}  // namespace

template <class T>
template <class Number>
void RightFactor<T>::pack(const Number* b, Index ldb, Index d, Index n, base::ThreadPool& pool, Index stride) {
  d_ = d;
  n_ = n;
  const Index nr = simd::ops<T>().nr, panels = blocks_of(n, nr);
  if (panels_.size() < d * panels * nr) panels_ = base::Buffer<T>(d * panels * nr);
  has_values_.assign(blocks_of(d, kDepth) * panels, 0);
  pool.for_each(blocks_of(d, kDepth) * panels, [&](Index piece, int) {
    const Index k = piece / panels * kDepth, j = piece % panels * nr;
    const Index kn = std::min(kDepth, d - k), jn = std::min(nr, n - j);
    T* to = panels_.data() + k * panels * nr + j * kn;
    bool any = false;
    for (Index r = 0; r < kn; ++r) {  // across the rows of a strided B, so that cache misses overlap
      for (Index c = 0; c < nr; ++c) {
        const T v = c < jn ? static_cast<T>(b[(k + r) * ldb + (j + c) * stride]) : T(0);
        to[r * nr + c] = v;
        any |= v != T(0);
      }
    }
    has_values_[piece] = any ? 1 : 0;
  });
}

template <class T>
void RightFactor<T>::multiply_add(const T* a, Index lda, Index m, Index cols, T* out, Index ldo) const {
  const auto& op = simd::ops<T>();
  const Index nr = op.nr, panels = blocks_of(n_, nr), wanted = blocks_of(cols, nr);
  base::Buffer<T> strips(blocks_of(std::min(m, kRows), op.mr) * op.mr * kDepth);
  std::vector<T*> rows(static_cast<std::size_t>(std::min(m, kRows)));
  for (Index first = 0; first < m; first += kRows) {
    const Index mm = std::min(kRows, m - first);
    for (Index k = 0; k < d_; k += kDepth) {
      const Index kn = std::min(kDepth, d_ - k);
      if (mm % op.mr != 0) std::fill_n(strips.data() + mm / op.mr * op.mr * kn, op.mr * kn, T(0));
      for (Index r = 0; r < mm; ++r) {
        const T* from = a + (first + r) * lda + k;
        T* to = strips.data() + r / op.mr * op.mr * kn + r % op.mr;
        for (Index i = 0; i < kn; ++i) to[i * op.mr] = from[i];
      }
      for (Index p = 0; p < wanted; ++p) {
        if (has_values_[k / kDepth * panels + p] == 0) continue;
        const Index j = p * nr;
        for (Index r = 0; r < mm; ++r) rows[r] = out + (first + r) * ldo + j;
        op.product_add(strips.data(), mm, panels_.data() + k * panels * nr + j * kn, std::min(nr, cols - j), kn, rows.data());
      }
    }
  }
}

void gram(const float* b, Index ldb, Index m, Index n, double* g, base::ThreadPool& pool) {
  constexpr Index kGroup = 96;  // rows of a task; they are multiplied with the columns up to their own
  const Index groups = blocks_of(m, kGroup);
  std::fill(g, g + m * m, 0.0);
  std::vector<base::Buffer<float>> tiles(pool.size());
  for (auto& tile : tiles) tile = base::Buffer<float>(kGroup * m);
  RightFactor<float> right;
  for (Index first = 0; first < n; first += kGramDepth) {
    right.pack(b + first, 1, std::min(kGramDepth, n - first), m, pool, ldb);
    pool.for_each(groups, [&](Index task, int worker) {
      const Index row = (groups - 1 - task) * kGroup, rows = std::min(kGroup, m - row), columns = row + rows;
      float* tile = tiles[worker].data();
      std::fill(tile, tile + rows * columns, 0.0F);
      right.multiply_add(b + row * ldb + first, ldb, rows, columns, tile, columns);
      for (Index i = 0; i < rows; ++i) {
        double* to = g + (row + i) * m;
        for (Index j = 0; j < columns; ++j) to[j] += static_cast<double>(tile[i * columns + j]);
      }
    });
  }
  for (Index i = 0; i < m; ++i) {
    for (Index j = i + 1; j < m; ++j) g[i * m + j] = g[j * m + i];
  }
}

void subtract_outer(const double* l, Index ldl, Index n, Index d, double* c, Index ldc, base::ThreadPool& pool) {
  base::Buffer<double> transposed(d * n);
  pool.for_range(n, kRows, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = 0; k < d; ++k) transposed[k * n + i] = -l[i * ldl + k];
    }
  });
  const RightFactor<double> right(transposed.data(), n, d, n, pool);
  pool.for_range(n, kRows, [&](Index begin, Index end, int) {
    right.multiply_add(l + begin * ldl, ldl, end - begin, c + begin * ldc, ldc);
  });
}

template class RightFactor<float>;
template class RightFactor<double>;
template void RightFactor<float>::pack(const float*, Index, Index, Index, base::ThreadPool&, Index);
template void RightFactor<float>::pack(const double*, Index, Index, Index, base::ThreadPool&, Index);
template void RightFactor<double>::pack(const double*, Index, Index, Index, base::ThreadPool&, Index);

}  // namespace dcsvm::kernels
