// Operations of one row against a few others, against loops in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/ops.hpp"

using dcsvm::base::Random;
using namespace dcsvm::simd;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
std::vector<T> uniform(Index n, Random& random) {
  std::vector<T> v(at(n));
  for (T& e : v) e = static_cast<T>(2 * random.uniform() - 1);
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("one row against rows and panels", T, float, double) {
  Random random(1);
  for (const Index d : {1, 3, 16, 22, 64, 131}) {
    const Index ld = (d + 15) / 16 * 16;
    for (const Index m : {1, 2, 3, 4, 5, 16, 17, 33}) {
      auto x = uniform<T>(ld, random), rows = uniform<T>(m * ld, random);
      std::fill(x.begin() + d, x.end(), T(0));
      const Index wide = (m + kRowWidth - 1) / kRowWidth * kRowWidth;
      std::vector<T> panels(at(wide * d), T(0)), a(at(m + 1), T(7)), b(at(wide + 1), T(7));
      for (Index j = 0; j < m; ++j) {
        for (Index k = 0; k < d; ++k)
          panels[at(j / kRowWidth * kRowWidth * d + k * kRowWidth + j % kRowWidth)] = rows[at(j * ld + k)];
      }
      ops<T>().products(x.data(), rows.data(), ld, m, a.data());
      const std::vector<const T*> both(3, x.data());
      std::vector<T> three(at(3 * wide));
      ops<T>().row_panels(both.data(), 1, panels.data(), d, wide, b.data(), wide);
      ops<T>().row_panels(both.data(), 3, panels.data(), d, wide, three.data(), wide);
      for (Index j = 0; j < 3 * wide; ++j) CHECK(three[at(j)] == b[at(j % wide)]);  // neighbours change nothing
      for (Index j = 0; j < m; ++j) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += double(x[at(k)]) * double(rows[at(j * ld + k)]);
        CHECK(double(a[at(j)]) == doctest::Approx(sum).epsilon(1e-4));
        CHECK(double(b[at(j)]) == doctest::Approx(sum).epsilon(1e-4));
      }
      std::vector<const T*> left(at(m), x.data()), right(at(m));
      for (Index j = 0; j < m; ++j) right[at(j)] = rows.data() + j * ld;
      std::vector<T> pairs(at(m));
      ops<T>().pair_products(left.data(), right.data(), ld, m, pairs.data());
      for (Index j = 0; j < m; ++j) {
        T alone = 0;
        ops<T>().products(x.data(), right[at(j)], ld, 1, &alone);
        CHECK(pairs[at(j)] == alone);
      }
      for (Index j = m; j < wide; ++j) CHECK(b[at(j)] == T(0));
      CHECK(a[at(m)] == T(7));
      CHECK(b[at(wide)] == T(7));
    }
  }
}

TEST_CASE_TEMPLATE("bounds by the triangle inequality", T, float, double) {
  Random random(2);
  for (const Index m : {1, 2, 7}) {
    for (const Index p : {16, 48}) {
      auto r = uniform<T>(m, random), between = uniform<T>(m * p, random);
      for (T& v : r) v = std::abs(v);
      for (T& v : between) v = std::abs(v);
      for (const bool upper : {false, true}) {
        std::vector<T> out(at(p));
        ops<T>().triangle(r.data(), between.data(), m, p, T(1.5), upper, out.data());
        for (Index t = 0; t < p; ++t) {
          double bound = upper ? 1e9 : 0.0;
          for (Index j = 0; j < m; ++j) {
            const double a = double(r[at(j)]), b = double(between[at(j * p + t)]);
            bound = upper ? std::min(bound, a + b) : std::max(bound, std::abs(a - b));
          }
          CHECK(double(out[at(t)]) == doctest::Approx(std::exp(-1.5 * bound * bound)).epsilon(1e-5));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("sums of powers of two of products with panels", T, float, double) {
  Random random(4);
  for (const Index d : {1, 5, 54}) {
    for (const Index n : {16, 48}) {
      constexpr Index kMost = 15;  // rows: groups of 8, 4, 2 and 1
      const auto rows = uniform<T>(kMost * d, random), panels = uniform<T>(n * d, random), coef = uniform<T>(n, random);
      auto base = uniform<T>(kMost, random), norms = uniform<T>(n, random);
      for (T& v : norms) v = std::abs(v);
      for (T& v : base) v -= T(2);
      base[3] = T(-1e30);  // far away: about 0
      base[4] = T(1e6);    // above 0: 1
      std::vector<const T*> x(at(kMost));
      for (Index r = 0; r < kMost; ++r) x[at(r)] = rows.data() + r * d;
      std::vector<T> all(at(kMost)), one(at(kMost));
      const T scale(-1.25);
      ops<T>().exp2_sums(x.data(), base.data(), kMost, panels.data(), norms.data(), scale, coef.data(), d, n, all.data());
      for (Index r = 0; r < kMost; ++r) {
        ops<T>().exp2_sums(x.data() + r, base.data() + r, 1, panels.data(), norms.data(), scale, coef.data(), d, n, &one[at(r)]);
        CHECK(one[at(r)] == all[at(r)]);  // neighbours change nothing
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
          double e = double(base[at(r)]) + double(scale) * double(norms[at(j)]);
          for (Index k = 0; k < d; ++k)
            e += double(x[at(r)][k]) * double(panels[at(j / kRowWidth * kRowWidth * d + k * kRowWidth + j % kRowWidth)]);
          sum += double(coef[at(j)]) * std::exp2(std::min(e, 0.0));
        }
        CHECK(std::abs(double(all[at(r)]) - sum) <= 2e-5 * double(n));
      }
    }
  }
}
