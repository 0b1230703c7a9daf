// What a call has computed so far, so that a call that was killed goes on from there. The pieces of work of a call are
// numbered in the order in which it begins them, which depends on data and parameters alone: a piece has the same number in the
// call that was killed and in the one that goes on. A number inside a piece follows that of the piece, so together they are a
// path.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/context.hpp"

namespace dcsvm::base {

/// Whether a kept number is a count, which a damaged file's need not be: from 0, and as far as doubles know every whole number,
/// so that sums of many are integers too.
inline bool is_count(double number) { return number >= 0 && number < 0x1p53; }

/// All methods may be called from several threads.
class Checkpoint {
 public:
  using Path = std::vector<std::uint32_t>;
  using Entries = std::map<Path, std::vector<double>>;

  /// found: what an earlier call kept. interval: seconds of work that may be lost, > 0. write: stores all entries in place of
  /// what was stored before; what it throws passes through put and write.
  Checkpoint(Entries found, double interval, std::function<void(const Entries&)> write);

  /// How old what is kept of a running piece may become. Half the interval: what is stored is as old again at most.
  Clock::duration period() const { return period_; }
  /// What is kept of a piece; empty: nothing.
  std::vector<double> find(const Path& path) const;
  /// Keeps `values` of a piece instead of what was kept of it and of the pieces inside it; stores everything when the last time
  /// is a period ago.
  void put(const Path& path, std::vector<double> values);
  /// Stores everything now.
  void write();

 private:
  mutable std::mutex mutex_;
  Entries entries_;
  const Clock::duration period_;
  const std::function<void(const Entries&)> write_;
  Clock::time_point written_;
};

/// A piece of work, which one thread at a time is busy with.
class Place {
 public:
  explicit Place(Checkpoint& checkpoint, Checkpoint::Path path = {}) : checkpoint_(&checkpoint), path_(std::move(path)) {}
  /// The next piece inside this one.
  Place next() { return at(next_++); }
  /// Piece i inside this one, of those that are begun in no certain order.
  Place at(std::uint32_t i) const;

  Checkpoint& checkpoint() const { return *checkpoint_; }
  std::vector<double> find() const { return checkpoint_->find(path_); }
  void put(std::vector<double> values) const { checkpoint_->put(path_, std::move(values)); }

 private:
  Checkpoint* checkpoint_;
  Checkpoint::Path path_;
  std::uint32_t next_ = 0;
};

}  // namespace dcsvm::base
