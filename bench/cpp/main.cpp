// dcsvm_bench: prints what one core can do, then what the leaf operations reach. DCSVM_FORCE_ISA chooses the instruction set;
// options are Google Benchmark's (--benchmark_filter=tile, --benchmark_format=json).
#include <benchmark/benchmark.h>

#include <string>

#include "machine.hpp"
#include "simd/ops.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& can = dcsvm::bench::machine();
  benchmark::AddCustomContext("isa", dcsvm::simd::active_isa());
  benchmark::AddCustomContext("peak of one core, float multiply-adds, GFLOP/s", std::to_string(can.flops / 1e9));
  benchmark::AddCustomContext("memory of one core, reading, GB/s", std::to_string(can.bytes / 1e9));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
