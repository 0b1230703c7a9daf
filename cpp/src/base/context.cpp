#include "base/context.hpp"

namespace dcsvm {

const char* to_string(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::max_iter: return "max_iter";
    case StopReason::cancelled: return "cancelled";
    case StopReason::stagnated: return "stagnated";
    case StopReason::support_limit: return "support_limit";
    case StopReason::one_pass: return "one_pass";
  }
  return "unknown";
}

namespace base {

bool Monitor::due() const { return hooks_.progress && !cancelled_ && seconds_since(last_progress_) >= hooks_.progress_interval; }

bool Monitor::progress(Progress& p, bool force) {
  if (cancelled_) return true;
  if (!hooks_.progress || !(force || due())) return false;
  last_progress_ = Clock::now();
  p.seconds = seconds_since(start_);
  cancelled_ = hooks_.progress(p);
  return cancelled_;
}

}  // namespace base

}  // namespace dcsvm
