#include <malloc.h>

#include "base/aligned_memory.hpp"

namespace dcsvm::base {

void* allocate_aligned(std::size_t align, std::size_t bytes) noexcept { return ::_aligned_malloc(bytes, align); }
void free_aligned(void* memory, std::size_t) noexcept { ::_aligned_free(memory); }
void advise_huge_pages(void*, std::size_t) noexcept {}  // they need a right that users seldom have

}  // namespace dcsvm::base
