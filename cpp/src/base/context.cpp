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

bool Monitor::progress(Progress& p, bool force) {
  if (cancelled_) return true;
  if (!hooks_.progress) return false;
  const auto now = Clock::now();
  if (!force && std::chrono::duration<double>(now - last_progress_).count() < hooks_.progress_interval) return false;
  last_progress_ = now;
  p.seconds = seconds_since(start_);
  cancelled_ = hooks_.progress(p);
  return cancelled_;
}

}  // namespace dcsvm::base
