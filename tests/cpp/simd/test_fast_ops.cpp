// Operations of one row against a few others, against loops in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/lanes.hpp"
#include "simd/ops.hpp"
#include "simd/twin.hpp"

using dcsvm::base::Random;
using namespace dcsvm::simd;
using twin::uniform;

TEST_CASE_TEMPLATE("one row against rows and panels", T, float, double) {
  Random random(1);
  for (const Index d : {1, 3, 16, 22, 64, 131}) {
    const Index ld = (d + 15) / 16 * 16;
    for (const Index m : {1, 2, 3, 4, 5, 16, 17, 33}) {
      auto x = uniform<T>(ld, random), rows = uniform<T>(m * ld, random);
      std::fill(x.begin() + d, x.end(), T(0));
      const Index wide = (m + kRowWidth - 1) / kRowWidth * kRowWidth;
      std::vector<T> panels(wide * d, T(0)), a(static_cast<std::size_t>(m + 1), T(7)),
          b(static_cast<std::size_t>(wide + 1), T(7));
      for (Index j = 0; j < m; ++j) {
        for (Index k = 0; k < d; ++k) panels[j / kRowWidth * kRowWidth * d + k * kRowWidth + j % kRowWidth] = rows[j * ld + k];
      }
      ops<T>().products(x.data(), rows.data(), ld, m, a.data());
      const std::vector<const T*> both(3, x.data());
      std::vector<T> three(3 * wide);
      ops<T>().row_panels(both.data(), 1, panels.data(), d, wide, b.data(), wide);
      ops<T>().row_panels(both.data(), 3, panels.data(), d, wide, three.data(), wide);
      for (Index j = 0; j < 3 * wide; ++j) CHECK(three[j] == b[j % wide]);  // neighbours change nothing
      for (Index j = 0; j < m; ++j) {
        double sum = 0;
        for (Index k = 0; k < d; ++k) sum += double(x[k]) * double(rows[j * ld + k]);
        CHECK(double(a[j]) == doctest::Approx(sum).epsilon(1e-4));
        CHECK(double(b[j]) == doctest::Approx(sum).epsilon(1e-4));
      }
      std::vector<const T*> left(static_cast<std::size_t>(m), x.data()), right(static_cast<std::size_t>(m));
      for (Index j = 0; j < m; ++j) right[j] = rows.data() + j * ld;
      std::vector<T> pairs(m);
      ops<T>().pair_products(left.data(), right.data(), ld, m, pairs.data());
      for (Index j = 0; j < m; ++j) {
        T alone = 0;
        ops<T>().products(x.data(), right[j], ld, 1, &alone);
        CHECK(pairs[j] == alone);
      }
      for (Index j = m; j < wide; ++j) CHECK(b[j] == T(0));
      CHECK(a[m] == T(7));
      CHECK(b[wide] == T(7));
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
        std::vector<T> out(p);
        ops<T>().triangle(r.data(), between.data(), m, p, T(1.5), upper, out.data());
        for (Index t = 0; t < p; ++t) {
          double bound = upper ? 1e9 : 0.0;
          for (Index j = 0; j < m; ++j) {
            const double a = double(r[j]), b = double(between[j * p + t]);
            bound = upper ? std::min(bound, a + b) : std::max(bound, std::abs(a - b));
          }
          CHECK(double(out[t]) == doctest::Approx(std::exp(-1.5 * bound * bound)).epsilon(1e-5));
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
      auto base = uniform<T>(kMost, random), shift = uniform<T>(n, random);
      for (T& v : shift) v = T(-1.25) * std::abs(v);
      for (T& v : base) v -= T(2);
      base[3] = T(-1e30);  // far away: about 0
      base[4] = T(1e6);    // above 0: 1
      std::vector<const T*> x(static_cast<std::size_t>(kMost));
      for (Index r = 0; r < kMost; ++r) x[r] = rows.data() + r * d;
      std::vector<T> all(kMost), one(static_cast<std::size_t>(kMost));
      ops<T>().exp2_sums(x.data(), base.data(), kMost, panels.data(), shift.data(), coef.data(), d, n, all.data());
      for (Index r = 0; r < kMost; ++r) {
        ops<T>().exp2_sums(x.data() + r, base.data() + r, 1, panels.data(), shift.data(), coef.data(), d, n, &one[r]);
        CHECK(one[r] == all[r]);  // neighbours change nothing
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
          double e = double(base[r]) + double(shift[j]);
          for (Index k = 0; k < d; ++k)
            e += double(x[r][k]) * double(panels[j / kRowWidth * kRowWidth * d + k * kRowWidth + j % kRowWidth]);
          sum += double(coef[j]) * std::exp2(std::min(e, 0.0));
        }
        CHECK(std::abs(double(all[r]) - sum) <= 2e-5 * double(n));
      }
    }
  }
}

TEST_CASE_TEMPLATE("several vectors at once against plain sums", T, float, double) {
  const auto& op = lane_ops<T>();
  Random random(11);
  const Index d = 40;
  for (const Index width : {4, 8, 16, 24, 32, 56}) {
    const std::vector<std::int32_t> idx{0, 3, 7, 21, 39};
    const auto count = static_cast<Index>(idx.size());
    const auto val = uniform<T>(count, random);
    const auto rows = uniform<double>(d * width, random), step = uniform<double>(width, random);
    std::vector<double> out(width + 1, 0.5), moved = rows;
    op.dot(val.data(), idx.data(), count, rows.data(), width, out.data());
    CHECK(out.back() == 0.5);
    op.add(val.data(), idx.data(), count, step.data(), moved.data(), width);
    auto expected = rows;
    for (Index m = 0; m < width; ++m) {
      double sum = 0.5;  // what was there
      for (Index t = 0; t < count; ++t) {
        sum += static_cast<double>(val[t]) * rows[idx[t] * width + m];
        expected[idx[t] * width + m] += static_cast<double>(val[t]) * step[m];
      }
      CHECK(std::abs(out[m] - sum) <= 1e-14);
    }
    double off = 0;
    for (std::size_t t = 0; t < expected.size(); ++t) off = std::max(off, std::abs(expected[t] - moved[t]));
    CHECK(off <= 1e-15);
  }
}

TEST_CASE_TEMPLATE("several vectors of float at once against plain sums", T, float, double) {
  const auto& op = lane_ops<T>();
  Random random(12);
  const Index d = 40;
  for (const Index width : {4, 16, 32, 48}) {
    const std::vector<std::int32_t> idx{0, 3, 7, 21, 39};
    const auto count = static_cast<Index>(idx.size());
    const auto val = uniform<T>(count, random);
    const auto rows = uniform<float>(d * width, random), step = uniform<float>(width, random);
    std::vector<float> out(width + 1, 0.5F), moved = rows;
    op.float_dot(val.data(), idx.data(), count, rows.data(), width, out.data());
    CHECK(out.back() == 0.5F);
    op.float_add(val.data(), idx.data(), count, step.data(), moved.data(), width);
    for (Index m = 0; m < width; ++m) {
      double sum = 0.5;  // what was there
      for (Index t = 0; t < count; ++t) {
        sum += double(val[t]) * double(rows[idx[t] * width + m]);
        const Index at = idx[t] * width + m;
        CHECK(std::abs(double(moved[at]) - (double(rows[at]) + double(val[t]) * double(step[m]))) <= 1e-6);
      }
      CHECK(std::abs(double(out[m]) - sum) <= 2e-6);
    }
    CHECK(moved[1 * width] == rows[1 * width]);  // of no value
  }
}
