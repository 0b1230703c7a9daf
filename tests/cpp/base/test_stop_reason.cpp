#include "base/stop_reason.hpp"

#include <algorithm>
#include <iterator>

#include "doctest/doctest.h"

using namespace dcsvm;

TEST_CASE("stop reasons: the worse one of two, in whatever order, and cancelled above all") {
  constexpr StopReason kOrder[] = {StopReason::converged,     StopReason::one_pass, StopReason::stagnated,
                                   StopReason::support_limit, StopReason::max_iter, StopReason::time_limit,
                                   StopReason::cancelled};
  static_assert(std::size(kOrder) == static_cast<std::size_t>(kLastStopReason) + 1);
  for (const StopReason& a : kOrder) {
    CAPTURE(to_string(a));
    CHECK(base::worse(a, a) == a);
    CHECK(base::worse(StopReason::converged, a) == a);
    CHECK(base::worse(StopReason::cancelled, a) == StopReason::cancelled);
    for (const StopReason& b : kOrder) {
      CHECK(base::worse(a, b) == *std::max(&a, &b));
      CHECK(base::worse(a, b) == base::worse(b, a));
    }
  }
}
