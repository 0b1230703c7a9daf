#include "kernels/product.hpp"

#include <algorithm>

#include "simd/ops.hpp"

namespace dcsvm::kernels {

namespace {

constexpr Index kDepth = 384;  // a panel of this depth and the strips multiplied with it stay in a core's cache
constexpr Index kRows = 192;
constexpr Index kGramRows = 96;  // of a task, about; they are multiplied with the columns from their own on

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
Index RightFactor<T>::width() {
  return simd::ops<T>().nr;
}

template <class T>
void RightFactor<T>::multiply_add(const T* a, Index lda, Index m, Index begin, Index end, T* out, Index ldo) const {
  if (begin >= end) return;
  const auto& op = simd::ops<T>();
  const Index nr = op.nr, panels = blocks_of(n_, nr), wanted = blocks_of(end, nr);
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
      for (Index p = begin / nr; p < wanted; ++p) {
        if (has_values_[k / kDepth * panels + p] == 0) continue;
        const Index j = p * nr;
        for (Index r = 0; r < mm; ++r) rows[r] = out + (first + r) * ldo + (j - begin);
        op.product_add(strips.data(), mm, panels_.data() + k * panels * nr + j * kn, std::min(nr, end - j), kn, rows.data());
      }
    }
  }
}

void add_upper(const float* a, Index lda, const RightFactor<float>& b, double* g, base::ThreadPool& pool) {
  const Index m = b.cols(), nr = RightFactor<float>::width();
  const Index rows = (kGramRows + nr - 1) / nr * nr;
  std::vector<base::Buffer<float>> tiles(pool.size());
  for (auto& tile : tiles) tile = base::Buffer<float>(rows * m);
  pool.for_range(m, rows, [&](Index begin, Index end, int worker) {
    float* tile = tiles[worker].data();
    const Index columns = m - begin;
    std::fill(tile, tile + (end - begin) * columns, 0.0F);
    b.multiply_add(a + begin * lda, lda, end - begin, begin, m, tile, columns);
    for (Index i = begin; i < end; ++i) {
      const float* from = tile + (i - begin) * columns;
      double* to = g + i * m + begin;
      for (Index j = i - begin; j < columns; ++j) to[j] += static_cast<double>(from[j]);
    }
  });
}

void gram(const float* b, Index ldb, Index m, Index n, double* g, base::ThreadPool& pool) {
  std::fill(g, g + m * m, 0.0);
  RightFactor<float> right;
  for (Index first = 0; first < n; first += kGramDepth) {
    right.pack(b + first, 1, std::min(kGramDepth, n - first), m, pool, ldb);
    add_upper(b + first, ldb, right, g, pool);
  }
  for (Index i = 0; i < m; ++i) {
    for (Index j = i + 1; j < m; ++j) g[j * m + i] = g[i * m + j];
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
