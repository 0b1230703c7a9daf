// Memory for arrays. What the operating system is asked is in aligned_memory_posix.cpp and aligned_memory_windows.cpp, of which a
// build has one.
#pragma once

#include <cstddef>

namespace dcsvm::base {

/// `bytes` is a multiple of `align`, a power of 2. Null: there is no memory.
void* allocate_aligned(std::size_t align, std::size_t bytes) noexcept;
/// What allocate_aligned gave, or null.
void free_aligned(void* memory) noexcept;
/// Asks for huge pages, where the system gives them and the memory holds whole ones.
void advise_huge_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace dcsvm::base
