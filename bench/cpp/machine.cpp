#include "machine.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "base/buffer.hpp"
#include "simd/ops.hpp"

// A function per instruction set: chains of multiply-adds, enough of them in flight to hide their latency, all in registers.
#define DCSVM_PEAK(name, bytes, attribute)                                                          \
  attribute double name(long steps, float factor) {                                                 \
    typedef float Vector __attribute__((vector_size(bytes)));                                       \
    constexpr int kChains = 12;                                                                     \
    Vector acc[kChains];                                                                            \
    for (int c = 0; c < kChains; ++c) acc[c] = Vector{} + static_cast<float>(c);                    \
    const Vector x = Vector{} + factor, y = Vector{} + (1.0f - factor);                             \
    for (long s = 0; s < steps; ++s) {                                                              \
      _Pragma("GCC unroll 12") for (int c = 0; c < kChains; ++c) acc[c] = acc[c] * x + y;           \
    }                                                                                               \
    Vector sum{};                                                                                   \
    for (int c = 0; c < kChains; ++c) sum += acc[c];                                                \
    volatile float keep = sum[0];                                                                   \
    static_cast<void>(keep);                                                                        \
    return 2.0 * kChains * static_cast<double>(bytes / sizeof(float)) * static_cast<double>(steps); \
  }

namespace dcsvm::bench {

namespace {

DCSVM_PEAK(peak_baseline, 16, )
#if defined(__x86_64__)
DCSVM_PEAK(peak_avx2, 32, __attribute__((target("avx2,fma"))))
DCSVM_PEAK(peak_avx512, 64, __attribute__((target("avx512f,prefer-vector-width=512"))))
#endif

double run_peak(long steps, float factor) {
#if defined(__x86_64__)
  if (simd::active_isa() == "avx512") return peak_avx512(steps, factor);
  if (simd::active_isa() == "avx2") return peak_avx2(steps, factor);
#endif
  return peak_baseline(steps, factor);
}

// Processor time, as the counters use: what others do on the machine must not lower the peak.
double seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

constexpr int kTries = 7;

double measure_flops() {
  double best = 0;
  for (int t = 0; t < kTries; ++t) {
    const std::clock_t start = std::clock();
    const double flops = run_peak(20'000'000, 0.5f + 1e-6f * static_cast<float>(t));
    best = std::max(best, flops / seconds_since(start));
  }
  return best;
}

double measure_bytes() {
  const base::Buffer<std::uint64_t> memory(Index{1} << 25, 1);
  double best = 0;
  for (int t = 0; t < kTries; ++t) {
    const std::clock_t start = std::clock();
    std::uint64_t sum[8] = {};
    for (Index i = 0; i < memory.size(); i += 8) {
      for (int k = 0; k < 8; ++k) sum[k] += memory[i + k];
    }
    volatile std::uint64_t keep = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
    static_cast<void>(keep);
    best = std::max(best, static_cast<double>(memory.bytes()) / seconds_since(start));
  }
  return best;
}

}  // namespace

const Machine& machine() {
  static const Machine measured{measure_flops(), measure_bytes()};
  return measured;
}

}  // namespace dcsvm::bench
