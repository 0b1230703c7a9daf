// Products with one large matrix that is used many times: a block of rows times B, on the dispatched tiles.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::kernels {

/// B (d x n), packed for simd::Ops::product_add. Blocks of B that are all zero are left out, so a triangular B costs half.
template <class T>
class RightFactor {
 public:
  RightFactor() = default;
  /// b[k * ldb + j * stride]; what Number (float or double) b holds is converted.
  template <class Number>
  RightFactor(const Number* b, Index ldb, Index d, Index n, base::ThreadPool& pool, Index stride = 1) {
    pack(b, ldb, d, n, pool, stride);
  }
  /// Replaces B; reuses the memory when it is large enough.
  template <class Number>
  void pack(const Number* b, Index ldb, Index d, Index n, base::ThreadPool& pool, Index stride = 1);

  Index rows() const { return d_; }
  Index cols() const { return n_; }
  std::size_t bytes() const { return panels_.bytes(); }
  /// out[r * ldo + j] += sum_k a[r * lda + k] B[k][j] for r in [0, m). On the calling thread; safe from several at once.
  void multiply_add(const T* a, Index lda, Index m, T* out, Index ldo) const { multiply_add(a, lda, m, 0, n_, out, ldo); }
  /// The same for columns [begin, end) of B, of which `out` begins with the first; begin: a multiple of width().
  void multiply_add(const T* a, Index lda, Index m, Index begin, Index end, T* out, Index ldo) const;
  static Index width();  ///< of the panels

 private:
  Index d_ = 0, n_ = 0;
  base::Buffer<T> panels_;       // [block of kDepth rows][panel of nr columns][row][column]
  std::vector<char> has_values_;  // [block][panel]
};

/// g[i * m + j] += sum_k a[i * lda + k] B[k][j] for j >= i, B of m columns: the product in float, the sum in double.
void add_upper(const float* a, Index lda, const RightFactor<float>& b, double* g, base::ThreadPool& pool);

/// g (m x m, both triangles) = B B' for B (m x n, row-major, leading dimension ldb), summed in float over kGramDepth columns at a
/// time and in double over those, so that long rows lose no digits.
constexpr Index kGramDepth = 1536;
void gram(const float* b, Index ldb, Index m, Index n, double* g, base::ThreadPool& pool);

/// C (n x n, row-major) -= L L' for L (n x d, row-major, leading dimension ldl); ldc likewise.
void subtract_outer(const double* l, Index ldl, Index n, Index d, double* c, Index ldc, base::ThreadPool& pool);

}  // namespace dcsvm::kernels
