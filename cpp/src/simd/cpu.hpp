// The vector instructions of x86 that the CPU has and whose registers the operating system keeps.
#pragma once

namespace dcsvm::simd {

struct CpuFeatures {
  bool avx2 = false;        ///< and FMA
  bool avx512 = false;      ///< F, BW, DQ and VL, and avx2
  bool avx512vnni = false;  ///< and avx512
};
/// All false on other processors than x86-64.
CpuFeatures cpu_features();

}  // namespace dcsvm::simd
