#include "low_rank/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

TEST_CASE("greedy_step finds the least value of the loss along one coefficient") {
  base::Random random(3);
  for (int round = 0; round < 40; ++round) {
    low_rank::GreedyRows rows;
    std::vector<float> kernel;
    for (Index i = 0; i < 60; ++i) {
      kernel.push_back(static_cast<float>(random.uniform()));
      if (random.uniform() < 0.2) continue;  // takes no part
      rows.rows.push_back(i);
      rows.slack.push_back(3 * random.uniform() - 1);
      rows.C.push_back(round % 2 == 0 ? 100 * random.uniform() : 0.01);
      rows.sign.push_back(random.uniform() < 0.5 ? 1 : -1);
    }
    const double cross = random.uniform() - 0.5, diagonal = 1.0;
    const auto value = [&](double v) {
      double sum = cross * v + 0.5 * diagonal * v * v;
      for (std::size_t t = 0; t < rows.rows.size(); ++t) {
        const double lost = std::max(0.0, rows.slack[t] - v * rows.sign[t] * static_cast<double>(kernel[rows.rows[t]]));
        sum += rows.C[t] * lost * lost;
      }
      return sum;
    };
    double least = std::numeric_limits<double>::infinity();
    for (double v = -20; v <= 20; v += 1e-3) least = std::min(least, value(v));
    const auto step = low_rank::greedy_step(rows, kernel.data(), cross, diagonal);
    CHECK(step.gain == doctest::Approx(value(0) - value(step.length)));
    CHECK(value(step.length) <= least + 1e-4 * (value(0) - least) + 1e-9);
  }
}

TEST_CASE("greedy_step leaves a candidate alone that cannot help") {
  low_rank::GreedyRows rows;
  rows.rows = {0};
  rows.slack = {-1};
  rows.C = {1};
  rows.sign = {1};
  const float kernel = 1;
  CHECK(low_rank::greedy_step(rows, &kernel, 0, 1).gain == 0);
  CHECK(low_rank::greedy_step(rows, &kernel, 1, -1).gain == 0);  // not positive: no minimum
}
