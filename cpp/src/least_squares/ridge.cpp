#include "least_squares/ridge.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "least_squares/kernel_cholesky.hpp"

namespace dcsvm::least_squares {

namespace {

using Vector = Eigen::VectorXd;
using ConstVector = Eigen::Map<const Vector>;

constexpr Index kCholeskyRows = 6000;  // beyond, conjugate gradients take less time
constexpr Index kRows = 256;           // of K at a time

RidgeSolver choose_solver(RidgeSolver asked, Index n, std::size_t cap_bytes) {
  const double whole = static_cast<double>(n) * static_cast<double>(n);
  const bool fits = whole * sizeof(double) <= static_cast<double>(cap_bytes) / 2;
  if (asked == RidgeSolver::automatic) return fits && n <= kCholeskyRows ? RidgeSolver::cholesky : RidgeSolver::cg;
  if (asked == RidgeSolver::cholesky && !fits) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(whole * 16 / 1048576) + 1) +
                   " MB for solver \"cholesky\" over " + std::to_string(n) + " rows");
  }
  return asked;
}

template <class T>
Vector solve_by_cholesky(const RidgeState<T>& s) {
  const KernelCholesky factor(s.columns, {s.task.lambda, s.task.lambda + s.n()}, kRidgeNotDefinite, *s.context.pool);
  s.solution.peak_bytes += factor.bytes();
  Vector x = ConstVector(s.task.targets, s.n());
  factor.solve(x.data(), 1);
  return x;
}

}  // namespace

template <class T>
Vector RidgeState<T>::product(const Vector& v) const {
  Vector out = ConstVector(task.lambda, n()).cwiseProduct(v);
  const std::vector<Index> all = base::index_range(n());
  for (Index i = 0; i < n(); i += kRows) {
    context.pool->poll();
    columns.multiply(all.data() + i, v.data() + i, std::min(kRows, n() - i), out.data(), *context.pool);
  }
  return out;
}

template <class T>
RidgeSolution solve_ridge(const kernel_matrix::RowSource<T>& k, const RidgeTask& task, base::Context& context) {
  const Index n = k.size();
  RidgeSolution solution;
  solution.used = choose_solver(task.solver, n, context.cap_bytes);
  const std::size_t stored_bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * sizeof(T);
  std::unique_ptr<kernel_matrix::RowSource<T>> stored;
  if (solution.used == RidgeSolver::cg && stored_bytes <= context.cap_bytes / 2) {
    stored = kernel_matrix::make_stored_rows(k, *context.pool);
    solution.peak_bytes = stored_bytes;
  }
  const std::vector<Index> all = base::index_range(n);
  const auto columns = (stored ? *stored : k).columns(all.data(), n, context.cap_bytes / 4, *context.pool);
  const RidgeState<T> s{task, context, *columns, solution};
  const Vector alpha = solution.used == RidgeSolver::cholesky ? solve_by_cholesky(s) : ridge_conjugate_gradients(s);
  const Vector residual = ConstVector(task.targets, n) - s.product(alpha);
  solution.alpha.assign(alpha.data(), alpha.data() + n);
  solution.residual.assign(residual.data(), residual.data() + n);
  return solution;
}

template struct RidgeState<float>;
template struct RidgeState<double>;
template RidgeSolution solve_ridge<float>(const kernel_matrix::RowSource<float>&, const RidgeTask&, base::Context&);
template RidgeSolution solve_ridge<double>(const kernel_matrix::RowSource<double>&, const RidgeTask&, base::Context&);

}  // namespace dcsvm::least_squares
