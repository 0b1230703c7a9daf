#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/usable_cores.hpp"

namespace dcsvm::base {

int usable_cores() {
  // On Linux, where glibc's hardware_concurrency reads a file and may count all cores of the machine.
#if defined(CPU_COUNT)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace dcsvm::base
