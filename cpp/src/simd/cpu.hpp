// The instructions of x86 that the CPU has and whose registers the operating system keeps.
#pragma once

namespace dcsvm::simd {

/// Bits of cpuid's leaves 1 and 7, and of the registers that the operating system saves when it changes threads (XCR0).
struct CpuBits {
  unsigned ecx1 = 0, ebx7 = 0, ecx7 = 0, saved = 0, edx7 = 0;
};
/// Whether all of them are set. Other processors than x86-64 have none.
bool cpu_has(const CpuBits& bits);
/// Asks the kernel, once, whether this process may use the tile registers of AMX. Only Linux (5.16 and later) knows the question.
bool tiles_permitted();

}  // namespace dcsvm::simd
