// Which rows share a strip: every row has one slot, lists name what a strip has, and alike rows come together.
#include "kernels/strip_plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;
using kernels::Index;
using kernels::StripPlan;

namespace {

// Plans m rows of `units` units and returns the strips, slot by slot; also checks the plan against its definition.
std::vector<float> planned(StripPlan& plan, const std::vector<float>& rows, Index m, Index units, Index width, int threads = 2) {
  std::vector<float> strips((m + width - 1) / width * width * units, -1.0F);
  std::vector<int> calls(m, 0);
  base::ThreadPool pool(threads);
  const auto read = [&](Index begin, Index end, float* to) {
    std::copy_n(rows.data() + begin * units, (end - begin) * units, to);
  };
  plan.pack<float>(m, strips.data(), pool, read, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) ++calls[s];
  });
  CHECK(std::count(calls.begin(), calls.end(), 1) == m);
  for (Index s = 0; s < m; ++s) {
    for (Index k = 0; k < units; ++k)
      REQUIRE(strips[(s / width * units + k) * width + s % width] == rows[plan.row(s) * units + k]);
  }
  std::vector<Index> seen;
  for (Index s = 0; s < m; ++s) {
    seen.push_back(plan.row(s));
    CHECK(plan.slot(plan.row(s)) == s);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<Index> all(m);
  std::iota(all.begin(), all.end(), Index{0});
  CHECK(seen == all);
  return strips;
}

}  // namespace

TEST_CASE("a plan of strips lists what each strip has") {
  base::Random random(1);
  for (const Index units : {Index{1}, Index{22}, Index{64}, Index{131}}) {
    for (const Index m : {Index{1}, Index{7}, Index{8}, Index{513}, Index{1100}}) {
      const Index width = 8;
      std::vector<float> rows(m * units, 0.0F);
      for (float& v : rows) v = random.uniform() < 0.15 ? 1.0F : 0.0F;
      StripPlan plan(units, width, m == 513 ? 100 : 100000);
      const auto strips = planned(plan, rows, m, units, width);
      StripPlan of_one(units, width, m == 513 ? 100 : 100000);
      CHECK(planned(of_one, rows, m, units, width, 1) == strips);
      const auto features = plan.features();
      REQUIRE(features.list != nullptr);
      for (Index s = 0; s * width < m; ++s) {
        std::vector<std::int32_t> has;
        for (Index k = 0; k < units; ++k) {
          const float* unit = strips.data() + (s * units + k) * width;
          if (std::any_of(unit, unit + width, [](float v) { return v != 0.0F; })) has.push_back(static_cast<std::int32_t>(k));
        }
        CHECK(has == std::vector<std::int32_t>(features.list + s * units, features.list + s * units + features.count[s]));
      }
    }
  }
}

TEST_CASE("one-hot rows share strips with their like, and full rows keep no list") {
  const Index m = 512, units = 12, width = 8;
  std::vector<float> rows(m * units, 0.0F);
  for (Index r = 0; r < m; ++r) {
    rows[r * units + (r * 7 + r / 9) % 10] = 1.0F;
    rows[r * units + 10] = rows[r * units + 11] = 2.0F;
  }
  for (const Index columns : {100, 100000}) {
    StripPlan plan(units, width, columns);
    planned(plan, rows, m, units, width);
    const auto features = plan.features();
    double had = 0;
    for (Index s = 0; s < m / width; ++s) had += features.count[s];
    CHECK(had / static_cast<double>(m / width) < 4.5);  // 3 is the least; random rows have about 7.7
  }

  StripPlan full(units, width, 100000);
  planned(full, std::vector<float>(m * units, 1.0F), m, units, width);
  CHECK(full.features().list == nullptr);
}
