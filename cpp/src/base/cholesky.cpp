#include "base/cholesky.hpp"

#include <algorithm>

#include <Eigen/Cholesky>

namespace dcsvm::base {

namespace {

using Strided = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// A column-major matrix seen as blocks.
struct Blocks {
  double* a;
  Index n;
  Index size(Index block) const { return std::min(kFactorBlock, n - block * kFactorBlock); }
  Strided at(Index row, Index column) const {
    return {a + row * kFactorBlock + column * kFactorBlock * n, size(row), size(column), Eigen::OuterStride<>(n)};
  }
};

/// Block (row, column) -= L(row, step) L(column, step)'.
void update(const Blocks& blocks, Index row, Index column, Index step) {
  auto target = blocks.at(row, column);
  const auto left = blocks.at(row, step);
  if (row == column) {
    target.selfadjointView<Eigen::Lower>().rankUpdate(left, -1.0);
  } else {
    target.noalias() -= left * blocks.at(column, step).transpose();
  }
}

}  // namespace

bool cholesky(double* a, Index n, ThreadPool& pool) {
  const Blocks blocks{a, n};
  const Index count = (n + kFactorBlock - 1) / kFactorBlock;
  for (Index step = 0; step < count; ++step) {
    pool.poll();
    Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> pivot = blocks.at(step, step);
    if (Eigen::LLT<Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>>(pivot).info() != Eigen::Success) return false;
    const Index below = count - step - 1;
    pool.for_each(below, [&](Index i, int) {
      auto panel = blocks.at(step + 1 + i, step);
      pivot.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    });
    // The blocks on and below the diagonal, numbered row by row: block (r, c) is r (r + 1) / 2 + c.
    pool.for_each(below * (below + 1) / 2, [&](Index t, int) {
      Index r = 0, before = 0;
      while (before + r + 1 <= t) before += ++r;
      update(blocks, step + 1 + r, step + 1 + t - before, step);
    });
  }
  return true;
}

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

}  // namespace dcsvm::base
