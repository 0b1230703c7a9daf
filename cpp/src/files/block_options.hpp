// The block cache that a training on a file asks for.
#pragma once

#include <string>

#include "dcsvm/blocks.hpp"
#include "files/block_cache.hpp"

namespace dcsvm::files {

/// Throws ParameterError.
void check_block_options(const BlockOptions& options);

/// The cache of a text file: built, or found in its folder. Removed at the end when options.keep_cache is false and done() was
/// called.
class FileBlocks {
 public:
  /// Throws as build_block_cache, and DataError where the folder has the cache of another state of the file.
  FileBlocks(const std::string& path, const BlockOptions& options, base::ThreadPool& pool);

  const std::string& folder() const { return folder_; }
  const BlockCache& cache() const { return cache_; }
  /// The training has succeeded: nothing reads the cache any more.
  void done() const;

 private:
  bool keep_;
  std::string folder_;
  BlockCache cache_;
};

}  // namespace dcsvm::files
