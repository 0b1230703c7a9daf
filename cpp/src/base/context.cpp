#include "base/context.hpp"

#include "dcsvm/errors.hpp"

namespace dcsvm::base {

namespace {
constexpr auto kInterval = std::chrono::milliseconds(50);
}

void Monitor::poll() {
  if (!hooks_.interrupted) return;
  const auto now = Clock::now();
  if (now - last_poll_ < kInterval) return;
  last_poll_ = now;
  if (hooks_.interrupted()) throw Interrupted();
}

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
