#include "low_rank/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

Eigen::MatrixXd random_matrix(Index n, Index m, std::uint64_t seed) {
  base::Random random(seed);
  Eigen::MatrixXd a(n, m);
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < n; ++i) a(i, j) = random.uniform() - 0.5;
  }
  return a;
}

void check_pairs(const Eigen::MatrixXd& a) {
  const Index n = a.rows();
  const base::ThreadPool pool(1);
  const auto [values, vectors] = low_rank::symmetric_eigen(a, pool);
  const double scale = std::max(a.cwiseAbs().maxCoeff(), 1e-300) * static_cast<double>(n);
  CHECK((a * vectors - vectors * values.asDiagonal()).cwiseAbs().maxCoeff() <= 1e-14 * scale);
  CHECK((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff() <
        1e-14 * static_cast<double>(n) + 1e-15);
  Eigen::VectorXd ascending = values;
  std::sort(ascending.begin(), ascending.end());
  const Eigen::VectorXd theirs = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
  CHECK((ascending - theirs).cwiseAbs().maxCoeff() <= 1e-14 * scale);
}

}  // namespace

TEST_CASE("symmetric_eigen: every pair solves its equation, and the vectors are orthonormal") {
  for (const Index n : {1, 2, 3, 5, 48, 49, 50, 97, 150}) {
    CAPTURE(n);
    const Eigen::MatrixXd a = random_matrix(n, n, 7 + static_cast<std::uint64_t>(n)), b = random_matrix(n, 3, 3);
    check_pairs(a + a.transpose());
    check_pairs(1e200 * (a * a.transpose()));
    check_pairs(1e-200 * (a + a.transpose()));
    check_pairs(b * b.transpose());  // rank 3
    check_pairs(Eigen::MatrixXd::Zero(n, n));
    check_pairs(Eigen::MatrixXd::Ones(n, n));
    check_pairs(Eigen::MatrixXd::Identity(n, n) * -2.0);
    check_pairs(Eigen::VectorXd::LinSpaced(n, -3, 9).asDiagonal());
    Eigen::MatrixXd graded = a + a.transpose();  // entries from 1 to 1e-12
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        graded(i, j) *= std::pow(10.0, -12.0 * static_cast<double>(std::max(i, j)) / static_cast<double>(n));
    }
    check_pairs(graded);
  }
}

TEST_CASE("symmetric_eigen: the host is asked all along, and heard at once") {
  constexpr Index n = 120;
  const Eigen::MatrixXd a = random_matrix(n, n, 1);
  int polls = 0;
  const base::ThreadPool counting(1, [&] { ++polls; });
  low_rank::symmetric_eigen(a * a.transpose(), counting);
  const int all = polls;
  CHECK(all > 2 * n);  // for each column that becomes tridiagonal, and for each QR step
  for (int stop = 1; stop <= all; stop += 37) {
    polls = 0;
    const base::ThreadPool stopping(1, [&] {
      if (++polls == stop) throw Interrupted();
    });
    CHECK_THROWS_AS(low_rank::symmetric_eigen(a * a.transpose(), stopping), Interrupted);
    CHECK(polls == stop);
  }
}
