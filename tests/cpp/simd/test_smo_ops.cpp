// The inner SMO's vector operations against plain loops. All numbers are small multiples of 1/8, so every product is exact, the
// result must be the same to the bit, and ties are frequent.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/ops.hpp"

using dcsvm::base::Random;
using namespace dcsvm::simd;

namespace {

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();

enum class Members { mixed, no_up, no_low, neither, all };

template <class T>
struct Tile {
  Index q, padded;
  std::vector<T> g, ki, kj, diag, pen_up, pen_low;

  Tile(Index size, Members members, Random& random)
      : q(size), padded((size + ops<T>().lanes - 1) / ops<T>().lanes * ops<T>().lanes) {
    const auto eighths = [&](Index range) { return static_cast<T>(random.below(2 * range + 1) - range) / T(8); };
    for (auto* v : {&g, &ki, &kj}) v->assign(padded, T(0));
    diag.assign(padded, T(1));
    pen_up.assign(padded, -kInf<T>);
    pen_low.assign(padded, kInf<T>);
    for (Index t = 0; t < q; ++t) {
      g[t] = eighths(12), ki[t] = eighths(8), kj[t] = eighths(8);
      diag[t] = T(1) + eighths(7);
      const bool up = members == Members::all || members == Members::no_low || (members == Members::mixed && random.below(3) > 0);
      const bool low = members == Members::all || members == Members::no_up || (members == Members::mixed && random.below(3) > 0);
      if (up) pen_up[t] = 0;
      if (low) pen_low[t] = 0;
    }
  }
  bool up(Index t) const { return pen_up[t] == T(0); }
  bool low(Index t) const { return pen_low[t] == T(0); }
};

template <class T>
Extremes<T> extremes_twin(const Tile<T>& tile, const std::vector<T>& g) {
  Extremes<T> e{-kInf<T>, kInf<T>, -1, -1};
  for (Index t = 0; t < tile.q; ++t) {
    if (tile.up(t) && g[t] > e.up_value) e.up_value = g[t], e.up = static_cast<std::int32_t>(t);
    if (tile.low(t) && g[t] < e.low_value) e.low_value = g[t], e.low = static_cast<std::int32_t>(t);
  }
  return e;
}

template <class T>
bool same(const Extremes<T>& a, const Extremes<T>& b) {
  return a.up == b.up && a.low == b.low && a.up_value == b.up_value && a.low_value == b.low_value;
}

template <class T>
std::vector<Tile<T>> tiles(std::uint64_t seed) {
  Random random(seed);
  std::vector<Tile<T>> list;
  for (const Members members : {Members::mixed, Members::no_up, Members::no_low, Members::neither, Members::all}) {
    for (const Index q : {0, 1, 2, 3, 15, 16, 17, 33, 100, 513}) {
      for (int copy = 0; copy < 4; ++copy) list.emplace_back(q, members, random);
    }
  }
  return list;
}

}  // namespace

TEST_CASE_TEMPLATE("smo_extremes: largest of up, smallest of low, ties to the lowest position", T, float, double) {
  const auto& op = ops<T>();
  for (const auto& tile : tiles<T>(1)) {
    CHECK(
        same(op.smo_extremes(tile.g.data(), tile.pen_up.data(), tile.pen_low.data(), tile.padded), extremes_twin(tile, tile.g)));
  }
}

TEST_CASE_TEMPLATE("smo_update_pair: the gradient step, then the extremes", T, float, double) {
  const auto& op = ops<T>();
  Random random(7);
  for (const auto& tile : tiles<T>(2)) {
    const T delta = static_cast<T>(random.below(9)) / T(4);
    auto g = tile.g, expected = tile.g;
    for (Index t = 0; t < tile.q; ++t) expected[t] -= delta * (tile.ki[t] - tile.kj[t]);
    const auto e =
        op.smo_update_pair(g.data(), tile.ki.data(), tile.kj.data(), delta, tile.pen_up.data(), tile.pen_low.data(), tile.padded);
    CHECK(std::equal(expected.begin(), expected.begin() + tile.q, g.begin()));
    CHECK(same(e, extremes_twin(tile, expected)));
  }
}

TEST_CASE_TEMPLATE("smo_partner: the second-order choice of Fan et al.", T, float, double) {
  const auto& op = ops<T>();
  Random random(8);
  for (const auto& tile : tiles<T>(3)) {
    const T gi = static_cast<T>(random.below(25) - 12) / T(8), kii = static_cast<T>(random.below(16)) / T(8);
    std::int32_t best = -1;
    double num = 0, den = 1;
    for (Index t = 0; t < tile.q; ++t) {
      const double diff = static_cast<double>(gi) - static_cast<double>(tile.g[t]);
      if (!tile.low(t) || diff <= 0) continue;
      // The floor as T rounds it; sums of eighths are exact.
      const double quad = std::max(static_cast<double>(static_cast<T>(1e-12)),
                                   static_cast<double>(kii + tile.diag[t]) - 2.0 * static_cast<double>(tile.ki[t]));
      if (diff * diff * den > num * quad) num = diff * diff, den = quad, best = static_cast<std::int32_t>(t);
    }
    const auto found =
        op.smo_partner(tile.g.data(), tile.ki.data(), tile.diag.data(), tile.pen_low.data(), gi, kii, T(1e-12), tile.padded);
    CHECK(found == best);
  }
}

TEST_CASE_TEMPLATE("smo_update_single: one variable's best gain", T, float, double) {
  const auto& op = ops<T>();
  Random random(9);
  for (const auto& tile : tiles<T>(4)) {
    for (const bool moves : {false, true}) {
      const T delta = static_cast<T>(random.below(9) - 4) / T(4);
      auto g = tile.g, expected = tile.g;
      for (Index t = 0; t < tile.q && moves; ++t) expected[t] -= delta * tile.ki[t];
      std::int32_t best = -1;
      double num = 0, den = 1, worst = 0;
      for (Index t = 0; t < tile.q; ++t) {
        const double v = static_cast<double>(expected[t]);
        const double gain = std::max({tile.up(t) ? v : 0.0, tile.low(t) ? -v : 0.0, 0.0});
        const double d = static_cast<double>(tile.diag[t]);
        worst = std::max(worst, gain);
        if (gain * gain * den > num * d) num = gain * gain, den = d, best = static_cast<std::int32_t>(t);
      }
      T violation = -1;
      const auto found = op.smo_update_single(g.data(), moves ? tile.ki.data() : nullptr, delta, tile.diag.data(),
                                              tile.pen_up.data(), tile.pen_low.data(), T(1e-12), tile.padded, &violation);
      CHECK(std::equal(expected.begin(), expected.begin() + tile.q, g.begin()));
      CHECK(found == best);
      CHECK(static_cast<double>(violation) == worst);
    }
  }
}
