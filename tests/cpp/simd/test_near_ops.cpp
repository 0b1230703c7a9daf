// Far regions and near points: near_region and rbf_rows against slow twins, and what MapParams::near_below promises. CTest
// repeats this under each instruction set.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/ops.hpp"
#include "simd/twin.hpp"

using dcsvm::KernelType;
using dcsvm::base::Random;
using namespace dcsvm::simd;
using twin::kEps;
using twin::uniform;

namespace {

// Points row by row, ready as strips and as panels.
template <class T>
struct Points {
  Index n, d;
  std::vector<T> rows, strips, panels, strip_norms, panel_norms;
  Points(std::vector<T> values, Index cols) : n(static_cast<Index>(values.size()) / cols), d(cols), rows(std::move(values)) {
    pack(ops<T>().mr, strips, strip_norms);
    pack(ops<T>().nr, panels, panel_norms);
  }
  const T* row(Index i) const { return rows.data() + i * d; }

 private:
  void pack(Index width, std::vector<T>& out, std::vector<T>& norms) const {
    const Index groups = (n + width - 1) / width;
    out.assign(groups * width * d, T(0));
    norms.assign(groups * width, T(0));
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < d; ++k) out[i / width * width * d + k * width + i % width] = rows[i * d + k];
    }
    for (Index g = 0; g < groups; ++g)
      ops<T>().norms(Term::product, out.data() + g * width * d, d, width, norms.data() + g * width);
  }
};

template <class T>
std::vector<T> by_tile(const MapParams<T>& map, const Points<T>& a, const Points<T>& b) {
  std::vector<T> k(a.n * b.n);
  std::vector<T*> out;
  for (Index r = 0; r < a.n; ++r) out.push_back(k.data() + r * b.n);
  ops<T>().tile(map, {a.strips.data(), a.strip_norms.data(), a.n}, b.panels.data(), b.panel_norms.data(), b.n, a.d, out.data());
  return k;
}

// rbf_rows_sum() of the same rows is tile_sum() of them packed, bit for bit.
template <class T>
void check_sums(const MapParams<T>& map, const Points<T>& a, const Points<T>& b, const std::vector<Index>& which,
                Random& random) {
  std::vector<T> picked, norms;
  std::vector<const T*> rows;
  for (const Index r : which) {
    picked.insert(picked.end(), a.row(r), a.row(r) + a.d);
    rows.push_back(a.row(r));
    norms.push_back(a.strip_norms[r]);
  }
  const Points<T> packed(std::move(picked), a.d);
  const auto m = static_cast<Index>(which.size());
  const auto coef = uniform<T>(m, random, -1, 1);
  std::vector<double> one(b.n + 1, -7.0), other = one;
  ops<T>().rbf_rows_sum(map, rows.data(), norms.data(), coef.data(), m, {}, b.panels.data(), b.panel_norms.data(), b.n, a.d,
                        one.data());
  ops<T>().tile_sum(map, {packed.strips.data(), packed.strip_norms.data(), m}, coef.data(), b.panels.data(), b.panel_norms.data(),
                    b.n, a.d, other.data());
  CHECK(one == other);
}

template <class T>
std::vector<T> by_rows(const MapParams<T>& map, const Points<T>& a, const Points<T>& b, const std::vector<Index>& which) {
  const T guard = T(-77);
  const auto m = static_cast<Index>(which.size());
  std::vector<T> k(m * (b.n + 1), guard), norms;
  std::vector<const T*> rows;
  std::vector<T*> out;
  for (Index t = 0; t < m; ++t) {
    rows.push_back(a.row(which[t]));
    norms.push_back(a.strip_norms[which[t]]);
    out.push_back(k.data() + t * (b.n + 1));
  }
  ops<T>().rbf_rows(map, rows.data(), norms.data(), m, {}, b.panels.data(), b.panel_norms.data(), b.n, a.d, out.data());
  std::vector<T> packed;
  for (Index t = 0; t < m; ++t) {
    CHECK(out[t][b.n] == guard);
    packed.insert(packed.end(), out[t], out[t] + b.n);
  }
  return packed;
}

template <class T>
long double squared_distance(const T* a, const T* b, Index d) {
  long double sum = 0;
  for (Index k = 0; k < d; ++k)
    sum += (static_cast<long double>(a[k]) - static_cast<long double>(b[k])) *
           (static_cast<long double>(a[k]) - static_cast<long double>(b[k]));
  return sum;
}

template <class T>
long double squared_distance_to_region(const T* strip, Index lane, const T* low, const T* high, Index d) {
  long double sum = 0;
  for (Index k = 0; k < d; ++k) {
    const long double x = strip[k * ops<T>().lanes + lane], lo = low[k], hi = high[k];
    const long double gap = x < lo ? lo - x : x > hi ? x - hi : 0;
    sum += gap * gap;
  }
  return sum;
}

