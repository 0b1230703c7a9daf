// Memory for arrays from the operating system: aligned_memory_posix.cpp and aligned_memory_windows.cpp, of which a build has one.
#pragma once

#include <cstddef>

namespace dcsvm::base {

/// `bytes` is a multiple of `align`, a power of 2. Null: there is no memory.
void* allocate_aligned(std::size_t align, std::size_t bytes) noexcept;
/// align: as it was allocated.
void free_aligned(void* memory, std::size_t align) noexcept;
/// Asks for huge pages, where the system gives them and the memory holds whole ones.
void advise_huge_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace dcsvm::base
