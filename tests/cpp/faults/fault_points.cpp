#include "faults/fault_points.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> armed[2];
std::atomic<long> countdown[2], seen[2], live{0};

bool fails(dcsvm::test::Fault kind) {
  const auto f = static_cast<std::size_t>(kind);
  if (!armed[f].load(std::memory_order_relaxed)) return false;
  ++seen[f];
  return --countdown[f] == 0;
}

// The size in front of a block says nothing about how it was made: every block of this program is freed by free().
void* block(std::size_t align, std::size_t size) noexcept {
  void* p = nullptr;
  if (fails(dcsvm::test::Fault::allocation) || ::posix_memalign(&p, align, size > 0 ? size : 1) != 0) return nullptr;
  ++live;
  return p;
}

void* block_or_throw(std::size_t align, std::size_t size) {
  void* p = block(align, size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void release(void* p) noexcept {
  if (p != nullptr) --live;
  std::free(p);
}

constexpr std::size_t kAlign = alignof(std::max_align_t);

}  // namespace

namespace dcsvm::test {

void arm(Fault kind, long k) {
  const auto f = static_cast<std::size_t>(kind);
  seen[f] = 0;
  countdown[f] = k > 0 ? k : -1;
  armed[f] = true;
}

long disarm() {
  long calls = 0;
  for (std::size_t f = 0; f < 2; ++f) {
    if (armed[f].exchange(false)) calls = seen[f];
  }
  return calls;
}

long live_blocks() { return live; }

}  // namespace dcsvm::test

void* operator new(std::size_t n) { return block_or_throw(kAlign, n); }
void* operator new[](std::size_t n) { return block_or_throw(kAlign, n); }
void* operator new(std::size_t n, std::align_val_t a) { return block_or_throw(static_cast<std::size_t>(a), n); }
void* operator new[](std::size_t n, std::align_val_t a) { return block_or_throw(static_cast<std::size_t>(a), n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return block(kAlign, n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return block(kAlign, n); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }

// In place of the C library's, for all code that is linked into this program.
extern "C" {

// Its blocks are freed by free(), which is not counted: they are not in `live`.
void* aligned_alloc(std::size_t align, std::size_t size) noexcept {
  void* p = nullptr;
  if (fails(dcsvm::test::Fault::allocation) || ::posix_memalign(&p, align, size) != 0) {
    errno = ENOMEM;
    return nullptr;
  }
  return p;
}

ssize_t write(int fd, const void* bytes, std::size_t size) {
  if (fd > 2 && fails(dcsvm::test::Fault::write)) {
    errno = ENOSPC;
    return -1;
  }
  return ::syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd) {
  if (fails(dcsvm::test::Fault::write)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

int fdatasync(int fd) {
  if (fails(dcsvm::test::Fault::write)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

}  // extern "C"
