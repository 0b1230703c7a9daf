// What a call carries with it: threads, seed, byte cap, progress and cancellation. There are no globals.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/interrupts.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/call.hpp"

namespace dcsvm::base {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What poll() throws inside of a Limited (below) when the work takes too long.
struct TooLate {};

/// Turns Hooks into rate-limited calls, and ends a training whose time is over as if the host had cancelled it. Used on the
/// calling thread only.
class Monitor {
 public:
  static constexpr double kGrace = 1.0;  ///< seconds

  /// max_seconds: of the call, from now; 0: no limit. grace: seconds that work inside of a Limited has after the end of the call,
  /// beside a tenth of the time before it.
  explicit Monitor(const Hooks& hooks, double max_seconds = 0, double grace = kGrace);

  /// Throws Interrupted when the host asks for it; looks at most every 50 ms. Inside of a Limited: TooLate.
  void poll() {
    interrupts_.poll();
    if (limits_ > 0 && too_late()) throw TooLate();
  }
  /// Reports progress the first time, then once in Hooks::progress_interval (always when `force`); true: the host cancelled, or
  /// the time is over.
  bool progress(Progress& p, bool force = false);
  /// Whether a report is due. Who computes numbers with a pass over the data asks first, and then forces the report.
  bool due() const;
  bool cancelled() const;
  /// What a report says of `reason`: solvers call both ends cancelled.
  StopReason named(StopReason reason) const;
  Clock::time_point start() const { return start_; }

 private:
  friend class Limited;
  bool too_late() const;

  const Hooks& hooks_;
  Interrupts interrupts_;
  Clock::time_point start_, last_progress_{};
  double max_seconds_, grace_;
  double end_ = std::numeric_limits<double>::infinity();  // seconds after the start: of the limit, or when the host cancelled
  int limits_ = 0;
  bool cancelled_ = false;
};

/// Work that is better left than done long after the host cancelled, or the time was over: while this lives, poll() throws
/// TooLate then. Whoever makes one catches that, and leaves things as they were before.
class Limited {
 public:
  explicit Limited(Monitor* monitor) : monitor_(monitor) {
    if (monitor_ != nullptr) ++monitor_->limits_;
  }
  ~Limited() {
    if (monitor_ != nullptr) --monitor_->limits_;
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  Monitor* monitor_;
};

class Place;
class Workspace;

struct Context {
  ThreadPool* pool = nullptr;  ///< never null
  Monitor* monitor = nullptr;  ///< null inside a task of a parallel level: only the calling thread reports
  std::uint64_t seed = 0;
  std::size_t cap_bytes = 0;  ///< working memory that this piece of work may hold
  std::size_t call_cap_bytes = 0;  ///< that of the whole call, of which messages speak; 0: the same
  Workspace* workspace = nullptr;  ///< of this thread (base/workspace.hpp); null: no solves follow that could use it
  Place* place = nullptr;  ///< where its state is kept (base/checkpoint.hpp); copies share it. Null: it is not kept
};

}  // namespace dcsvm::base
