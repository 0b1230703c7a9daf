#include "svm/problems/solve_binary.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;

TEST_CASE("pairs are numbered as LIBSVM numbers them, coefficient rows never collide") {
  for (const Index k : {2, 3, 7}) {
    Index expected = 0;
    for (Index i = 0; i < k; ++i) {
      std::set<Index> rows;
      for (Index j = 0; j < k; ++j) {
        if (j > i) CHECK(data::pair_index(i, j, k) == expected++);
        if (j != i) rows.insert(data::coef_row(i, j));
      }
      CHECK(static_cast<Index>(rows.size()) == k - 1);  // one row for each other class
      CHECK(*rows.begin() == 0);
      CHECK(*rows.rbegin() == k - 2);
    }
  }
}

TEST_CASE("a pair's problem takes its share of all coefficients and stores it back, rows of weight 0 stay out") {
  base::Random random(1);
  const Index n = 50;
  const int k = 4;
  std::vector<int> class_of;
  std::vector<double> upper, coef;
  for (Index i = 0; i < n; ++i) {
    class_of.push_back(static_cast<int>(random.below(k + 1)) - 1);
    upper.push_back(1.0 + random.uniform());
  }
  for (Index e = 0; e < (k - 1) * n; ++e) coef.push_back(random.uniform());
  const auto members = svm::points_by_class(class_of, k);
  for (int c = 0; c < k; ++c) {
    CHECK(static_cast<Index>(members[c].size()) == std::count(class_of.begin(), class_of.end(), c));
    for (const Index i : members[c]) CHECK(class_of[i] == c);
  }
  auto rebuilt = coef;
  std::vector<int> written(coef.size(), 0);
  for (int a = 0; a < k; ++a) {
    for (int b = a + 1; b < k; ++b) {
      auto pair = svm::make_pair_problem(a, members[a], b, members[b], upper, coef.data());
      CHECK(pair.points.size() == members[a].size() + members[b].size());
      for (std::size_t p = 0; p < pair.points.size(); ++p) {
        const bool lower = p < members[a].size();
        const Index i = pair.points[p];
        CHECK(class_of[i] == (lower ? a : b));
        CHECK(pair.y[p] == (lower ? 1 : -1));
        CHECK(pair.hi[p] == (lower ? upper[i] : 0));
        CHECK(pair.lo[p] == (lower ? 0 : -upper[i]));
        CHECK(pair.beta[p] == coef[(lower ? b - 1 : a) * n + i]);
        pair.beta[p] += 100;
        ++written[(lower ? b - 1 : a) * n + i];
      }
      pair.store(n, rebuilt.data());
      const auto zeros = svm::make_pair_problem(a, members[a], b, members[b], upper, nullptr);
      CHECK(zeros.beta == std::vector<double>(pair.points.size(), 0.0));
    }
  }
  for (std::size_t e = 0; e < coef.size(); ++e) {
    CHECK(written[e] == (class_of[e % static_cast<std::size_t>(n)] < 0 ? 0 : 1));
    CHECK(rebuilt[e] == coef[e] + 100 * written[e]);
  }
}

TEST_CASE("solve_c_svc: two points on a line have the margin that geometry gives") {
  // x = 3 (+1) and x = 1 (-1): w = 1, b = -2, alpha = 1/2 each, f = -1/2; without bias w = 1/3 from x = 3 alone.
  const std::vector<double> k{9, 3, 3, 1};
  const handmade::FunctionRows<double> rows(2, [&](Index i, Index j) { return k[2 * i + j]; });
  handmade::Call call;
  svm::BinaryProblem wide;
  wide.add(0, 1, 10);
  wide.add(1, -1, 10);
  const auto with = svm::solve_c_svc<double>(rows, wide, true, {1e-9, -1, true}, call.context);
  CHECK(wide.beta[0] == doctest::Approx(0.5));
  CHECK(wide.beta[1] == doctest::Approx(-0.5));
  CHECK(with.bias == doctest::Approx(-2.0));
  CHECK(with.objective == doctest::Approx(-0.5));
  svm::BinaryProblem tight;
  tight.add(0, 1, 10);
  tight.add(1, -1, 0.5);
  const auto without = svm::solve_c_svc<double>(rows, tight, false, {1e-9, -1, true}, call.context);
  CHECK(tight.beta[1] == -0.5);  // x = 1 cannot be on the negative side: at its bound
  CHECK(tight.beta[0] == doctest::Approx((1 + 0.5 * 3) / 9));
  CHECK(without.bias == 0.0);
  CHECK(without.violation < 1e-9);
}
