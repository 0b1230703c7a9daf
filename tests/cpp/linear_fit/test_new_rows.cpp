// The steps of single rows against what they minimise, and a pass over new rows against the first pass of the descent on the
// dual.
#include "linear_fit/new_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "linear/samples.hpp"

using namespace dcsvm;
using linear_fit::Loss;

namespace {

constexpr std::size_t kRowsCap = std::size_t{1} << 30;

}  // namespace

TEST_CASE("new rows: a step minimises 1/2 q d^2 + loss(z + q d)") {
  base::Random random(3);
  for (int t = 0; t < 4000; ++t) {
    const auto loss = static_cast<Loss>(t % 5);  // those before the envelopes
    const double q = std::pow(10.0, 6.0 * random.uniform() - 3.0), C = std::pow(10.0, 8.0 * random.uniform() - 4.0);
    const double z = 10.0 * random.uniform() - 5.0, width = 0.3;
    const double y = linear_fit::of_targets(loss) ? 4.0 * random.uniform() - 2.0 : t % 2 == 0 ? 1.0 : -1.0;
    linear_fit::RowLoss row;
    row.loss = loss;
    row.row.y = y;
    row.row.C = C;
    row.row.width = width;
    const double d = linear_fit::new_row(loss, y, z, q, C, width);
    // The dual variable is d, so the gap of this one-row problem must close.
    const double gap = row.gap(z + q * d, d), unit = row.value(z) + 0.5 * q * d * d;
    CAPTURE(static_cast<int>(loss));
    CAPTURE(d);
    CHECK(gap <= 1e-9 * unit + 1e-13);
  }
}

TEST_CASE("new rows: the softmax step is C (e_y - p) at the scores that it leads to") {
  base::Random random(5);
  for (int t = 0; t < 3000; ++t) {
    const Index k = 2 + random.below(12);
    const int y = static_cast<int>(random.below(k));
    const double q = std::pow(10.0, 8.0 * random.uniform() - 4.0), C = std::pow(10.0, 10.0 * random.uniform() - 5.0);
    const double size = std::pow(10.0, 4.0 * random.uniform() - 2.0);
    std::vector<double> z(k), d(k), room(k), p(k);
    for (double& one : z) one = size * (2.0 * random.uniform() - 1.0);
    linear_fit::new_row_of_softmax(z.data(), k, y, q, C, d.data(), room.data());
    const double most = [&] {
      double largest = -linear_fit::kInfinity;
      for (Index m = 0; m < k; ++m) largest = std::max(largest, z[m] + q * d[m]);
      return largest;
    }();
    double sum = 0;
    for (Index m = 0; m < k; ++m) sum += p[m] = std::exp(z[m] + q * d[m] - most);
    CAPTURE(q);
    CAPTURE(C);
    CHECK(std::abs(std::accumulate(d.begin(), d.end(), 0.0)) <= 1e-12 * C);
    for (Index m = 0; m < k; ++m) {
      const double wanted = C * ((m == y ? 1.0 : 0.0) - p[m] / sum);
      // An error of d changes the scores q times as much, and these the probabilities.
      CHECK(std::abs(d[m] - wanted) <= 1e-8 * C * (1.0 + q * C * 1e-6));
    }
  }
}

TEST_CASE("new rows: the step of Crammer and Singer's problem has its price on the classes of the largest score") {
  base::Random random(7);
  for (int t = 0; t < 2000; ++t) {
    const Index k = 2 + random.below(9);
    const int y = static_cast<int>(random.below(k));
    const double q = std::pow(10.0, 4.0 * random.uniform() - 2.0), C = std::pow(10.0, 4.0 * random.uniform() - 2.0);
    std::vector<double> z(k), d(k);
    for (double& one : z) one = 4.0 * random.uniform() - 2.0;
    std::vector<double> used = z;
    linear_fit::new_row_of_hinges(used.data(), k, y, q, C, d.data());
    std::vector<double> after(k);
    for (Index m = 0; m < k; ++m) after[m] = z[m] + q * d[m] + (m == y ? 0.0 : 1.0);
    const double most = *std::max_element(after.begin(), after.end());
    double sum = 0;
    for (Index m = 0; m < k; ++m) {
      const double share = (m == y ? C : 0.0) - d[m];
      sum += share;
      CHECK(share >= -1e-12 * C);
      CHECK(share * (most - after[m]) <= 1e-10 * C * (1.0 + q * C));
    }
    CHECK(sum == doctest::Approx(C));
  }
}

