// The memory cap in bytes; tables that grow with rows x classes or with pairs of classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace dcsvm::base {

/// At most 2^60 bytes, which no machine has.
inline std::size_t cap_of(double megabytes) { return static_cast<std::size_t>(std::min(megabytes * 1048576.0, 0x1p60)); }

/// Throws CapError ("cache_size: <what> need ... MB ...") when such tables take more than cap_bytes and more than 2 GB: a column
/// of numbers taken for classes would otherwise fill the memory.
void check_tables(double bytes, std::size_t cap_bytes, const std::string& what);

}  // namespace dcsvm::base
