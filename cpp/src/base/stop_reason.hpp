// How the reasons for which several solves ended become the one of all of them.
#pragma once

#include "dcsvm/call.hpp"

namespace dcsvm::base {

/// How far a solve that ended for this reason may be from its optimum; cancelled is above all, because the caller asked for it.
constexpr int severity(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return 0;
    case StopReason::one_pass: return 1;
    case StopReason::stagnated: return 2;
    case StopReason::support_limit: return 3;
    case StopReason::max_iter: return 4;
    case StopReason::cancelled: return 5;
  }
  return 5;
}

constexpr StopReason worse(StopReason a, StopReason b) { return severity(b) > severity(a) ? b : a; }

}  // namespace dcsvm::base
