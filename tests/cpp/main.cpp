// Runs the tests under the instruction set that DCSVM_FORCE_ISA names. Returns 77 (skipped) with the library's reason when this
// build or this CPU does not have it.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"

#include <cstdio>

#include "dcsvm/errors.hpp"
#include "simd/ops.hpp"

int main(int argc, char** argv) {
  try {
    dcsvm::simd::active_isa();
  } catch (const dcsvm::ParameterError& refusal) {
    std::printf("SKIPPED: %s\n", refusal.what());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
