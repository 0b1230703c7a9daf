// Newton steps on free variables, and the tiles that need them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "qp/face_walk.hpp"
#include "qp/inner_smo.hpp"

using namespace dcsvm;

namespace {

// K = A A' / rank of random numbers, so that rank < n makes it singular.
struct Face {
  Index n;
  std::vector<double> k;
  qp::FreeVariables free;

  Face(Index size, Index rank, std::size_t n_groups, double room, std::uint64_t seed) : n(size) {
    base::Random random(seed);
    std::vector<double> a(n * rank);
    for (double& v : a) v = 2.0 * random.uniform() - 1.0;
    k.assign(n * n, 0.0);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        for (Index t = 0; t < rank; ++t) k[j * n + i] += a[i * rank + t] * a[j * rank + t] / static_cast<double>(rank);
      }
    }
    free.k = k;
    free.n_groups = n_groups;
    for (Index i = 0; i < n; ++i) {
      free.g.push_back(2.0 * random.uniform() - 1.0);
      free.beta.push_back(0.1 * (random.uniform() - 0.5));
      free.lo.push_back(free.beta.back() - room * (0.01 + random.uniform()));
      free.hi.push_back(free.beta.back() + room * (0.01 + random.uniform()));
      free.group.push_back(n_groups == 2 && i % 3 == 0 ? 1 : 0);
    }
  }
  std::vector<double> gradient(const std::vector<double>& before) const {
    std::vector<double> g = free.g;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) g[i] -= k[j * n + i] * (free.beta[j] - before[j]);
    }
    return g;
  }
};

}  // namespace

TEST_CASE("a walk ends where the variables that are still free have one gradient, and keeps bounds and sums") {
  for (const std::size_t n_groups : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    for (const Index n : {Index{2}, Index{7}, Index{40}, Index{230}}) {
      for (const double room : {0.01, 1.0, 1e3}) {
        for (const bool singular : {false, true}) {
          CAPTURE(n_groups);
          CAPTURE(n);
          CAPTURE(room);
          CAPTURE(singular);
          Face face(n, singular ? (n + 2) / 3 : 2 * n, n_groups, room, static_cast<std::uint64_t>(n) + 1);
          const std::vector<double> before = face.free.beta;
          base::ThreadPool pool(1);
          const Index steps = qp::walk_face(face.free, 1e-12, 10 * n, pool);
          REQUIRE(steps >= 1);
          CHECK(steps <= n + 1);
          const std::vector<double> g = face.gradient(before);
          std::array<double, 2> moved{}, most, least;
          most.fill(n_groups > 0 ? -std::numeric_limits<double>::infinity() : 0.0);
          least.fill(n_groups > 0 ? std::numeric_limits<double>::infinity() : 0.0);
          double gain = 0, largest = 0;
          for (Index i = 0; i < n; ++i) {
            const double beta = face.free.beta[i];
            CHECK(beta >= face.free.lo[i]);
            CHECK(beta <= face.free.hi[i]);
            const std::size_t c = face.free.group[i];
            moved[c] += beta - before[i];
            largest = std::max(largest, std::abs(beta - before[i]));
            gain += 0.5 * (beta - before[i]) * (face.free.g[i] + g[i]);
            if (beta == face.free.lo[i] || beta == face.free.hi[i]) continue;
            most[c] = std::max(most[c], g[i]);
            least[c] = std::min(least[c], g[i]);
          }
          CHECK((gain > 0 || (n == 2 && n_groups == 2)));  // where each sum has one variable, nothing may move
          for (std::size_t c = 0; c < 2; ++c) {
            if (c < n_groups) CHECK(std::abs(moved[c]) <= 1e-12 * static_cast<double>(n) * (1.0 + largest));
            CHECK(!(most[c] - least[c] > (singular ? 1e-3 : 1e-8) * (1.0 + largest)));  // what the ridge and rounding leave
          }
        }
      }
    }
  }
}

TEST_CASE("a walk that may not begin moves nothing, and one of few steps ends after them") {
  base::ThreadPool pool(1);
  Face face(30, 60, 1, 0.02, 5);
  const std::vector<double> before = face.free.beta;
  for (Index i = 0; i < face.n; ++i) face.free.k[i * face.n + i] = -1.0;
  CHECK(qp::walk_face(face.free, 1e-12, 100, pool) == 0);
  CHECK(face.free.beta == before);

  Face other(30, 60, 1, 0.02, 5), whole = other;
  REQUIRE(qp::walk_face(whole.free, 1e-12, 100, pool) > 3);
  CHECK(qp::walk_face(other.free, 1e-12, 3, pool) == 3);
  CHECK(std::count_if(other.free.beta.begin(), other.free.beta.end(), [&](const double& b) {
          const auto i = static_cast<std::size_t>(&b - other.free.beta.data());
          return b == other.free.lo[i] || b == other.free.hi[i];
        }) == 3);
}

