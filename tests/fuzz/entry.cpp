// libFuzzer's entry for one target (DCSVM_FUZZ_TARGET).
#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcsvm::fuzz::DCSVM_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
