// Asks the CPU itself instead of __builtin_cpu_supports: that asks the compiler's runtime, and the runtime that zig links answers
// no to everything. Intel's manual, volume 1, 13.3 and 15.2 has the order of the questions.
#include "simd/cpu.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dcsvm::simd {

namespace {

constexpr bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

#if defined(__x86_64__)

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All 0 where the CPU has no such leaf.
Leaf cpuid(unsigned leaf) {
  Leaf found;
  if (__get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx) == 0) return {};
  return found;
}

unsigned saved_registers() {
  constexpr unsigned osxsave = 1U << 27;  // leaf 1, ecx: xgetbv exists
  if (!has(cpuid(1).ecx, osxsave)) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
#if defined(__APPLE__)
  low |= 0xe0;  // of AVX-512: macOS sets these bits when a thread first uses such a register
#endif
  return low;
}

CpuBits found() { return {cpuid(1).ecx, cpuid(7).ebx, cpuid(7).ecx, saved_registers(), cpuid(7).edx}; }

#else

CpuBits found() { return {}; }

#endif

}  // namespace

bool cpu_has(const CpuBits& bits) {
  const CpuBits cpu = found();
  return has(cpu.ecx1, bits.ecx1) && has(cpu.ebx7, bits.ebx7) && has(cpu.ecx7, bits.ecx7) && has(cpu.saved, bits.saved) &&
         has(cpu.edx7, bits.edx7);
}

bool tiles_permitted() {
#if defined(__x86_64__) && defined(__linux__)
  // arch_prctl(ARCH_REQ_XCOMP_PERM, the tiles' data): the kernel's Documentation/arch/x86/xstate.rst.
  const auto ask = [] {
    constexpr long kArchPrctl = 158, kAskForRegisters = 0x1023, kTileData = 18;
    long answer = 0;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(kArchPrctl), "D"(kAskForRegisters), "S"(kTileData) : "rcx", "r11", "memory");
    return answer == 0;
  };
  static const bool permitted = ask();
  return permitted;
#else
  return false;
#endif
}

}  // namespace dcsvm::simd
