// The host's wish to stop a call, asked for so rarely that asking costs nothing.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "dcsvm/errors.hpp"

namespace dcsvm::base {

/// Used on the calling thread only. interrupted: as Hooks::interrupted.
class Interrupts {
 public:
  explicit Interrupts(std::function<bool()> interrupted) : interrupted_(std::move(interrupted)), last_(Clock::now()) {}

  /// Throws Interrupted when the host asks for it; looks at most every 50 ms.
  void poll() {
    if (!interrupted_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    ask();
  }
  /// Asks now.
  void ask() const {
    if (interrupted_ && interrupted_()) throw Interrupted();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::function<bool()> interrupted_;
  Clock::time_point last_;
};

}  // namespace dcsvm::base
