// All losses, from the solvers that minimise them: a new one is in every test that asks for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "linear/method.hpp"

namespace dcsvm::test {

using linear_fit::Loss;

/// Those of the problems, which have dual problems; the envelopes that stand in for some have none.
inline std::vector<Loss> all_losses(bool with_envelopes = false) {
  std::vector<Loss> all;
  const auto add = [&](Loss loss) {
    if (std::find(all.begin(), all.end(), loss) == all.end()) all.push_back(loss);
  };
  for (std::size_t i = 0; i < number_of_values<LinearSolver>(); ++i) {
    const Loss loss = linear::loss_of(static_cast<LinearSolver>(i));
    add(loss);
    if (with_envelopes) add(linear_fit::traits_of(loss).envelope);
  }
  return all;
}

}  // namespace dcsvm::test
