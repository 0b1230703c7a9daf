#include "base/aligned_memory.hpp"

namespace dcsvm::base {

void advise_huge_pages(void*, std::size_t) noexcept {}  // they need a right that users seldom have

}  // namespace dcsvm::base