// Points around an origin far from 0, in tight groups: the worst case for |x|^2 + |y|^2 - 2xy.
template <class T>
Points<T> groups(Index n, Index d, double offset, double spread, std::uint64_t seed) {
  Random random(seed);
  const auto centres = uniform<T>(4 * d, random, -offset, offset);
  std::vector<T> x;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k)
      x.push_back(static_cast<T>(static_cast<double>(centres[i % 4 * d + k]) + spread * (2 * random.uniform() - 1)));
  }
  std::copy(x.begin(), x.begin() + d, x.begin() + (n - 1) * d);  // a duplicate
  return Points<T>(std::move(x), d);
}

}  // namespace

TEST_CASE_TEMPLATE("near_region: every lane as the slow twin says, for 1 to 70 features", T, float, double) {
  const auto& op = ops<T>();
  Random random(1);
  int near = 0, far = 0;
  for (Index d = 1; d <= 70; ++d) {
    for (int trial = 0; trial < 12; ++trial) {
      const auto low = uniform<T>(d, random, -1, 1);
      auto high = low;
      for (T& h : high) h += static_cast<T>(random.uniform());
      const double wide = trial % 3 == 0 ? 0.3 : 3.0;
      const auto strip = uniform<T>(op.lanes * d, random, -wide, wide);
      // Between two lanes' distances, so that some are in and some are out, whichever feature decides.
      const auto at_lane = squared_distance_to_region(strip.data(), random.below(op.lanes), low.data(), high.data(), d);
      const T limit = static_cast<T>(at_lane * (trial % 2 == 0 ? 1.001L : 0.999L));
      const std::uint32_t lanes = op.near_region(strip.data(), low.data(), high.data(), d, limit);
      for (Index l = 0; l < op.lanes; ++l) {
        const long double truth = squared_distance_to_region(strip.data(), l, low.data(), high.data(), d);
        if (std::abs(static_cast<double>(truth - static_cast<long double>(limit))) < 100 * kEps<T> * static_cast<double>(truth))
          continue;
        const bool within = truth <= static_cast<long double>(limit);
        REQUIRE(((lanes >> l) & 1U) == (within ? 1U : 0U));
        ++(within ? near : far);
      }
      REQUIRE((op.lanes >= 32 || lanes >> op.lanes == 0));  // no bit beyond the lanes
    }
  }
  CHECK(near > 500);
  CHECK(far > 500);
}

TEST_CASE_TEMPLATE("near_region: inside, on the border, at the limit exactly, a point for a region", T, float, double) {
  const auto& op = ops<T>();
  const std::uint32_t all = op.lanes >= 32 ? ~0U : (1U << op.lanes) - 1U;
  for (const Index d : {1, 7, 8, 9, 16, 17}) {
    const std::vector<T> low(d, T(-1)), high(static_cast<std::size_t>(d), T(2));
    std::vector<T> strip(op.lanes * d, T(0.5));
    CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(0)) == all);
    std::fill(strip.begin(), strip.end(), T(2));
    CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(0)) == all);
    std::fill(strip.begin(), strip.end(), T(-1));
    CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(0)) == all);
    CHECK(op.near_region(strip.data(), low.data(), low.data(), d, T(0)) == all);
    for (Index l = 0; l < op.lanes; ++l) {
      strip[(d - 1) * op.lanes + l] = T(5);  // 3 away in the last feature
      CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(9)) == all);
      CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(8.99)) == (all & ~(1U << l)));
      CHECK(op.near_region(strip.data(), low.data(), high.data(), d, T(0)) == (all & ~(1U << l)));
      strip[(d - 1) * op.lanes + l] = T(-1);
    }
  }
}

