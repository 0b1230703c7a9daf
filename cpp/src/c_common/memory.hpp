// Memory that the C libraries hand to their callers, who may free it with free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace dcsvm::c_common {

/// n zeros, at least one, so that null always means "not there". Throws std::bad_alloc.
template <class T>
T* allocate(std::size_t n) {
  void* memory = std::calloc(std::max<std::size_t>(n, 1), sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

/// Frees an array and sets the pointer to null.
template <class T>
void release(T*& array) noexcept {
  std::free(static_cast<void*>(array));
  array = nullptr;
}

}  // namespace dcsvm::c_common
