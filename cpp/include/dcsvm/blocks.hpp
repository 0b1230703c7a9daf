// Training on data larger than memory: how it is stored as blocks in a folder (docs/developers/block-cache.md).
#pragma once

#include <string>

#include "dcsvm/data.hpp"

namespace dcsvm {

struct BlockOptions {
  std::string cache;         ///< the folder; from a file it may be empty: the file's path with ".dcsvm-blocks" behind
  double memory_mb = 1000;   ///< cap of the working memory (MB of 2^20 bytes); the cache_size of parameters is ignored
  bool keep_cache = true;    ///< leave the finished cache for the next training
  Index n_features = 0;      ///< as LoadOptions
  bool zero_based = false;   ///< as LoadOptions
};

/// Rows that arrive in parts, all dense or all CSR, with the same number of columns.
struct Batch {
  DataView x;
  const double* y = nullptr;
};

}  // namespace dcsvm
