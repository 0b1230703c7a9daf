#include "base/context.hpp"

#include <algorithm>

namespace dcsvm {

const char* to_string(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::max_iter: return "max_iter";
    case StopReason::cancelled: return "cancelled";
    case StopReason::stagnated: return "stagnated";
    case StopReason::support_limit: return "support_limit";
    case StopReason::one_pass: return "one_pass";
    case StopReason::time_limit: return "time_limit";
  }
  return "unknown";
}

namespace base {

namespace {
constexpr double kShareAfter = 0.1;  // of the time before the end: work in a Limited may take so much longer
}

Monitor::Monitor(const Hooks& hooks, double max_seconds, double grace)
    : hooks_(hooks), interrupts_(hooks.interrupted), start_(Clock::now()), max_seconds_(max_seconds), grace_(grace) {
  if (max_seconds > 0) end_ = max_seconds;
}

bool Monitor::too_late() const { return seconds_since(start_) >= (1 + kShareAfter) * end_ + grace_; }

bool Monitor::due() const { return hooks_.progress && !cancelled_ && seconds_since(last_progress_) >= hooks_.progress_interval; }

bool Monitor::cancelled() const { return cancelled_ || (max_seconds_ > 0 && seconds_since(start_) >= max_seconds_); }

StopReason Monitor::named(StopReason reason) const {
  return reason == StopReason::cancelled && !cancelled_ && cancelled() ? StopReason::time_limit : reason;
}

bool Monitor::progress(Progress& p, bool force) {
  if (cancelled_) return true;
  if (hooks_.progress && (force || due())) {
    last_progress_ = Clock::now();
    p.seconds = seconds_since(start_);
    cancelled_ = hooks_.progress(p);
    if (cancelled_) end_ = std::min(end_, seconds_since(start_));
  }
  return cancelled();
}

}  // namespace base

}  // namespace dcsvm