namespace {

// A noisy checkerboard: with a large C most steps of pairs undo others.
struct Noisy {
  Index n;
  double c;
  std::vector<double> x, sign;
  Noisy(Index rows, double cost) : n(rows), c(cost) {
    base::Random random(9);
    for (Index i = 0; i < n; ++i) {
      for (int k = 0; k < 2; ++k) x.push_back(3.0 * random.uniform());
      const bool cell = (static_cast<int>(x[2 * i]) + static_cast<int>(x[2 * i + 1])) % 2 == 0;
      sign.push_back(cell == (random.uniform() > 0.15) ? 1.0 : -1.0);
    }
  }
  double k(Index i, Index j) const {
    return std::exp(-0.5 * (std::pow(x[2 * i] - x[2 * j], 2) + std::pow(x[2 * i + 1] - x[2 * j + 1], 2)));
  }
  // How often steps of the tile were made until its violation, formed anew in double, was below tol.
  template <class T>
  std::int64_t steps(bool pairs, bool groups, double tol, std::size_t walk_bytes, std::int64_t most) const {
    qp::InnerSmo<T> tile(n);
    tile.allow_walks(n, walk_bytes);
    tile.q = n;
    if (groups) tile.group.resize(n);
    for (Index s = 0; s < n; ++s) {
      tile.diag[s] = T(1);
      tile.g[s] = sign[s];
      tile.beta[s] = 0.0;
      tile.lo[s] = sign[s] > 0 ? 0.0 : -c;
      tile.hi[s] = sign[s] > 0 ? c : 0.0;
      if (groups) tile.group[s] = static_cast<std::uint8_t>(s % 2);
      for (Index t = 0; t < n; ++t) tile.k[s * tile.ld + t] = static_cast<T>(k(s, t));
    }
    tile.begin(n);
    const std::vector<double> start = tile.g;
    const auto out = tile.solve(pairs, tol, most, [] {});
    double sum = 0, gain = 0;
    std::array<double, 2> up, low;
    up.fill(pairs ? -HUGE_VAL : 0.0);
    low.fill(pairs ? HUGE_VAL : 0.0);
    for (Index s = 0; s < n; ++s) {
      double g = start[s];
      for (Index t = 0; t < n; ++t) g -= static_cast<double>(tile.k[s * tile.ld + t]) * tile.beta[t];
      const std::size_t group = groups ? tile.group[s] : 0;
      if (tile.beta[s] < tile.hi[s]) up[group] = std::max(up[group], g);
      if (tile.beta[s] > tile.lo[s]) low[group] = std::min(low[group], g);
      CHECK(tile.beta[s] >= tile.lo[s]);
      CHECK(tile.beta[s] <= tile.hi[s]);
      sum += tile.beta[s];
      gain += 0.5 * tile.beta[s] * (start[s] + g);
    }
    if (pairs) CHECK(std::abs(sum) < 1e-8 * c);
    if (out.steps < most) {
      for (std::size_t group = 0; group < (groups ? 2 : 1); ++group) CHECK(up[group] - low[group] < 2.0 * tol);
      CHECK(out.gain == doctest::Approx(gain).epsilon(1e-6));
    }
    return out.steps;
  }
};

}  // namespace

TEST_CASE("at a large C walks replace most steps, with a sum, two sums or none, and the tile is solved") {
  const Noisy of(300, 1e5);
  constexpr std::int64_t kMost = 400000;
  constexpr std::size_t kRoom = 1 << 20;
  for (const int kind : {0, 1, 2}) {
    CAPTURE(kind);
    const bool pairs = kind > 0, groups = kind == 2;
    const std::int64_t walked = of.steps<double>(pairs, groups, 1e-3, kRoom, kMost);
    CHECK(walked < kMost);
    CHECK(of.steps<double>(pairs, groups, 1e-3, 0, 4 * walked) == 4 * walked);  // without room for walks
  }
}

TEST_CASE("float tiles walk too, as far as their values allow") {
  CHECK(Noisy(300, 1e3).steps<float>(true, false, 1e-2, 1 << 20, 400000) < 400000);
}
