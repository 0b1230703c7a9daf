// What the CPU says about itself, against the compiler's runtime.
#include "simd/cpu.hpp"

#include <algorithm>
#include <map>

#include "doctest/doctest.h"
#include "simd/bytes.hpp"
#include "simd/ops.hpp"

using namespace dcsvm::simd;

TEST_CASE("cpu: each set of instructions contains the one before") {
  const auto built = built_isas();
  CHECK(std::is_partitioned(built.begin(), built.end(), runs_here));
  CHECK(runs_here("baseline"));
  CHECK_FALSE(runs_here("unknown"));
}

TEST_CASE("cpu: panels of bytes are as wide as those of floats") {  // pieces of Columns are cut at multiples of both
  if (byte_ops() != nullptr) CHECK(byte_ops()->nr == ops<float>().nr);
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
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  const std::map<std::string, bool> seen{{"baseline", true}, {"avx2", avx2}, {"avx512", avx512}, {"avx512vnni", vnni}};
  for (const std::string& isa : built_isas()) {
    CAPTURE(isa);
    if (isa == "amx") {  // not every runtime knows it, and the kernel may refuse it
      CHECK((vnni || !runs_here(isa)));
      continue;
    }
    CHECK(runs_here(isa) == seen.at(isa));
  }
  const bool counts = (active_isa() == "avx512vnni" || active_isa() == "amx") && __builtin_cpu_supports("avx512vpopcntdq");
  CHECK(has_bit_ops() == (active_isa() == "avx2" || counts));
#else
  CHECK_FALSE(cpu_has({1}));
  CHECK(cpu_has({}));
#endif
}
