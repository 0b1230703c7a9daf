// Newton steps on free variables, and the tiles that need them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "qp/face_walk.hpp"
#include "qp/inner_smo.hpp"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;

namespace {

const auto kGoesOn = [] { return false; };

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
          const Index steps = qp::walk_face(face.free, 1e-12, 10 * n, kGoesOn);
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
  Face face(30, 60, 1, 0.02, 5);
  const std::vector<double> before = face.free.beta;
  for (Index i = 0; i < face.n; ++i) face.free.k[i * face.n + i] = -1.0;
  CHECK(qp::walk_face(face.free, 1e-12, 100, kGoesOn) == 0);
  CHECK(face.free.beta == before);

  Face other(30, 60, 1, 0.02, 5), whole = other;
  REQUIRE(qp::walk_face(whole.free, 1e-12, 100, kGoesOn) > 3);
  CHECK(qp::walk_face(other.free, 1e-12, 3, kGoesOn) == 3);
  CHECK(std::count_if(other.free.beta.begin(), other.free.beta.end(), [&](const double& b) {
          const auto i = static_cast<std::size_t>(&b - other.free.beta.data());
          return b == other.free.lo[i] || b == other.free.hi[i];
        }) == 3);
}

TEST_CASE("a walk that is asked to stop keeps its whole steps, at whichever look") {
  const Face start(230, 300, 1, 0.02, 8);
  std::int64_t looks = 0;
  Face whole = start;
  const Index all = qp::walk_face(whole.free, 1e-12, 1000, [&looks] {
    ++looks;
    return false;
  });
  REQUIRE(all > 10);
  REQUIRE(looks > all);
  Index most = 0;
  for (std::int64_t at = 1; at <= looks; at += 7) {
    std::int64_t seen = 0;
    Face stopped = start, limited = start;
    const Index steps = qp::walk_face(stopped.free, 1e-12, 1000, [&] { return ++seen == at; });
    CHECK(seen == at);
    CHECK(steps >= most);
    most = steps;
    qp::walk_face(limited.free, 1e-12, steps, kGoesOn);
    CHECK(stopped.free.beta == limited.free.beta);
  }
  CHECK(most > all / 2);
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
  template <class T>
  void load(qp::InnerSmo<T>& tile, bool groups) const {
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
  }
  // How often steps of the tile were made until its violation, formed anew in double, was below tol.
  template <class T>
  std::int64_t steps(bool pairs, bool groups, double tol, std::size_t walk_bytes, std::int64_t most) const {
    qp::InnerSmo<T> tile(n);
    tile.allow_walks(n, walk_bytes);
    load(tile, groups);
    const std::vector<double> start = tile.g;
    const auto out = tile.solve(pairs, tol, most, kGoesOn);
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

TEST_CASE("a tile's solve ends when it is asked to stop, also within a walk, and walks only as far as its steps allow") {
  const Noisy of(300, 1e5);
  constexpr std::int64_t kMost = 400000;
  struct Ended {
    std::int64_t looks, steps;
    std::vector<double> beta;
  };
  const auto solved = [&](bool pairs, bool groups, std::int64_t stop_at, std::int64_t most) {
    qp::InnerSmo<double> tile(of.n);
    tile.allow_walks(of.n, 1 << 20);
    of.load(tile, groups);
    std::int64_t looks = 0;
    const auto out = tile.solve(pairs, 1e-3, most, [&] { return ++looks == stop_at; });
    return Ended{looks, out.steps, tile.beta};
  };
  for (const int kind : {0, 1, 2}) {
    CAPTURE(kind);
    const bool pairs = kind > 0, groups = kind == 2;
    const Ended whole = solved(pairs, groups, 0, kMost);
    // Looks of the SMO are thousands of steps apart: of two successive looks at the same number of steps the second is in a walk.
    std::int64_t inside = 2;
    Ended before = solved(pairs, groups, inside - 1, kMost), next = solved(pairs, groups, inside, kMost);
    while (next.steps > before.steps) {
      REQUIRE(inside < 100);
      before = std::move(next);
      next = solved(pairs, groups, ++inside, kMost);
      CHECK(next.looks == inside);
    }
    const std::int64_t at_walk = before.steps;
    CHECK(at_walk % qp::InnerSmo<double>::kLookEvery == 0);
    for (const std::int64_t more : {10, 100}) {
      const Ended stopped = solved(pairs, groups, inside + more, kMost);
      CHECK(stopped.looks == inside + more);  // none after the wish to stop
      CHECK(stopped.steps >= at_walk);
      CHECK(stopped.steps < whole.steps);
      CHECK(std::abs(std::accumulate(stopped.beta.begin(), stopped.beta.end(), 0.0)) < (pairs ? 1e-8 * of.c : HUGE_VAL));
    }
    // Where no step is left no walk begins.
    CHECK(solved(pairs, groups, 0, at_walk).looks == at_walk / qp::InnerSmo<double>::kPollSteps);
  }
}

namespace {

// The same problem in the block solver, in double. hooks: of the call.
struct NoisySolve {
  qp::Result result;
  std::vector<double> beta;
};
NoisySolve solve_noisy(const Noisy& of, const Hooks& hooks) {
  base::Monitor monitor(hooks);
  handmade::Call call(1, std::size_t{64} << 20, [&monitor] { monitor.poll(); });
  call.context.monitor = &monitor;
  const handmade::FunctionRows<double> rows(of.n, [&of](Index i, Index j) { return of.k(i, j); });
  std::vector<double> lo, hi;
  for (const double sign : of.sign) {
    lo.push_back(sign > 0 ? 0.0 : -of.c);
    hi.push_back(sign > 0 ? of.c : 0.0);
  }
  const qp::Problem problem{of.n, of.sign.data(), lo.data(), hi.data()};
  NoisySolve solved{{}, std::vector<double>(of.n, 0.0)};
  solved.result = qp::solve<double>(rows, problem, {}, solved.beta.data(), nullptr, call.context);
  return solved;
}

}  // namespace

TEST_CASE("a solve ends within a walk when a callback wishes it, with a solution that is feasible and described") {
  const Noisy of(300, 1e5);
  std::vector<std::int64_t> seen;  // steps at each report; two of one round have the same
  Hooks hooks;
  hooks.progress_interval = 0;
  hooks.progress = [&seen](const Progress& p) {
    seen.push_back(p.n_iter);
    return false;
  };
  const NoisySolve whole = solve_noisy(of, hooks);
  CHECK(whole.result.stop_reason == StopReason::converged);
  const auto twin = std::adjacent_find(seen.begin(), seen.end());
  REQUIRE(twin != seen.end());
  const auto wish = static_cast<std::size_t>(twin - seen.begin()) + 1;
  const auto next = std::upper_bound(twin, seen.end(), *twin);
  REQUIRE(next != seen.end());

  std::size_t reports = 0;
  hooks.progress = [&](const Progress&) { return reports++ == wish; };
  const NoisySolve ended = solve_noisy(of, hooks);
  CHECK(reports == wish + 1);
  CHECK(ended.result.stop_reason == StopReason::cancelled);
  CHECK(ended.result.n_iter >= *twin);
  CHECK(ended.result.n_iter < *next);  // the walk did not go on
  double sum = 0, objective = 0;
  for (Index i = 0; i < of.n; ++i) {
    sum += ended.beta[i];
    objective -= of.sign[i] * ended.beta[i];
    for (Index j = 0; j < of.n; ++j) objective += 0.5 * ended.beta[i] * of.k(i, j) * ended.beta[j];
  }
  CHECK(std::abs(sum) < 1e-8 * of.c);
  CHECK(ended.result.objective == doctest::Approx(objective).epsilon(1e-6));
}

TEST_CASE("the memory of a walk is counted when there is one") {
  const auto tile = static_cast<std::int64_t>(qp::InnerSmo<double>::bytes_of(300) + 300 * sizeof(Index));
  CHECK(solve_noisy(Noisy(300, 1.0), {}).result.peak_bytes == tile);
  const auto walked = solve_noisy(Noisy(300, 1e5), {}).result.peak_bytes;
  CHECK(walked > tile);
  CHECK(walked <= tile + static_cast<std::int64_t>(qp::bytes_of_walk(300)));
}
