#include "least_squares/kernel_cholesky.hpp"

#include <algorithm>
#include <type_traits>

#include "base/cholesky.hpp"
#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::least_squares {

namespace {

constexpr Index kRows = 256;  // of K at a time: prepared rows cost memory

}  // namespace

template <class T>
KernelCholesky::KernelCholesky(const kernel_matrix::Columns<T>& columns, const std::vector<double>& ridge,
                               const char* not_definite, base::ThreadPool& pool)
    : n_(columns.size()), pool_(pool), factor_(n_ * n_), diagonal_(ridge) {
  const std::vector<Index> all = base::index_range(n_);
  base::Buffer<T> block(std::is_same_v<T, double> ? 0 : kRows * n_);
  block_bytes_ = block.bytes();
  for (Index first = 0; first < n_; first += kRows) {
    pool.poll();
    const Index m = std::min(kRows, n_ - first);
    if constexpr (std::is_same_v<T, double>) {
      columns.block(all.data() + first, m, factor_.data() + first * n_, n_, pool);
    } else {
      columns.block(all.data() + first, m, block.data(), n_, pool);
      pool.for_range(m, 16, [&](Index begin, Index end, int) {
        std::copy(block.data() + begin * n_, block.data() + end * n_, factor_.data() + (first + begin) * n_);
      });
    }
  }
  for (Index i = 0; i < n_; ++i) diagonal_[i] = factor_[i * n_ + i] += ridge[i];
  if (!base::cholesky(factor_.data(), n_, pool)) throw DataError(not_definite);
}

void KernelCholesky::solve(double* x, Index m) const {
  const auto poll = [this] { pool_.poll(); };
  base::solve_lower(factor_.data(), n_, x, m, poll);
  base::solve_lower_transposed(factor_.data(), n_, x, m, poll);
}

void KernelCholesky::subtract_product(const double* x, double offset, double* r) const {
  for (Index j = 0; j < n_; ++j) {
    const double* column = factor_.data() + j * n_;
    double sum = 0.0;
    for (Index i = 0; i < j; ++i) {
      sum += column[i] * x[i];
      r[i] -= column[i] * x[j];
    }
    r[j] -= sum + diagonal_[j] * x[j] + offset;
  }
}

template KernelCholesky::KernelCholesky(const kernel_matrix::Columns<float>&, const std::vector<double>&, const char*,
                                        base::ThreadPool&);
template KernelCholesky::KernelCholesky(const kernel_matrix::Columns<double>&, const std::vector<double>&, const char*,
                                        base::ThreadPool&);

}  // namespace dcsvm::least_squares
