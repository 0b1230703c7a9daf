#include <cstdint>
#include <cstdlib>

#include "base/aligned_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dcsvm::base {

void* allocate_aligned(std::size_t align, std::size_t bytes) noexcept { return std::aligned_alloc(align, bytes); }
void free_aligned(void* memory) noexcept { std::free(memory); }

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  constexpr std::uintptr_t kHuge = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + kHuge - 1) / kHuge * kHuge, end = (address + bytes) / kHuge * kHuge;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace dcsvm::base
