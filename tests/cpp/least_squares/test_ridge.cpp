// Kernel ridge regression: both solvers against Eigen, and Theorem 1 of dcpred.
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Cholesky>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "least_squares/ridge.hpp"

using namespace dcsvm;
using namespace dcsvm::least_squares;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct RidgeData {
  Index n;
  std::vector<double> x, y, lambda;

  RidgeData(Index n_, double alpha) : n(n_) {
    base::Random random(4);
    for (Index i = 0; i < n; ++i) {
      x.push_back(2 * random.uniform() - 1);
      x.push_back(2 * random.uniform() - 1);
      y.push_back(std::sin(3 * x[x.size() - 2]) + x.back() + 0.1 * random.uniform());
      lambda.push_back(alpha * (0.5 + random.uniform()));
    }
  }
  Matrix kernel(double gamma) const {
    const Eigen::Map<const Matrix> points(x.data(), 2, n);
    Matrix k(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) k(i, j) = std::exp(-gamma * (points.col(i) - points.col(j)).squaredNorm());
    }
    return k;
  }
};

struct Host {
  base::ThreadPool pool{2};
  base::Context context;
  Host() {
    context.pool = &pool;
    context.cap_bytes = std::size_t{1} << 30;
  }
};

Vector as_vector(const std::vector<double>& v) { return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())); }

}  // namespace

TEST_CASE("Cholesky and conjugate gradients solve the same system, kept or computed, with the preconditioner and without") {
  for (const Index n : {1, 300, 2100}) {
    const RidgeData data(n, 0.05);
    Host host;
    KernelParams kernel;
    kernel.gamma = 2;
    const auto rows = kernel_matrix::make_kernel_rows<double>(dense(data.x.data(), n, 2), kernel, host.pool);
    RidgeTask task{data.y.data(), data.lambda.data()};
    task.solver = RidgeSolver::cholesky;
    const RidgeSolution exact = solve_ridge({nullptr, *rows}, task, host.context);
    const Matrix system = data.kernel(2) + Matrix(as_vector(data.lambda).asDiagonal());
    CHECK((system * as_vector(exact.alpha) - as_vector(data.y)).norm() < 1e-8);
    CHECK(as_vector(exact.residual).norm() < 1e-8);
    task.solver = RidgeSolver::cg;
    task.tol = 1e-10;
    const RidgeSolution kept = solve_ridge({nullptr, *rows}, task, host.context);
    CHECK(kept.stop_reason == StopReason::converged);
    CHECK(as_vector(kept.residual).norm() < 1e-9 * as_vector(data.y).norm());
    CHECK((as_vector(kept.alpha) - as_vector(exact.alpha)).norm() < 1e-6 * as_vector(exact.alpha).norm());
    if (n == 2100) CHECK(kept.n_iter < 40);  // without preconditioner: over a hundred
    host.context.cap_bytes = std::size_t{20} << 20;  // K does not fit
    const RidgeSolution computed = solve_ridge({nullptr, *rows}, task, host.context);
    CHECK((as_vector(computed.alpha) - as_vector(exact.alpha)).norm() < 1e-6 * as_vector(exact.alpha).norm());
    if (n == 2100) {
      task.solver = RidgeSolver::cholesky;
      CHECK_THROWS_AS(solve_ridge({nullptr, *rows}, task, host.context), CapError);
      task.solver = RidgeSolver::automatic;
      CHECK(solve_ridge({nullptr, *rows}, task, host.context).used == RidgeSolver::cg);
      task.solver = RidgeSolver::cg;
      task.max_iter = 2;
      CHECK(solve_ridge({nullptr, *rows}, task, host.context).stop_reason == StopReason::max_iter);
    }
  }
}

