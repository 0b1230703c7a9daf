// The memory cap in bytes; tables that grow with rows x classes, with pairs of classes or with columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace dcsvm::base {

/// At most 2^60 bytes, which no machine has.
inline std::size_t cap_of(double megabytes) { return static_cast<std::size_t>(std::min(megabytes * 1048576.0, 0x1p60)); }

/// Advice for tables that grow with the number of classes: a column of numbers may have been taken for classes.
inline constexpr const char* kOrRegression = ", or, if y holds numbers and no classes, train a regression";

/// Throws CapError ("cache_size: <what> need ... MB; raise cache_size to that<or>") when such tables take more than cap_bytes and
/// more than 2 GB.
void check_tables(double bytes, std::size_t cap_bytes, const std::string& what, const char* or_else = kOrRegression);

}  // namespace dcsvm::base
