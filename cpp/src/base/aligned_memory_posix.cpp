#include <cstdint>
#include <cstdlib>
#include <memory>

#include "base/aligned_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dcsvm::base {

namespace {
constexpr std::size_t kBefore = 64;  // alignment up to which the bytes from malloc's address on are noted in the byte before
}

// glibc's aligned_alloc takes several times as long as its malloc, which has freed memory of the same size at hand.
void* allocate_aligned(std::size_t align, std::size_t bytes) noexcept {
  if (align > kBefore) return std::aligned_alloc(align, bytes);
  auto* raw = static_cast<unsigned char*>(std::malloc(bytes + align));
  if (raw == nullptr) return nullptr;
  const std::size_t skipped = align - reinterpret_cast<std::uintptr_t>(raw) % align;
  raw[skipped - 1] = static_cast<unsigned char>(skipped);
  return raw + skipped;
}
void free_aligned(void* memory, std::size_t align) noexcept {
  auto* at = static_cast<unsigned char*>(memory);
  std::free(at == nullptr || align > kBefore ? at : at - at[-1]);
}

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