TEST_CASE("a solution in single precision is refined, or left for double, until its residual in double is below tol") {
  for (const double alpha : {1.0, 1e-3, 1e-5, 1e-7}) {  // the last is at the rounding of float values
    const RidgeData data(300, alpha);
    Host host;
    KernelParams kernel;
    kernel.gamma = 2;
    const DataView x = dense(data.x.data(), data.n, 2);
    const auto rounded = kernel_matrix::make_kernel_rows<float>(x, kernel, host.pool);
    const auto exact = kernel_matrix::make_kernel_rows<double>(x, kernel, host.pool);
    const Matrix system = data.kernel(2) + Matrix(as_vector(data.lambda).asDiagonal());
    for (const RidgeSolver solver : {RidgeSolver::cholesky, RidgeSolver::cg}) {
      RidgeTask task{data.y.data(), data.lambda.data()};
      task.solver = solver;
      task.max_iter = 20000;
      const RidgeSolution found = solve_ridge({rounded.get(), *exact}, task, host.context);
      CHECK(found.stop_reason == StopReason::converged);
      const Vector residual = as_vector(data.y) - system * as_vector(found.alpha);
      CHECK(residual.norm() <= 1.01 * task.tol * as_vector(data.y).norm());
      CHECK((residual - as_vector(found.residual)).norm() <= 0.1 * task.tol * as_vector(data.y).norm());
      if (alpha < 1e-6) CHECK(found.precision == Precision::double_);
    }
  }
}

TEST_CASE("targets of any size have a relative residual; a tolerance below the rounding of double is not reached") {
  const RidgeData data(100, 0.1);
  Host host;
  KernelParams kernel;
  kernel.gamma = 2;
  const auto rows = kernel_matrix::make_kernel_rows<double>(dense(data.x.data(), data.n, 2), kernel, host.pool);
  RidgeTask task{data.y.data(), data.lambda.data()};
  const RidgeSolution plain = solve_ridge({nullptr, *rows}, task, host.context);
  for (const double scale : {0x1p-900, 0x1p900}) {
    std::vector<double> y = data.y;
    for (double& v : y) v *= scale;
    task.targets = y.data();
    const RidgeSolution scaled = solve_ridge({nullptr, *rows}, task, host.context);
    for (Index i = 0; i < data.n; ++i) CHECK(scaled.alpha[i] == plain.alpha[i] * scale);
  }
  task.targets = data.y.data();
  task.tol = 1e-30;
  CHECK(solve_ridge({nullptr, *rows}, task, host.context).stop_reason == StopReason::stagnated);
}

TEST_CASE("a kernel that is not positive definite is refused by both solvers") {
  const std::vector<double> k{1, 2, 2, 1}, y{1, -1}, lambda{0.1, 0.1};
  Host host;
  const auto rows = kernel_matrix::make_precomputed_rows<double>(dense(k.data(), 2, 2));
  for (const RidgeSolver solver : {RidgeSolver::cholesky, RidgeSolver::cg}) {
    RidgeTask task{y.data(), lambda.data()};
    task.solver = solver;
    CHECK_THROWS_AS(solve_ridge({nullptr, *rows}, task, host.context), DataError);
  }
}

TEST_CASE("Theorem 1: the approximate model is within Delta / lambda of the exact one") {
  const Index n = 200;
  const double lambda = 0.3;
  const RidgeData data(n, lambda);
  const Matrix g = data.kernel(3);
  const Vector y = as_vector(data.y);
  Host host;
  const auto solve = [&](const Matrix& kernel) {
    const std::vector<double> diagonal(n, lambda);
    const auto rows = kernel_matrix::make_precomputed_rows<double>(dense(kernel.data(), n, n));  // symmetric: either order
    const RidgeTask task{data.y.data(), diagonal.data()};
    return as_vector(solve_ridge({nullptr, *rows}, task, host.context).alpha);
  };
  const Vector exact = solve(g);
  double last = 1e300;
  for (const Index m : {2, 5, 10, 20, 40}) {  // landmarks: the first rows, Eq. (3)
    const Matrix c = g.leftCols(m);
    Matrix w = g.topLeftCorner(m, m);
    w.diagonal().array() += 1e-10;
    const Matrix approximate = c * w.ldlt().solve(c.transpose());
    const Vector close = solve(0.5 * (approximate + approximate.transpose()));
    const double delta = (approximate - g).colwise().norm() * exact.cwiseAbs();
    CHECK((close - exact).norm() <= delta / lambda);
    CHECK(delta < last);
    last = delta;
  }
}
