// What every call of the library sets up: threads, progress and cancellation, memory cap.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/context.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm::base {

/// cap_mb: working memory, MB; at most 2^60 bytes, which no machine has.
struct Call {
  Call(int n_threads, std::uint64_t seed, double cap_mb, const Hooks& hooks)
      : monitor(hooks), pool(resolve_threads(n_threads), [this] { monitor.poll(); }) {
    context.pool = &pool;
    context.monitor = &monitor;
    context.seed = seed;
    context.cap_bytes = static_cast<std::size_t>(std::min(cap_mb * 1048576.0, 0x1p60));
  }
  Monitor monitor;
  ThreadPool pool;
  Context context;
};

}  // namespace dcsvm::base
