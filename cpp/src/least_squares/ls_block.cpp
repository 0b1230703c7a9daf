#include "least_squares/ls_block.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcsvm/errors.hpp"
#include "kernels/cholesky.hpp"
#include "kernels/product.hpp"
#include "simd/ops.hpp"

namespace dcsvm::least_squares {

namespace {

constexpr Index kPiece = 4096;  // points at a time: kRowsAtOnce rows of so many floats stay in the L2 cache
constexpr Index kRowsAtOnce = 64;

}  // namespace

void kernel_overflow() {
  throw DataError("X: kernel values overflow (infinity or NaN); scale the features or choose another kernel");
}

LsBlock::LsBlock(const LsMatrix& matrix, Index block_size)
    : matrix_(matrix),
      values_(block_size * matrix.n()),
      products_(block_size * block_size),
      gram_((block_size + 1) * (block_size + 1)) {}

void LsBlock::load(std::vector<Index> idx) {
  idx_ = std::move(idx);
  const Index n = matrix_.n();
  matrix_.columns.block(idx_.data(), static_cast<Index>(idx_.size()), values_.data(), n, matrix_.pool);
  const auto ridge = static_cast<float>(1.0 / matrix_.gamma);
  for (std::size_t r = 0; r < idx_.size(); ++r) values_[static_cast<Index>(r) * n + idx_[r]] += ridge;
}

void LsBlock::project(const double* r, Index k, double* out) const {
  const Index n = matrix_.n(), m = static_cast<Index>(idx_.size());
  matrix_.pool.for_range(m, 16, [&](Index begin, Index end, int) {
    for (Index c = 0; c < k; ++c) std::fill(out + c * (m + 1) + begin, out + c * (m + 1) + end, r[c * (n + 1) + n]);
    for (Index from = 0; from < n; from += kPiece) {
      const Index count = std::min(kPiece, n - from);
      for (Index i = begin; i < end; ++i) {
        for (Index c = 0; c < k; ++c)
          out[c * (m + 1) + i] += simd::ops<float>().dot(values_.data() + i * n + from, r + c * (n + 1) + from, count);
      }
    }
  });
  for (Index c = 0; c < k; ++c) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += r[c * (n + 1) + i];
    out[c * (m + 1) + m] = sum;
  }
}

void LsBlock::expand(const double* q, Index k, double sign, double* out) const {
  const Index n = matrix_.n(), m = static_cast<Index>(idx_.size());
  std::vector<double> coef(q, q + k * (m + 1));
  for (double& v : coef) v *= sign;
  matrix_.pool.for_range(n, kPiece, [&](Index begin, Index end, int) {
    const float* rows[kRowsAtOnce];
    for (Index c = 0; c < k; ++c) {
      double* to = out + c * (n + 1) + begin;
      for (Index j = begin; j < end; ++j) *to++ += coef[c * (m + 1) + m];
    }
    for (Index first = 0; first < m; first += kRowsAtOnce) {
      const Index count = std::min(kRowsAtOnce, m - first);
      for (Index r = 0; r < count; ++r) rows[r] = values_.data() + (first + r) * n + begin;
      for (Index c = 0; c < k; ++c) {
        simd::ops<float>().accumulate(coef.data() + c * (m + 1) + first, rows, count, 0, end - begin, out + c * (n + 1) + begin);
      }
    }
  });
  for (Index c = 0; c < k; ++c) {
    for (Index i = 0; i < m; ++i) out[c * (n + 1) + n] += coef[c * (m + 1) + i];
  }
}

void LsBlock::multiply_inner(double* q, Index k) const {
  const Index n = matrix_.n(), m = static_cast<Index>(idx_.size());
  std::vector<double> product(k * (m + 1), 0.0);
  for (Index c = 0; c < k; ++c) {
    const double* from = q + c * (m + 1);
    double* to = product.data() + c * (m + 1);
    for (Index i = 0; i < m; ++i) {
      to[i] = from[m];
      for (Index j = 0; j < m; ++j) to[i] += static_cast<double>(values_[i * n + idx_[j]]) * from[j];
      to[m] += from[i];
    }
  }
  std::copy(product.begin(), product.end(), q);
}

std::vector<double> LsBlock::pick(const double* w, Index k) const {
  const Index n = matrix_.n();
  std::vector<double> out;
  out.reserve(k * cols());
  for (Index c = 0; c < k; ++c) {
    for (const Index i : idx_) out.push_back(w[c * (n + 1) + i]);
    out.push_back(w[c * (n + 1) + n]);
  }
  return out;
}

void LsBlock::multiply() {
  const Index n = matrix_.n(), m = static_cast<Index>(idx_.size()), size = m + 1;
  double* products = products_.data();
  kernels::gram(values_.data(), n, m, n, products, matrix_.pool);
  sums_.assign(m, 0.0);
  const std::vector<double> ones(std::min(n, kPiece), 1.0);
  matrix_.pool.for_range(m, 16, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      for (Index from = 0; from < n; from += kPiece)
        sums_[i] += simd::ops<float>().dot(values_.data() + i * n + from, ones.data(), std::min(kPiece, n - from));
    }
  });
  // The bias row adds 1 to every product; the bias column is (1, ..., 1, 0).
  scale_.assign(size, 1.0 / std::sqrt(static_cast<double>(n)));
  for (Index i = 0; i < m; ++i) scale_[i] = 1.0 / std::sqrt(products[i * m + i] + 1.0);
  if (!std::all_of(scale_.begin(), scale_.end(), [](double s) { return std::isfinite(s) && s > 0; })) kernel_overflow();
}

bool LsBlock::factor(double smallest_ridge) {
  const Index m = static_cast<Index>(idx_.size()), size = m + 1;
  const double* products = products_.data();
  const auto entry = [&](Index i, Index j) {
    const double product = i < m ? products[i * m + j] + 1.0 : sums_[j];
    return product * scale_[i] * scale_[j];
  };
  const double smallest = smallest_ridge * std::sqrt(static_cast<double>(size));
  for (double ridge = smallest;; ridge *= 10) {
    matrix_.pool.for_range(size, 64, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) {
        gram_[j * size + j] = 1.0 + ridge;
        for (Index i = j + 1; i < size; ++i) gram_[j * size + i] = entry(i, j);
      }
    });
    if (kernels::cholesky(gram_.data(), size, matrix_.pool)) return ridge > smallest;
    if (ridge > 1.0) kernel_overflow();
  }
}

void LsBlock::solve(double* x, Index k) const {
  const Index size = cols();
  const auto rescale = [&] {
    for (Index t = 0; t < k * size; ++t) x[t] *= scale_[t % size];
  };
  const auto poll = [this] { matrix_.pool.poll(); };
  rescale();
  kernels::solve_lower(gram_.data(), size, x, k, poll);
  kernels::solve_lower_transposed(gram_.data(), size, x, k, poll);
  rescale();
}

}  // namespace dcsvm::least_squares
