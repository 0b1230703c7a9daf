// Runs the tests under the instruction set that DCSVM_FORCE_ISA names. Returns 77 (skipped) with the reason when this build or
// this CPU does not have it; that is decided here, not by the library, whose own refusal is one of the tests.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kSkipped = 77;

const char* why_not(const std::string& isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (isa == "avx2" && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return "this CPU lacks it";
  if (isa == "avx512vnni" && !__builtin_cpu_supports("avx512vnni")) return "this CPU lacks it";
  if ((isa == "avx512" || isa == "avx512vnni") && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))) {
    return "this CPU lacks it";
  }
#endif
#ifndef DCSVM_HAVE_AVX2
  if (isa == "avx2") return "not part of this build";
#endif
#ifndef DCSVM_HAVE_AVX512
  if (isa == "avx512") return "not part of this build";
#endif
#ifndef DCSVM_HAVE_AVX512VNNI
  if (isa == "avx512vnni") return "not part of this build";
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const char* isa = std::getenv("DCSVM_FORCE_ISA");
  if (isa != nullptr) {
    if (const char* reason = why_not(isa)) {
      std::printf("SKIPPED: DCSVM_FORCE_ISA=%s: %s\n", isa, reason);
      return kSkipped;
    }
  }
  return doctest::Context(argc, argv).run();
}
