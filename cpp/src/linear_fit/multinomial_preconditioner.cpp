#include "linear_fit/multinomial_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "products/pieces.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr Index kMostFactored = 40;  // columns: with more a factor costs more than the products that it saves

template <class W, class T>
void add_lanes(const T* values, const std::int32_t* c, Index n, const W* a, W* to, Index width) {
  if constexpr (std::is_same_v<W, float>) {
    simd::lane_ops<T>().float_add(values, c, n, a, to, width);
  } else {
    simd::lane_ops<T>().add(values, c, n, a, to, width);
  }
}

}  // namespace

MultinomialPreconditioner::MultinomialPreconditioner(const MultinomialProblem& problem, Index width)
    : p_(problem), d_(problem.cols()), width_(width) {}

bool MultinomialPreconditioner::factors(Index cols) { return cols <= kMostFactored; }

double MultinomialPreconditioner::bytes(Index cols, Index width) {
  const double entries = static_cast<double>(factors(cols) ? cols * (cols + 1) : 2 * cols);
  return static_cast<double>(sizeof(double)) * entries * static_cast<double>(width);
}

void MultinomialPreconditioner::set(const base::Buffer<float>& p, base::ThreadPool& pool) {
  const bool pairs = factors(d_);
  if (!sum<float>(p, pairs, pool)) sum<double>(p, pairs, pool);
  factored_ = pairs && factor(pool);
  if (!factored_) invert_diagonal();
}

/// Sums over the rows of D_im x_ij x_il (l <= j; without pairs: l = j) for all classes m. False: one is not finite.
template <class W>
bool MultinomialPreconditioner::sum(const base::Buffer<float>& p, bool pairs, base::ThreadPool& pool) {
  const Matrix& x = *p_.x;
  const Index n = x.rows(), entries = pairs ? d_ * (d_ + 1) / 2 : d_, size = entries * width_;
  const Index most = products::sum_blocks(static_cast<double>(x.stored()), entries, products::kValuesOfLaneSum);
  const Index per_block = std::max<Index>(1, (n + most - 1) / most), blocks = (n + per_block - 1) / per_block;
  base::Buffer<W> sums(std::max<Index>(1, blocks) * size, W(0));
  pool.for_range(n, per_block, [&](Index begin, Index end, int) {
    W* own = sums.data() + begin / per_block * size;
    base::Buffer<W> h(width_, W(0));
    std::vector<W> row(static_cast<std::size_t>(d_)), products(static_cast<std::size_t>(pairs ? entries : 0));
    std::vector<std::int32_t> place(products.size());
    for (std::size_t t = 0; t < place.size(); ++t) place[t] = static_cast<std::int32_t>(t);
    for (Index i = begin; i < end; ++i) {
      if (p_.C[i] == 0) continue;
      const float* of_row = p.data() + i * width_;
      const int y = p_.class_of[i];
      const W C = static_cast<W>(p_.C[i]);
      W others = 0;
      for (Index m = 0; m < p_.classes; ++m) {
        const W one = static_cast<W>(of_row[m]);
        h[m] = C * one * (W(1) - one);
        others += m == y ? W(0) : one;
      }
      h[y] = C * static_cast<W>(of_row[y]) * others;
      if (pairs) {
        std::fill(row.begin(), row.end(), W(0));
        x.each(i, [&](Index j, double v) { row[j] = static_cast<W>(v); });
        for (Index j = 0, t = 0; j < d_; ++j) {
          for (Index l = 0; l <= j; ++l) products[t++] = row[j] * row[l];
        }
        add_lanes<W>(products.data(), place.data(), entries, h.data(), own, width_);
      } else {
        x.pieces(i, [&](const auto* values, const std::int32_t* c, Index count) {
          using products::kOnStack;
          W square[kOnStack];
          for (Index first = 0; first < count; first += kOnStack) {
            const Index number = std::min(kOnStack, count - first);
            for (Index t = 0; t < number; ++t) {
              const W v = static_cast<W>(values[first + t]);
              square[t] = v * v;
            }
            add_lanes<W>(square, c + first, number, h.data(), own, width_);
          }
        });
      }
    }
  });
  sums_.assign(static_cast<std::size_t>(size), 0.0);
  double none = 0;
  for (Index b = 0; b < blocks; ++b) {
    for (Index t = 0; t < size; ++t) sums_[t] += static_cast<double>(sums[b * size + t]);
  }
  for (const double s : sums_) none += 0.0 * s;
  return none == 0;
}

/// False: a matrix is not positive definite.
bool MultinomialPreconditioner::factor(base::ThreadPool& pool) {
  const Index entries = d_ * (d_ + 1) / 2;
  factor_.resize(static_cast<std::size_t>(entries * p_.classes));
  std::vector<char> good(static_cast<std::size_t>(p_.classes), 1);
  pool.for_each(p_.classes, [&](Index m, int) {
    double* L = factor_.data() + m * entries;
    double most = 0;
    for (Index j = 0, t = 0; j < d_; ++j) {
      for (Index l = 0; l <= j; ++l, ++t) L[t] = sums_[t * width_ + m];
      L[t - 1] += p_.of(j).l2;
      most = std::max(most, L[t - 1]);
    }
    for (Index j = 0; j < d_; ++j) {
      double* row = L + j * (j + 1) / 2;
      if (p_.of(j).none()) row[j] += most > 0 ? kTiny * most : 1.0;
      for (Index l = 0; l <= j; ++l) {
        const double* other = L + l * (l + 1) / 2;
        double sum = row[l];
        for (Index t = 0; t < l; ++t) sum -= row[t] * other[t];
        if (l < j) {
          row[l] = sum * other[l];
        } else if (sum > 0) {
          row[j] = 1.0 / std::sqrt(sum);
        } else {
          good[m] = 0;
          return;
        }
      }
    }
  });
  return std::all_of(good.begin(), good.end(), [](char g) { return g != 0; });
}

void MultinomialPreconditioner::invert_diagonal() {
  const bool pairs = factors(d_);
  inverse_.assign(static_cast<std::size_t>(d_ * width_), 0.0);
  for (Index j = 0; j < d_; ++j) {
    const double* sums = sums_.data() + (pairs ? j * (j + 1) / 2 + j : j) * width_;
    for (Index m = 0; m < p_.classes; ++m) {
      const double h = sums[m] + p_.of(j).l2;
      inverse_[j * width_ + m] = h > 0 && std::isfinite(h) ? 1.0 / h : 1.0;
    }
  }
}

void MultinomialPreconditioner::solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const {
  if (!factored_) {
    pool.for_range(d_ * width_, products::kEntryPiece, [&](Index begin, Index end, int) {
      for (Index t = begin; t < end; ++t) out[t] = inverse_[t] * r[t];
    });
    return;
  }
  const Index entries = d_ * (d_ + 1) / 2;
  double s[kMostFactored];
  for (Index m = 0; m < p_.classes; ++m) {
    const double* L = factor_.data() + m * entries;
    for (Index j = 0; j < d_; ++j) {
      const double* row = L + j * (j + 1) / 2;
      double sum = r[j * width_ + m];
      for (Index t = 0; t < j; ++t) sum -= row[t] * s[t];
      s[j] = sum * row[j];
    }
    for (Index j = d_ - 1; j >= 0; --j) {
      const double* row = L + j * (j + 1) / 2;
      s[j] *= row[j];
      for (Index t = 0; t < j; ++t) s[t] -= row[t] * s[j];
      out[j * width_ + m] = s[j];
    }
  }
}

}  // namespace dcsvm::linear_fit
