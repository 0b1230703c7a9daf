// What was built and what this CPU runs.
#pragma once

#include <string>
#include <vector>

namespace dcsvm {

struct BuildConfig {
  std::string version;
  std::string compiler;
  std::vector<std::string> isa_built;  ///< "baseline", "avx2", "avx512", "avx512vnni"; on arm64 "baseline", "neon"
  std::string isa;                     ///< the one in use: the best that the CPU has, or DCSVM_FORCE_ISA
  int n_threads = 0;                   ///< what n_threads = 0 means here
};

/// Throws ParameterError when DCSVM_FORCE_ISA names an ISA that is unknown, not built, or not on this CPU.
BuildConfig build_config();

}  // namespace dcsvm
