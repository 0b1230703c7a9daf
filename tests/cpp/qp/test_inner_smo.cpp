// The SMO of one tile: rows that are computed when a step needs them give the steps that a filled tile gives.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "qp/inner_smo.hpp"

using namespace dcsvm;

namespace {

constexpr Index kSize = 333;
constexpr std::size_t kRoom = 1 << 20;  // of walks

// Points of two squares that touch, classes +1 and -1: most points are far from the other class.
struct Case {
  std::vector<double> x, y;
  Case() {
    base::Random random(3);
    for (Index i = 0; i < kSize; ++i) {
      const double sign = i % 2 == 0 ? 1.0 : -1.0;
      x.push_back(2.0 * sign + 4.0 * random.uniform() - 2.0);
      x.push_back(4.0 * random.uniform());
      y.push_back(sign);
    }
  }
  float k(Index i, Index j) const {
    return static_cast<float>(std::exp(-0.5 * (std::pow(x[2 * i] - x[2 * j], 2) + std::pow(x[2 * i + 1] - x[2 * j + 1], 2))));
  }
  void start(qp::InnerSmo<float>& tile, const std::vector<Index>& which) const {
    tile.q = static_cast<Index>(which.size());
    for (Index s = 0; s < tile.q; ++s) {
      const double sign = y[which[s]];
      tile.diag[s] = 1.0F;
      tile.g[s] = sign;
      tile.beta[s] = 0.0;
      tile.lo[s] = sign > 0 ? 0.0 : -10.0;
      tile.hi[s] = sign > 0 ? 10.0 : 0.0;
    }
  }
};

std::vector<Index> first(Index n, Index step) {
  std::vector<Index> all;
  for (Index i = 0; i < n; i += step) all.push_back(i);
  return all;
}

void fill(qp::InnerSmo<float>& tile, const Case& of, const std::vector<Index>& which) {
  for (Index s = 0; s < tile.q; ++s) {
    for (Index t = 0; t < tile.q; ++t) tile.k[s * tile.ld + t] = of.k(which[s], which[t]);
  }
  tile.begin(tile.q);
}

}  // namespace

TEST_CASE("rows on demand: the steps of a filled tile, no row twice, and few rows where few variables change") {
  const Case of;
  for (const bool pairs : {true, false}) {
    CAPTURE(pairs);
    qp::InnerSmo<float> filled(kSize), lazy(kSize);
    for (auto* tile : {&filled, &lazy}) tile->allow_walks(kSize, kRoom);
    std::vector<Index> which = first(kSize, 1);
    of.start(filled, which);
    fill(filled, of, which);
    of.start(lazy, which);
    std::vector<int> made(kSize, 0);
    lazy.begin(0, [&](const std::vector<Index>& slots, float* const* out) {
      for (std::size_t r = 0; r < slots.size(); ++r) {
        ++made[which[slots[r]]];
        for (Index t = 0; t < lazy.q; ++t) out[r][t] = of.k(which[slots[r]], which[t]);
      }
    });
    const auto a = filled.solve(pairs, 1e-3, 100000, [] { return false; }),
               b = lazy.solve(pairs, 1e-3, 100000, [] { return false; });
    CHECK(a.steps == b.steps);
    CHECK(a.steps > 20);
    CHECK(a.gain == b.gain);
    CHECK(filled.beta == lazy.beta);
    Index rows = 0;
    for (Index i = 0; i < kSize; ++i) {
      CHECK(made[i] <= 1);
      rows += made[i];
      if (lazy.beta[i] == 0.0) continue;
      REQUIRE(lazy.row(i) != nullptr);
      CHECK(lazy.row(i)[7] == of.k(i, 7));
    }
    CHECK(rows < 2 * kSize / 3);

    // Every second variable goes: rows that are there keep their values, others are still computed, over the columns left.
    const std::vector<Index> keep = first(kSize, 2);
    lazy.compact(keep);
    which = keep;
    of.start(lazy, which);
    of.start(filled, which);
    fill(filled, of, which);
    const auto c = filled.solve(pairs, 1e-4, 100000, [] { return false; }),
               d = lazy.solve(pairs, 1e-4, 100000, [] { return false; });
    CHECK(c.steps == d.steps);
    CHECK(filled.beta == lazy.beta);

    // The same object with a larger tile, all of whose rows are there: nothing is left of the tile before.
    which = first(kSize, 1);
    for (auto* tile : {&lazy, &filled}) {
      of.start(*tile, which);
      fill(*tile, of, which);
    }
    CHECK(lazy.solve(pairs, 1e-3, 100000, [] { return false; }).steps == a.steps);
    CHECK(filled.solve(pairs, 1e-3, 100000, [] { return false; }).steps == a.steps);
    CHECK(lazy.beta == filled.beta);
  }
}
