#include "kernels/cholesky.hpp"

#include <algorithm>
#include <vector>

#include <Eigen/Cholesky>

#include "kernels/product.hpp"

namespace dcsvm::kernels {

namespace {

using Strided = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr Index kPivot = 64;  // columns that Eigen factors and solves with; all else is products on the tiles of product.hpp
constexpr Index kSmall = 128;  // up to this size Eigen factors the whole matrix at once
constexpr Index kFactorRows = 96;    // of one piece of parallel work, about

/// The lower triangle of a column-major matrix, factored in place.
class Factor {
 public:
  Factor(double* a, Index n, base::ThreadPool& pool) : a_(a), n_(n), pool_(pool) {}

  bool run() {
    const Index width = n_ <= kSmall ? n_ : kPivot;
    for (Index first = 0; first < n_; first += kFactorBlock) {
      const Index last = std::min(n_, first + kFactorBlock);
      for (Index begin = first; begin < last; begin += width) {
        pool_.poll();
        const Index end = std::min(last, begin + width);
        if (!pivot(begin, end)) return false;
        subtract(begin, end, end, last);
      }
      subtract(first, last, last, n_);
    }
    return true;
  }

 private:
  Strided at(Index row, Index column, Index rows, Index columns) {
    return {a_ + row + column * n_, rows, columns, Eigen::OuterStride<>(n_)};
  }

  /// Columns [begin, end) of L, from which all columns before have been subtracted.
  bool pivot(Index begin, Index end) {
    Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> square = at(begin, begin, end - begin, end - begin);
    if (Eigen::LLT<Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>>(square).info() != Eigen::Success) return false;
    pool_.for_range(n_ - end, kFactorRows, [&](Index from, Index to, int) {
      auto panel = at(end + from, begin, to - from, end - begin);
      square.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    });
    return true;
  }

  /// A(i, j) -= sum of L(i, k) L(j, k) over columns k in [begin, end), for j in [from, to) and all rows i >= j. The tiles write
  /// row-major matrices, for which a column of A is a row. In each piece, the square on the diagonal is computed apart, so that
  /// nothing is written above the diagonal.
  void subtract(Index begin, Index end, Index from, Index to) {
    const Index depth = end - begin, columns = to - from;
    if (columns <= 0) return;
    right_.pack(a_ + from + begin * n_, n_, depth, n_ - from, pool_);
    const Index nr = RightFactor<double>::width(), rows = (kFactorRows + nr - 1) / nr * nr;
    pool_.for_range(columns, rows, [&](Index low, Index high, int) {
      const Index m = high - low, cut = std::min(n_ - from, (high + nr - 1) / nr * nr), square = cut - low;
      std::vector<double> left(m * depth), corner(m * square, 0.0);
      for (Index k = 0; k < depth; ++k) {
        const double* column = a_ + from + low + (begin + k) * n_;
        for (Index r = 0; r < m; ++r) left[r * depth + k] = -column[r];
      }
      right_.multiply_add(left.data(), depth, m, low, cut, corner.data(), square);
      for (Index r = 0; r < m; ++r) {
        double* out = a_ + (from + low + r) * n_ + from + low;
        for (Index c = r; c < square; ++c) out[c] += corner[r * square + c];
      }
      right_.multiply_add(left.data(), depth, m, cut, n_ - from, a_ + (from + low) * n_ + from + cut, n_);
    });
  }

  double* a_;
  Index n_;
  base::ThreadPool& pool_;
  RightFactor<double> right_;
};

}  // namespace

bool cholesky(double* a, Index n, base::ThreadPool& pool) { return Factor(a, n, pool).run(); }

void solve_lower(const double* factor, Index n, double* x, Index m, const std::function<void()>& between) {
  for (Index begin = 0; begin < n; begin += kFactorBlock) {
    const Index size = std::min(kFactorBlock, n - begin), rest = n - begin - size;
    const double* column = factor + begin * n + begin;
    Strided head(x + begin, size, m, Eigen::OuterStride<>(n));
    ConstStrided(column, size, size, Eigen::OuterStride<>(n)).triangularView<Eigen::Lower>().solveInPlace(head);
    if (rest > 0) {
      Strided tail(x + begin + size, rest, m, Eigen::OuterStride<>(n));
      tail.noalias() -= ConstStrided(column + size, rest, size, Eigen::OuterStride<>(n)) * head;
    }
    between();
  }
}

void solve_lower_transposed(const double* factor, Index n, double* x, Index m, const std::function<void()>& between) {
  for (Index begin = (n - 1) / kFactorBlock * kFactorBlock; begin >= 0; begin -= kFactorBlock) {
    const Index size = std::min(kFactorBlock, n - begin), rest = n - begin - size;
    const double* column = factor + begin * n + begin;
    Strided head(x + begin, size, m, Eigen::OuterStride<>(n));
    if (rest > 0) {
      const Strided tail(x + begin + size, rest, m, Eigen::OuterStride<>(n));
      head.noalias() -= ConstStrided(column + size, rest, size, Eigen::OuterStride<>(n)).transpose() * tail;
    }
    ConstStrided(column, size, size, Eigen::OuterStride<>(n)).transpose().triangularView<Eigen::Upper>().solveInPlace(head);
    between();
  }
}

}  // namespace dcsvm::kernels
