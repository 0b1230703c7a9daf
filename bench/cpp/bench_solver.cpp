// The inner SMO on one tile, and working set selection, one thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "qp/inner_smo.hpp"
#include "qp/selection.hpp"

namespace {

using dcsvm::Index;
namespace base = dcsvm::base;
namespace solver = dcsvm::solver;
using benchmark::Counter;

// q points in the unit square with checkerboard labels, as a working set of the rbf kernel sees them.
void inner_smo(benchmark::State& state) {
  const Index q = state.range(0);
  base::Random random(4);
  std::vector<double> x, y, label;
  for (Index i = 0; i < q; ++i) {
    x.push_back(4 * random.uniform());
    y.push_back(4 * random.uniform());
    label.push_back((static_cast<int>(x.back()) + static_cast<int>(y.back())) % 2 == 0 ? 1.0 : -1.0);
  }
  qp::InnerSmo<float> smo(q);
  smo.q = q;
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j < q; ++j) {
      const double a = x[at(i)] - x[at(j)], b = y[at(i)] - y[at(j)];
      smo.k[i * smo.ld + j] = static_cast<float>(std::exp(-4 * (a * a + b * b)));
    }
    smo.diag[i] = 1;
    smo.g[at(i)] = label[at(i)];
    smo.lo[at(i)] = std::min(0.0, 10 * label[at(i)]);
    smo.hi[at(i)] = std::max(0.0, 10 * label[at(i)]);
  }
  double steps = 0;
  for (auto _ : state) {
    std::fill(smo.beta.begin(), smo.beta.end(), 0.0);
    steps += static_cast<double>(smo.solve(true, 1e-3, 1'000'000, [] {}).steps);
  }
  state.counters["steps"] = {steps, Counter::kAvgIterations};
  state.counters["s/step"] = {steps, Counter::kIsRate | Counter::kInvert};
}
BENCHMARK(inner_smo)->ArgName("q")->Arg(256)->Arg(1024)->Arg(2048);

void selection(benchmark::State& state) {
  const Index n = state.range(0);
  base::Random random(5);
  std::vector<double> g, beta;
  for (Index i = 0; i < n; ++i) {
    g.push_back(std::pow(2 * random.uniform() - 1, 9));
    beta.push_back(static_cast<double>(random.below(3)) / 2);
  }
  const std::vector<double> lo(g.size(), 0.0), hi(g.size(), 1.0);
  const std::vector<std::uint8_t> taken(g.size(), 0);
  const auto [bottom, top] = std::minmax_element(g.begin(), g.end());
  const qp::SelectionInput in{n, g.data(), beta.data(), lo.data(), hi.data(), *bottom, *top, *top, *bottom};
  base::ThreadPool pool(1);
  for (auto _ : state) benchmark::DoNotOptimize(qp::select_violators(in, 256, taken, pool));
  state.counters["s/element"] = {static_cast<double>(n), Counter::kIsIterationInvariantRate | Counter::kInvert};
}
BENCHMARK(selection)->ArgName("n")->Arg(10'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
