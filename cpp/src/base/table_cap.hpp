// Tables that grow with rows x classes or with pairs of classes.
#pragma once

#include <cstddef>
#include <string>

namespace dcsvm::base {

/// Throws CapError ("cache_size: <what> need ... MB ...") when such tables take more than cap_bytes and more than 2 GB: a column
/// of numbers taken for classes would otherwise fill the memory.
void check_tables(double bytes, std::size_t cap_bytes, const std::string& what);

}  // namespace dcsvm::base
