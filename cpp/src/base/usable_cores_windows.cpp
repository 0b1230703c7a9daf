#include <algorithm>
#include <thread>

#include "base/usable_cores.hpp"

namespace dcsvm::base {

int usable_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace dcsvm::base
