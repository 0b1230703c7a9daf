// Working set selection against a full sort.
#include "qp/selection.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

struct State {
  std::vector<double> g, beta, lo, hi;
  std::vector<std::uint8_t> taken;
  qp::SelectionInput in;
};

State make(Index n, int distinct, bool pairs, std::uint64_t seed) {
  State s;
  base::Random random(seed);
  for (Index i = 0; i < n; ++i) {
    s.g.push_back(distinct > 0 ? static_cast<double>(random.below(distinct)) - 2 : std::pow(2 * random.uniform() - 1, 9));
    s.lo.push_back(0);
    s.hi.push_back(random.uniform() < 0.05 ? 0.0 : 1.0);  // some fixed
    s.beta.push_back(s.hi.back() * static_cast<double>(random.below(3)) / 2);
    s.taken.push_back(random.uniform() < 0.1);
  }
  double up = -HUGE_VAL, low = HUGE_VAL;
  for (Index i = 0; i < n; ++i) {
    if (s.beta[i] < s.hi[i]) up = std::max(up, s.g[i]);
    if (s.beta[i] > s.lo[i]) low = std::min(low, s.g[i]);
  }
  s.in = {n, s.g.data(), s.beta.data(), s.lo.data(), s.hi.data(), pairs ? low : 0.0, up, pairs ? up : 0.0, low};
  return s;
}

bool is_up(const State& s, Index i) { return s.beta[i] < s.hi[i] && s.g[i] > s.in.up_floor && !s.taken[i]; }
bool is_low(const State& s, Index i) { return s.beta[i] > s.lo[i] && s.g[i] < s.in.low_ceiling && !s.taken[i]; }

// The sorted keys of the `count` worst of one side.
std::vector<double> worst(const State& s, bool up, Index count) {
  std::vector<double> keys;
  for (Index i = 0; i < s.in.n; ++i) {
    if (up ? is_up(s, i) : is_low(s, i)) keys.push_back(up ? -s.g[i] : s.g[i]);
  }
  std::sort(keys.begin(), keys.end());
  if (static_cast<Index>(keys.size()) > count) keys.resize(count);
  return keys;
}

}  // namespace

TEST_CASE("select_violators takes the worst of either side, none taken, none twice, the same on any threads") {
  for (const Index n : {1, 2, 50, 8192, 30000}) {
    for (const int distinct : {0, 1, 5}) {
      for (const bool pairs : {true, false}) {
        const State s = make(n, distinct, pairs, static_cast<std::uint64_t>(n + distinct));
        for (const Index per_side : {1, 7, 512}) {
          base::ThreadPool serial(1);
          const auto chosen = qp::select_violators(s.in, per_side, s.taken, serial);
          for (const int threads : {2, 5}) {
            base::ThreadPool pool(threads);
            CHECK(qp::select_violators(s.in, per_side, s.taken, pool) == chosen);
          }
          CHECK(std::set<Index>(chosen.begin(), chosen.end()).size() == chosen.size());
          const auto up = worst(s, true, per_side), low = worst(s, false, per_side);
          CHECK(chosen.size() <= up.size() + low.size());
          CHECK(chosen.size() >= std::max(up.size(), low.size()));
          bool legal = true;
          for (const Index p : chosen) {
            const bool as_up = is_up(s, p) && !up.empty() && -s.g[p] <= up.back();
            const bool as_low = is_low(s, p) && !low.empty() && s.g[p] <= low.back();
            legal = legal && (as_up || as_low);
          }
          CHECK(legal);
          // The first ones are the up side, worst first, with exactly the gradients that a full sort gives.
          for (std::size_t r = 0; r < up.size(); ++r) CHECK(-s.g[chosen[r]] == up[r]);
          for (std::size_t r = up.size(); r + 1 < chosen.size(); ++r) CHECK(s.g[chosen[r]] <= s.g[chosen[r + 1]]);
          // Every low candidate strictly worse than the last must be there.
          for (Index i = 0; i < n; ++i) {
            if (is_low(s, i) && !low.empty() && s.g[i] < low.back()) {
              if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
                CHECK_MESSAGE(false, "a worse low candidate is missing");
            }
          }
        }
      }
    }
  }
}

TEST_CASE("no violators: nothing chosen; equal gradients: a spread-out choice") {
  base::ThreadPool pool(1);
  State s = make(1000, 1, true, 3);  // all gradients equal: nobody violates
  CHECK(qp::select_violators(s.in, 10, s.taken, pool).empty());

  std::vector<double> g(10000, 1.0), beta(10000, 0.0), lo(10000, 0.0), hi(10000, 1.0);
  std::vector<std::uint8_t> taken(10000, 0);
  const auto chosen =
      qp::select_violators({10000, g.data(), beta.data(), lo.data(), hi.data(), 0.0, 1.0, 0.0, HUGE_VAL}, 100, taken, pool);
  REQUIRE(chosen.size() == 100);
  Index quarters[4] = {0, 0, 0, 0};
  for (const Index p : chosen) ++quarters[p / 2500];
  for (const Index q : quarters) CHECK(q >= 10);
}
