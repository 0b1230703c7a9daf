// How the reasons for which several solves ended become the one of all of them.
#pragma once

#include "base/context.hpp"
#include "dcsvm/call.hpp"

namespace dcsvm::base {

/// How far a solve that ended for this reason may be from its optimum; the last two are above all, because the
/// caller asked for them.
constexpr int severity(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return 0;
    case StopReason::one_pass: return 1;
    case StopReason::stagnated: return 2;
    case StopReason::support_limit: return 3;
    case StopReason::max_iter: return 4;
    case StopReason::time_limit: return 5;
    case StopReason::cancelled: return 6;
  }
  return 6;
}

constexpr StopReason worse(StopReason a, StopReason b) { return severity(b) > severity(a) ? b : a; }

/// Whether the caller ended it: there is more to be done.
constexpr bool was_ended(StopReason reason) { return reason == StopReason::cancelled || reason == StopReason::time_limit; }

/// Tells in a report, once it is complete, the end of the time from the host's wish: see Monitor::named.
template <class Report>
void name_end(Report& report, const Monitor* monitor) {
  if (monitor == nullptr) return;
  report.stop_reason = monitor->named(report.stop_reason);
}
template <class Report>
void name_end_of_each(Report& report, const Monitor* monitor) {
  name_end(report, monitor);
  for (auto& problem : report.problems) name_end(problem, monitor);
}

}  // namespace dcsvm::base
