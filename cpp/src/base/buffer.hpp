// Uninitialised, 64-byte aligned arrays. Large ones ask for huge pages: first touch of 4 KB pages costs more than kernel values.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "base/aligned_memory.hpp"
#include "base/array_size.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::base {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  /// Throws std::bad_alloc.
  explicit Buffer(Index n) : size_(n) {
    if (n <= 0) return;
    const std::size_t bytes = array_size(n, static_cast<Index>(sizeof(T))), align = alignment(bytes);
    data_ = static_cast<T*>(allocate_aligned(align, (bytes + align - 1) / align * align));
    if (data_ == nullptr) throw std::bad_alloc();
    if (align == kHuge) advise_huge_pages(data_, bytes);
  }
  Buffer(Index n, T value) : Buffer(n) {
    for (Index i = 0; i < n; ++i) data_[i] = value;
  }
  ~Buffer() { free_aligned(data_); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](Index i) { return data_[i]; }
  const T& operator[](Index i) const { return data_[i]; }
  Index size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  static constexpr std::size_t kHuge = std::size_t{1} << 21;
  static std::size_t alignment(std::size_t bytes) { return bytes >= 2 * kHuge ? kHuge : 64; }

  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace dcsvm::base
