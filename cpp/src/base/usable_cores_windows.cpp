#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <thread>

#include "base/usable_cores.hpp"

namespace dcsvm::base {

int usable_cores() {
  DWORD_PTR own = 0, all = 0;  // of this process's group of at most 64 processors
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all) == 0 || own == 0) {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  int cores = 0;
  for (; own != 0; own &= own - 1) ++cores;
  return cores;
}

}  // namespace dcsvm::base
