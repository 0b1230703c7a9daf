#include "base/aligned_memory.hpp"

#include <cstddef>
#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dcsvm::base {

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  constexpr std::size_t kHuge = std::size_t{1} << 21;
  // Whole huge pages within the array.
  void* begin = memory;
  std::size_t space = bytes;
  if (std::align(kHuge, kHuge, begin, space) != nullptr) madvise(begin, space / kHuge * kHuge, MADV_HUGEPAGE);
#endif
}

}  // namespace dcsvm::base