TEST_CASE("new rows: from 0 they are the first pass of the descent on the dual") {
  const Hooks hooks;
  base::Call call(2, 0, 100, hooks);
  const test::Sample s(400, 30, 2, 0.4, 9);
  const products::Matrix x(s.csr(), -1.0, kRowsCap, call.pool);
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge, Loss::tube, Loss::squared_tube}) {
    linear_fit::Problem p;
    p.x = &x;
    p.loss = loss;
    p.width = 0.2;
    linear_fit::NewRows rows;
    rows.x = &x;
    rows.loss = loss;
    rows.width = 0.2;
    for (Index i = 0; i < s.n; ++i) {
      p.y.push_back(linear_fit::of_targets(loss) ? s.target[i] : s.y[i] == 0 ? 1.0 : -1.0);
      p.C.push_back(0.5 + static_cast<double>(i % 3));
      rows.class_of.push_back(static_cast<int>(s.y[i]));
    }
    if (linear_fit::of_targets(loss)) rows.y = p.y;
    rows.C = p.C;
    rows.factor = {1.0, 1.0};
    linear_fit::SolveOptions options;
    options.max_iter = 1;
    options.seed = 4;
    const linear_fit::Solution pass = linear_fit::solve_dual_descent(p, options, call.context);
    REQUIRE(pass.n_iter == 1);
    std::vector<double> w(x.cols(), 0.0);
    const linear_fit::Solution seen = linear_fit::visit_new_rows(rows, w, 4, call.context);
    CHECK(seen.stop_reason == StopReason::one_pass);
    CHECK(seen.n_iter == s.n);
    CHECK(seen.n_inner > 100);
    for (Index j = 0; j < x.cols(); ++j) CHECK(w[j] == doctest::Approx(pass.w[j]).epsilon(1e-10));
    rows.C.assign(s.n, 0.0);
    const std::vector<double> before = w;
    CHECK(linear_fit::visit_new_rows(rows, w, 4, call.context).n_inner == 0);
    CHECK(w == before);
  }
}

TEST_CASE("new rows: the bias moves by no more than a sixteenth of |x|^2 of the features") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const double value[] = {0.6, 0.8};
  const products::Matrix x(dense(value, 1, 2), 2.0, kRowsCap, call.pool);
  linear_fit::NewRows rows;
  rows.x = &x;
  rows.bias = 2.0;
  rows.class_of = {0};
  rows.C = {0.25};
  rows.factor = {1.0, 1.0};
  std::vector<double> w(3, 0.0);
  linear_fit::visit_new_rows(rows, w, 0, call.context);
  CHECK(w[0] == doctest::Approx(0.15));  // d = C
  CHECK(w[2] * 2.0 == doctest::Approx(0.25 / 16));
}

TEST_CASE("new rows: the value of the bias's feature does not matter where it is large") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const test::Sample s(200, 5, 2, 0.4, 3);
  std::vector<double> decisions;
  for (const double bias : {4.0, 1e9}) {
    const products::Matrix x(s.csr(), bias, kRowsCap, call.pool);
    linear_fit::NewRows rows;
    rows.x = &x;
    rows.bias = bias;
    rows.class_of.assign(s.y.begin(), s.y.end());
    rows.C.assign(s.n, 0.5);
    rows.factor = {1.0, 1.0};
    std::vector<double> w(x.cols(), 0.0);
    linear_fit::visit_new_rows(rows, w, 0, call.context);
    std::vector<double> now;
    for (Index i = 0; i < s.n; ++i) now.push_back(x.dot(i, w.data()));
    if (decisions.empty()) decisions = now;
    for (Index i = 0; i < s.n; ++i) CHECK(now[i] == doctest::Approx(decisions[i]).epsilon(1e-6));
  }
}

TEST_CASE("new rows: a row whose |x|^2 leaves the range of double is refused") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const double value[] = {1.0, 1.0, 1e160, 1.0};
  const products::Matrix x(dense(value, 2, 2), -1.0, kRowsCap, call.pool);
  linear_fit::NewRows rows;
  rows.x = &x;
  rows.class_of = {0, 1};
  rows.C = {1.0, 0.0};
  rows.factor = {1.0, 1.0};
  std::vector<double> w(2, 0.0);
  CHECK(linear_fit::visit_new_rows(rows, w, 0, call.context).n_inner == 1);  // without weight it takes no part
  rows.C[1] = 1.0;
  CHECK_THROWS_WITH_AS(linear_fit::visit_new_rows(rows, w, 0, call.context), doctest::Contains("|x|^2 of row 1 left the range"),
                       DataError);
}
