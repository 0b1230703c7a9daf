// What the CPU says about itself, against the compiler's runtime.
#include "simd/cpu.hpp"

#include "doctest/doctest.h"

using namespace dcsvm::simd;

TEST_CASE("cpu: each set of instructions contains the one before") {
  const CpuFeatures cpu = cpu_features();
  CHECK((cpu.avx2 || !cpu.avx512));
  CHECK((cpu.avx512 || !cpu.avx512vnni));
}

TEST_CASE("cpu: the compiler's runtime sees the same") {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse2") == 0) {  // which every x86-64 has
    MESSAGE("not tested: this compiler's runtime knows no instruction set (zig's is such)");
    return;
  }
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const CpuFeatures cpu = cpu_features();
  CHECK(cpu.avx2 == avx2);
  CHECK(cpu.avx512 == avx512);
  CHECK(cpu.avx512vnni == (avx512 && __builtin_cpu_supports("avx512vnni")));
#else
  CHECK_FALSE(cpu_features().avx2);
#endif
}
