#include "files/block_options.hpp"

#include <algorithm>

#include "dcsvm/errors.hpp"

namespace dcsvm::files {

namespace {

constexpr double kMB = 1048576.0;

Index text_per_block(double memory_mb) { return static_cast<Index>(std::clamp(memory_mb * kMB / 16, 65536.0, 16 * kMB)); }

BlockCache open_cache(const std::string& path, const std::string& folder, const BlockOptions& options, base::ThreadPool& pool) {
  LoadOptions load;
  load.n_features = options.n_features;
  load.zero_based = options.zero_based;
  const BlockSource source = describe_source(path, load);
  if (!has_block_cache(folder)) build_block_cache(path, folder, load, text_per_block(options.memory_mb), pool);
  BlockCache cache(folder);
  if (!same_source(cache.source(), source)) {
    throw DataError(folder + ": the block cache was made from another state of " + path +
                    ", or with other options; delete the folder to build the cache again");
  }
  return cache;
}

}  // namespace

void check_block_options(const BlockOptions& options) {
  if (!(options.memory_mb > 0) || options.memory_mb > 1e12) throw ParameterError("memory_mb must be a finite number > 0");
}

FileBlocks::FileBlocks(const std::string& path, const BlockOptions& options, base::ThreadPool& pool)
    : keep_(options.keep_cache),
      folder_(options.cache.empty() ? path + ".dcsvm-blocks" : options.cache),
      cache_(open_cache(path, folder_, options, pool)) {}

void FileBlocks::done() const {
  if (!keep_) remove_block_cache(folder_);
}

}  // namespace dcsvm::files
