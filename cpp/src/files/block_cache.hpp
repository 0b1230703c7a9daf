// Data as blocks on disk (docs/developers/block-cache.md): what is larger than memory is parsed once and read block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/row_blocks.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/svmlight.hpp"

namespace dcsvm::files {

inline constexpr std::uint32_t kBlockVersion = 1;
/// How the file `state` begins: the journal of a training, which a family may keep in the folder.
inline constexpr std::string_view kStateMagic{
    "\x89"
    "DCSVS\r\n",
    8};

/// What a cache was made from: a text file (its size and time of change tell whether it is still that one), or batches (all 0).
struct BlockSource {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds
  std::uint32_t zero_based = 0;
  Index n_features = 0;  ///< as asked for; 0: the largest index found
};

bool same_source(const BlockSource& a, const BlockSource& b);

/// One block's place in the text, for going on after an interruption.
struct BlockSpan {
  std::uint64_t begin = 0, end = 0;  ///< bytes
  std::uint64_t lines = 0;  ///< up to its end
};

/// Writes a cache into a folder, which is made if need be. Every block appears whole or not at all; finish() makes the cache
/// valid.
class BlockWriter {
 public:
  /// Finds blocks that an interrupted writer left: span() tells where to go on. Throws FileError; DataError when the folder is a
  /// symbolic link or holds a finished cache, blocks of another source or version, or other files.
  BlockWriter(std::string folder, const BlockSource& source);
  /// Removes what this writer and an interrupted one made (and the folder, when it is empty then), unless finish() was called or
  /// keep_parts().
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  Index blocks() const { return static_cast<Index>(rows_.size()); }
  const BlockSpan& span() const { return span_; }
  /// Values are stored as float32. Throws FileError, DataError (values beyond float32; batches of other widths or storage).
  void add(const DataView& x, const double* y, const BlockSpan& span = {});
  /// Leave the blocks to a later writer: for interruptions, as opposed to errors.
  void keep_parts() { keep_ = true; }
  void finish();

 private:
  std::string path_of(Index b) const;
  void inspect();
  void take_up();

  std::string folder_;
  BlockSource source_;
  BlockSpan span_;
  std::vector<std::int64_t> rows_;
  Index cols_ = 0;
  bool sparse_ = false, keep_ = false, finished_ = false;
};

class BlockCache final : public data::RowBlocks {
 public:
  /// Opens a finished cache. Throws FileError, DataError (damaged, another version, or not finished).
  explicit BlockCache(const std::string& folder);

  const BlockSource& source() const { return source_; }
  Index cols() const { return cols_; }
  /// Labels of all rows; reads every block.
  std::vector<double> labels(base::ThreadPool& pool) const;
  /// Changes with the content.
  std::uint32_t fingerprint() const { return fingerprint_; }

  Index blocks() const override { return static_cast<Index>(first_.size()) - 1; }
  Index first_row(Index b) const override { return first_[b]; }
  void visit(Index b, const std::function<void(const DataView&)>& use) const override;
  std::size_t bytes() const override { return largest_; }

 private:
  void visit_labelled(Index b, const std::function<void(const DataView&, const double*)>& use) const;

  std::string folder_;
  BlockSource source_;
  Index cols_ = 0;
  std::vector<Index> first_;
  std::size_t largest_ = 0;
  std::uint32_t fingerprint_ = 0;
};

/// Whether the folder holds a finished cache.
bool has_block_cache(const std::string& folder);
/// What the file is now.
BlockSource describe_source(const std::string& path, const LoadOptions& options);
/// Removes the files of a cache and of its journal, told by name and content, and the folder when nothing else is in it. Nothing
/// behind a symbolic link is touched. No error when there is no cache.
void remove_block_cache(const std::string& folder) noexcept;

/// Streams the text into a cache, in blocks of about block_bytes of text; goes on where an interrupted call stopped. Interrupted:
/// the blocks stay. Throws FileError, ParseError, DataError, ParameterError, Interrupted; after errors nothing is left.
void build_block_cache(const std::string& path, const std::string& folder, const LoadOptions& options, Index block_bytes,
                       base::ThreadPool& pool);

}  // namespace dcsvm::files
