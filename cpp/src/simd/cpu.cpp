// Asks the CPU itself instead of __builtin_cpu_supports: that asks the compiler's runtime, and the runtime that zig links answers
// no to everything. Intel's manual, volume 1, 13.3 and 15.2 has the order of the questions.
#include "simd/cpu.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dcsvm::simd {

#if defined(__x86_64__)

namespace {

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All 0 where the CPU has no such leaf.
Leaf cpuid(unsigned leaf) {
  Leaf found;
  if (__get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx) == 0) return {};
  return found;
}

constexpr bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

/// The registers that the operating system saves when it changes threads (XCR0). Only where cpuid says that xgetbv exists.
unsigned saved_registers() {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

CpuFeatures cpu_features() {
  constexpr unsigned fma = 1U << 12, osxsave = 1U << 27, avx = 1U << 28;  // leaf 1, ecx
  constexpr unsigned avx2 = 1U << 5, f = 1U << 16, dq = 1U << 17, bw = 1U << 30, vl = 1U << 31;  // leaf 7, ebx
  constexpr unsigned vnni = 1U << 11;  // leaf 7, ecx
  constexpr unsigned ymm = 0x06;  // XCR0
  CpuFeatures features;
  if (!has(cpuid(1).ecx, fma | osxsave | avx)) return features;
  const unsigned saved = saved_registers();
  const Leaf extended = cpuid(7);
  features.avx2 = has(saved, ymm) && has(extended.ebx, avx2);
#if defined(__APPLE__)
  const bool zmm_saved = true;  // macOS sets these bits when a thread first uses such a register
#else
  const bool zmm_saved = has(saved, 0xe0);  // and its masks
#endif
  features.avx512 = features.avx2 && zmm_saved && has(extended.ebx, f | dq | bw | vl);
  features.avx512vnni = features.avx512 && has(extended.ecx, vnni);
  return features;
}

#else

CpuFeatures cpu_features() { return {}; }

#endif

}  // namespace dcsvm::simd
