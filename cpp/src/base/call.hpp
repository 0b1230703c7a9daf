// What every call of the library sets up: threads, progress and cancellation, memory cap.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "base/table_cap.hpp"
#include "dcsvm/call.hpp"

namespace dcsvm::base {

/// cap_mb: working memory, MB. max_seconds: as a training's parameter.
struct Call {
  Call(int n_threads, std::uint64_t seed, double cap_mb, const Hooks& hooks, double max_seconds = 0)
      : monitor(hooks, max_seconds), pool(resolve_threads(n_threads), [this] { monitor.poll(); }) {
    context.pool = &pool;
    context.monitor = &monitor;
    context.seed = seed;
    context.cap_bytes = context.call_cap_bytes = cap_of(cap_mb);
  }
  Monitor monitor;
  ThreadPool pool;
  Context context;
};

}  // namespace dcsvm::base
