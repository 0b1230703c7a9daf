// libFuzzer's entry for one target (DCSVM_FUZZ_TARGET).
#include <stdlib.h>
#include <unistd.h>

#include "targets.hpp"

/// The targets' files are kept in memory where the system has a folder for that: on a disk each execution would wait for fsync.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcsvm::fuzz::DCSVM_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
