// Where a training in blocks stands, beside its blocks: a training that was killed goes on from there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "files/file.hpp"
#include "low_rank/solver.hpp"

namespace dcsvm::low_rank {

/// The checkpoints as a journal (docs/developers/block-cache.md): each adds the dual variables that its block changed, so that a
/// checkpoint costs a block and not all rows. The file is written anew, atomically, when it has grown to twice a whole state.
class BlockJournal {
 public:
  /// fingerprint: of everything that the state depends on. Fills `state`, which is at its start (alpha = 0), from the last
  /// complete checkpoint; one with another fingerprint or other sizes is ignored. Throws FileError.
  BlockJournal(const std::string& folder, std::uint32_t fingerprint, BlockState& state);

  /// A checkpoint was there.
  bool found() const { return growing_ != nullptr; }
  /// Adds a checkpoint: state.problems[p].changed names what differs from the one before. Throws FileError; the checkpoints
  /// before stay complete then.
  void save(const BlockState& state);
  void remove() noexcept;

 private:
  void rewrite(const BlockState& state);

  std::string path_;
  std::uint32_t fingerprint_;
  std::unique_ptr<files::GrowingFile> growing_;  // null: nothing was written or found yet
};

}  // namespace dcsvm::low_rank
