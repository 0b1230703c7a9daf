// The diagonal of X'DX that follows the curvatures with a lag, against sums over all rows.
#include "products/hessian_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using products::HessianDiagonal;

namespace {

std::vector<double> plain(const HandmadeMatrix& m, const std::vector<double>& h) {
  std::vector<double> sums(static_cast<std::size_t>(m.matrix.cols()), 0.0);
  for (Index i = 0; i < m.matrix.rows(); ++i) {
    m.matrix.each(i, [&](Index j, double v) { sums[j] += h[i] * v * v; });
  }
  return sums;
}

}  // namespace

TEST_CASE("Hessian diagonal: whatever the curvatures do, the sums are those of curvatures within the lag") {
  base::ThreadPool pool(2);
  for (const double filled : {0.1, 1.0}) {
    const HandmadeMatrix m(200, 30, filled, 1.0, pool);
    base::Random random(7);
    std::vector<double> now(200);
    HessianDiagonal diagonal;
    for (int step = 0; step < 40; ++step) {
      // Some rows lose their curvature and get it back, others move by a little or by a factor: all three ways to bring up to
      // date.
      const double share = step % 3 == 0 ? 0.9 : 0.05;
      for (double& h : now) {
        if (random.uniform() < share) h = random.uniform() < 0.3 ? 0.0 : std::exp(4.0 * random.uniform());
        h *= 1.0 + 0.05 * random.uniform();
      }
      diagonal.update(m.matrix, now, pool);
      CHECK(relative_difference(diagonal.sums, plain(m, diagonal.curvature)) < 1e-12);
      CHECK(*std::min_element(diagonal.sums.begin(), diagonal.sums.end()) >= 0.0);
      int behind = 0;
      for (std::size_t i = 0; i < now.size(); ++i) behind += products::lags(diagonal.curvature[i], now[i]) ? 1 : 0;
      CHECK(behind == 0);
    }
  }
}

TEST_CASE("Hessian diagonal: rows that have not moved far keep what is in the sums") {
  base::ThreadPool pool(1);
  const HandmadeMatrix m(50, 4, 1.0, -1.0, pool);
  std::vector<double> now(50, 1.0);
  HessianDiagonal diagonal;
  diagonal.update(m.matrix, now, pool);
  const std::vector<double> before = diagonal.sums;
  std::fill(now.begin(), now.end(), 1.15);
  diagonal.update(m.matrix, now, pool);
  CHECK(diagonal.sums == before);
  now[3] = 2.0;
  diagonal.update(m.matrix, now, pool);
  CHECK(diagonal.curvature[3] == 2.0);
  CHECK(diagonal.curvature[4] == 1.0);
}
