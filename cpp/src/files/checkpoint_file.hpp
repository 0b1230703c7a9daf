// The file of a checkpoint (base/checkpoint.hpp; docs/developers/block-cache.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/checkpoint.hpp"

namespace dcsvm::files {

/// What a call computes, as names and values: the file of another call is refused by the first that differs.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Whether there is a file of this name. Throws FileError for a folder, DataError for a pipe or device.
bool has_checkpoint(const std::string& path);
/// The entries of a file that was written with the same identity. Throws FileError; DataError, which says what to do, for a
/// damaged file, one that is no checkpoint, or one of another call.
base::Checkpoint::Entries read_checkpoint(const std::string& path, const Identity& identity);
/// Replaces the file by one with these entries, or leaves it as it is when it throws (FileError).
void write_checkpoint(const std::string& path, const Identity& identity, const base::Checkpoint::Entries& entries);

}  // namespace dcsvm::files
