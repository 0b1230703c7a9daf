// Tiles, maps and the gradient update, one thread. "of_peak" and "of_memory" are percentages of what machine() measured.
#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "kernels/point_set.hpp"
#include "machine.hpp"
#include "simd/ops.hpp"

namespace {

using dcsvm::Index;
namespace base = dcsvm::base;
namespace bench = dcsvm::bench;
namespace kernels = dcsvm::kernels;
namespace simd = dcsvm::simd;
using benchmark::Counter;

constexpr Index kQueries = 128;

std::vector<float> uniform(Index n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (auto& v : x) v = static_cast<float>(random.uniform());
  return x;
}

Counter rate(double amount) { return {amount, Counter::kIsIterationInvariantRate}; }

// Percentage of `limit` per second that `amount` each iteration is, over the processor time since `start`.
double percent(const benchmark::State& state, double amount, double limit, std::clock_t start) {
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return 100 * amount * static_cast<double>(state.iterations()) / seconds / limit;
}

// Arrays of pointers to the rows of `values`.
template <class T>
std::vector<T*> rows_of(base::Buffer<T>& values, Index m, Index n) {
  std::vector<T*> rows;
  for (Index r = 0; r < m; ++r) rows.push_back(values.data() + r * n);
  return rows;
}

void count_tile(benchmark::State& state, Index n, double flops, std::clock_t start) {
  state.counters["values/s"] = rate(static_cast<double>(kQueries * n));
  state.counters["flop/s"] = rate(flops);
  state.counters["of_peak_%"] = percent(state, flops, bench::machine().flops, start);
}

void dense_tile(benchmark::State& state, simd::Map map) {
  const Index d = state.range(0), n = kernels::tile_grain<float>(d, 100'000);
  const auto x = uniform((n + kQueries) * d, 1);
  base::ThreadPool pool(1);
  const auto view = dcsvm::dense(x.data(), n + kQueries, d);
  const kernels::PointSet<float> points(view, nullptr, 0, n, kernels::Form::dense, simd::Term::product, nullptr, pool);
  const kernels::QuerySet<float> queries(view, nullptr, n, kQueries, kernels::Form::dense, nullptr);
  base::Buffer<float> values(kQueries * n, 0.0f);
  const auto out = rows_of(values, kQueries, n);
  const simd::MapParams<float> params{map, 1.0f / static_cast<float>(d), 0, 1};
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    kernels::kernel_tile(params, queries, points, 0, n, out.data());
    benchmark::ClobberMemory();
  }
  count_tile(state, n, 2.0 * static_cast<double>(kQueries * n * d), start);
}
BENCHMARK_CAPTURE(dense_tile, linear, simd::Map::linear)->ArgName("d")->Arg(2)->Arg(22)->Arg(54)->Arg(123)->Arg(784);
BENCHMARK_CAPTURE(dense_tile, rbf, simd::Map::rbf)->ArgName("d")->Arg(2)->Arg(22)->Arg(54)->Arg(123)->Arg(784);

// Like a9a: 123 features, 14 of them set. Operations counted are those of the non-zeros.
void sparse_tile(benchmark::State& state) {
  const Index d = 123, nonzeros = 14, n = 2048, rows = n + kQueries;
  base::Random random(2);
  std::vector<Index> columns(static_cast<std::size_t>(d));
  for (Index k = 0; k < d; ++k) columns[static_cast<std::size_t>(k)] = k;
  std::vector<std::int32_t> indices, indptr{0};
  for (Index i = 0; i < rows; ++i) {
    for (const Index k : base::sample(columns, nonzeros, random)) indices.push_back(static_cast<std::int32_t>(k));
    indptr.push_back(static_cast<std::int32_t>(indices.size()));
  }
  const std::vector<float> ones(indices.size(), 1.0f);
  const dcsvm::CsrView view{ones.data(),
                            dcsvm::ScalarType::float32,
                            indices.data(),
                            indptr.data(),
                            dcsvm::IndexType::int32,
                            dcsvm::IndexType::int32,
                            rows,
                            d};
  base::ThreadPool pool(1);
  const kernels::PointSet<float> points(view, nullptr, 0, n, kernels::Form::sparse, nullptr, pool);
  const kernels::QuerySet<float> queries(view, nullptr, n, kQueries, kernels::Form::sparse, nullptr);
  base::Buffer<float> values(kQueries * n, 0.0f);
  const auto out = rows_of(values, kQueries, n);
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    kernels::kernel_tile(simd::MapParams<float>{simd::Map::rbf, 0.03f, 0, 1}, queries, points, 0, n, out.data());
    benchmark::ClobberMemory();
  }
  count_tile(state, n, 2.0 * static_cast<double>(kQueries * n * nonzeros), start);
}
BENCHMARK(sparse_tile);

// In place, again and again: the parameters keep values away from overflow and denormal numbers.
void map_row(benchmark::State& state, simd::Map map) {
  const Index n = 4096;
  auto row = uniform(n, 3);
  const std::vector<float> norms(static_cast<std::size_t>(n), 1.0f);
  const simd::MapParams<float> params{map, map == simd::Map::rbf ? 0.5f : 0.1f, 1.0f, 3};
  for (auto _ : state) {
    simd::ops<float>().map_row(params, 1.0f, norms.data(), row.data(), n);
    benchmark::ClobberMemory();
  }
  state.counters["values/s"] = rate(static_cast<double>(n));
}
BENCHMARK_CAPTURE(map_row, rbf, simd::Map::rbf);
BENCHMARK_CAPTURE(map_row, poly, simd::Map::poly);
BENCHMARK_CAPTURE(map_row, sigmoid, simd::Map::sigmoid);

// g += coefficients x rows: 256 KB of rows, then 256 MB.
void accumulate(benchmark::State& state) {
  const Index m = 16, n = state.range(0);
  base::Buffer<float> values(m * n, 0.5f);
  const auto rows = rows_of(values, m, n);
  const std::vector<double> coef(static_cast<std::size_t>(m), 1e-3);
  std::vector<double> g(static_cast<std::size_t>(n), 0.0);
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    simd::ops<float>().accumulate(coef.data(), rows.data(), m, 0, n, g.data());
    benchmark::ClobberMemory();
  }
  const auto bytes = static_cast<double>(values.bytes() + 2 * g.size() * sizeof(double));
  state.counters["bytes/s"] = rate(bytes);
  state.counters["of_memory_%"] = percent(state, bytes, bench::machine().bytes, start);
}
BENCHMARK(accumulate)->ArgName("columns")->Arg(4096)->Arg(4'194'304);

}  // namespace
