#include "base/context.hpp"

namespace dcsvm::base {

bool Monitor::due() const { return hooks_.progress && !cancelled_ && seconds_since(last_progress_) >= hooks_.progress_interval; }

bool Monitor::progress(Progress& p, bool force) {
  if (cancelled_) return true;
  if (!hooks_.progress || !(force || due())) return false;
  last_progress_ = Clock::now();
  p.seconds = seconds_since(start_);
  cancelled_ = hooks_.progress(p);
  return cancelled_;
}

}  // namespace dcsvm::base