TEST_CASE_TEMPLATE("rbf_rows: the bits of tile(), whichever rows and in whatever order", T, float, double) {
  const auto& op = ops<T>();
  Random random(3);
  for (const T near_below : {T(0), T(0.5)}) {
    const MapParams<T> map{KernelType::rbf, T(0.7), T(0), 1, near_below};
    for (const Index d : {1, 8, 13, 70}) {
      const Points<T> a(uniform<T>(40 * d, random, -1, 1), d);
      for (const Index n : {Index{1}, op.nr - 1, op.nr, op.nr + 1, 2 * op.nr + 3}) {
        if (n == 0) continue;
        Points<T> b(uniform<T>(n * d, random, -1, 1), d);
        const auto whole = by_tile(map, a, b);
        for (const Index m : {Index{1}, op.mr - 1, op.mr, 2 * op.mr + 1}) {
          std::vector<Index> which;
          for (Index t = 0; t < m; ++t) which.push_back(random.below(a.n));
          const auto some = by_rows(map, a, b, which);
          check_sums(map, a, b, which, random);
          for (Index t = 0; t < m; ++t) {
            const auto from = whole.begin() + which[t] * n;
            CHECK(std::equal(from, from + n, some.begin() + t * n));
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("near points keep their digits where |x|^2 + |y|^2 - 2xy has lost them", T, float, double) {
  for (const Index d : {2, 10, 54}) {
    // gamma |x|^2 is about 1e6 (float) or 1e12 (double); near points have gamma |x - y|^2 up to about 3.
    const double offset = std::is_same_v<T, float> ? 500.0 : 5e5, spread = 0.6 / std::sqrt(static_cast<double>(d));
    const Points<T> x = groups<T>(73, d, offset, spread, 4 + static_cast<std::uint64_t>(d));
    const auto plain = by_tile<T>({KernelType::rbf, T(4), T(0), 1, T(0)}, x, x);
    const auto k = by_tile<T>({KernelType::rbf, T(4), T(0), 1, T(1e4)}, x, x);
    double worst = 0, worst_plain = 0;
    for (Index i = 0; i < x.n; ++i) {
      CHECK(k[i * x.n + i] == T(1));
      for (Index j = 0; j < x.n; ++j) {
        CHECK(k[i * x.n + j] == k[j * x.n + i]);
        if (i % 4 != j % 4) continue;
        const long double truth = std::exp(-4.0L * squared_distance(x.row(i), x.row(j), d));
        const auto error = [&](T value) { return std::abs(static_cast<double>(static_cast<long double>(value) / truth - 1)); };
        worst = std::max(worst, error(k[i * x.n + j]));
        worst_plain = std::max(worst_plain, error(plain[i * x.n + j]));
      }
    }
    CHECK(k[x.n - 1] == T(1));  // the duplicate
    CHECK(worst < (std::is_same_v<T, float> ? 2e-6 : 5e-15));
    CHECK(worst_plain > 100 * worst);  // or this would test nothing
  }
}

TEST_CASE_TEMPLATE("near points: a value does not depend on its neighbours, its row or its panel", T, float, double) {
  const auto& op = ops<T>();
  const Index d = 11, n = 3 * op.nr + 5;
  const double offset = std::is_same_v<T, float> ? 100.0 : 1e5;
  const Points<T> x = groups<T>(n, d, offset, 0.2, 9);
  const MapParams<T> map{KernelType::rbf, T(2), T(0), 1, T(1)};
  const auto k = by_tile(map, x, x);
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Index> order;
    for (Index i = 0; i < n; ++i) order.push_back(random.below(n));
    std::vector<T> moved;
    for (const Index i : order) moved.insert(moved.end(), x.row(i), x.row(i) + d);
    const Points<T> y(moved, d);
    const auto again = by_tile(map, y, y);
    bool same = true;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) same = same && again[i * n + j] == k[order[i] * n + order[j]];
    }
    CHECK(same);
  }
}

TEST_CASE_TEMPLATE("points beyond near_below have the bits that they have without it", T, float, double) {
  Random random(6);
  for (const Index d : {3, 20}) {
    const Points<T> a(uniform<T>(30 * d, random, -1, 1), d), b(uniform<T>(77 * d, random, -1, 1), d);
    const T gamma = T(0.8), cut = static_cast<T>(static_cast<double>(d) * 0.6);
    const auto without = by_tile<T>({KernelType::rbf, gamma, T(0), 1, T(0)}, a, b),
               with = by_tile<T>({KernelType::rbf, gamma, T(0), 1, cut}, a, b);
    int near = 0, far = 0;
    for (Index i = 0; i < a.n; ++i) {
      for (Index j = 0; j < b.n; ++j) {
        const auto d2 = static_cast<double>(squared_distance(a.row(i), b.row(j), d));
        const T u = without[i * b.n + j], v = with[i * b.n + j];
        if (d2 > static_cast<double>(cut) * (1 + 1e-5)) {
          CHECK(u == v);
          ++far;
        }
        if (d2 < static_cast<double>(cut)) ++near;
        CHECK(std::abs(static_cast<double>(u) - static_cast<double>(v)) < 100 * kEps<T>);
      }
    }
    CHECK(near > 100);
    CHECK(far > 100);
  }
}

TEST_CASE_TEMPLATE("an infinite near_below: every value from differences", T, float, double) {
  for (const Index d : {1, 7, 22, 64}) {
    const double offset = 100.0, gamma = 0.5;
    const Points<T> x = groups<T>(75, d, offset, 0.1, 11);
    const MapParams<T> map{KernelType::rbf, static_cast<T>(gamma), T(0), 1, std::numeric_limits<T>::infinity()};
    const auto k = by_tile(map, x, x);
    for (Index i = 0; i < x.n; ++i) {
      for (Index j = 0; j < x.n; ++j) {
        const auto exact = std::exp(static_cast<double>(-gamma * squared_distance(x.row(i), x.row(j), d)));
        // |x|^2 of up to 10000 d loses gamma |x|^2 eps: 6e-4 in float at d = 1.
        CHECK(std::abs(static_cast<double>(k[i * x.n + j]) - exact) < 8 * kEps<T>);
      }
    }
    Random random(12);
    const auto coef = uniform<T>(x.n, random, -1, 1);
    std::vector<double> sums(x.n, 1.5);
    ops<T>().tile_sum(map, {x.strips.data(), x.strip_norms.data(), x.n}, coef.data(), x.panels.data(), x.panel_norms.data(), x.n,
                      d, sums.data());
    for (Index j = 0; j < x.n; ++j) {
      double expected = 1.5;
      for (Index i = 0; i < x.n; ++i) expected += static_cast<double>(coef[i]) * static_cast<double>(k[i * x.n + j]);
      CHECK(sums[j] == doctest::Approx(expected).epsilon(100 * kEps<T>));
    }
  }
}
