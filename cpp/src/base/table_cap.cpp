#include "base/table_cap.hpp"

#include <algorithm>

#include "dcsvm/errors.hpp"

namespace dcsvm::base {

void check_tables(double bytes, std::size_t cap_bytes, const std::string& what, const char* or_else) {
  constexpr double kFree = 2147483648.0, kMB = 1048576.0;
  if (bytes <= std::max(static_cast<double>(cap_bytes), kFree)) return;
  throw CapError("cache_size: " + what + " need " + std::to_string(static_cast<long long>(bytes / kMB) + 1) +
                 " MB; raise cache_size to that" + or_else);
}

}  // namespace dcsvm::base
