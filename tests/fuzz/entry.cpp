// libFuzzer's entry for one target (DCSVM_FUZZ_TARGET).
#include <stdlib.h>
#include <unistd.h>

#include "targets.hpp"

/// What AddressSanitizer keeps: exceptions, which most inputs cause, walk over all that it keeps of left functions' variables
/// (the preset "asan" keeps those), and a small piece of freed memory still covers many executions.
extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=0:quarantine_size_mb=32:malloc_context_size=4";
}

/// The targets' files are kept in memory where the system has a folder for that: on a disk each execution would wait for fsync.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcsvm::fuzz::DCSVM_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
