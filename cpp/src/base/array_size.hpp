// Sizes of arrays that are products of two numbers.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include "dcsvm/data.hpp"

namespace dcsvm::base {

/// a * b elements of at most 8 bytes. std::bad_alloc when no machine can hold so many: a product that wrapped around would
/// allocate a small array for a large loop. a, b >= 0.
inline std::size_t array_size(Index a, Index b) {
  constexpr Index most = std::numeric_limits<Index>::max() / 8;
  if (b != 0 && a > most / b) throw std::bad_alloc();
  return static_cast<std::size_t>(a * b);
}

}  // namespace dcsvm::base
