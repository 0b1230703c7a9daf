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
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace dcsvm::base
