// Working set selection: the most violating variables of up and low, without sorting all gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::qp {

struct SelectionInput {
  Index n = 0;
  const double* g = nullptr;
  const double* beta = nullptr;
  const double* lo = nullptr;
  const double* hi = nullptr;
  double up_floor = 0;    ///< only up variables with g above this violate
  double up_top = 0;      ///< the largest g of up
  double low_ceiling = 0; ///< only low variables with g below this violate
  double low_bottom = 0;  ///< the smallest g of low
  const std::uint8_t* group = nullptr;  ///< not null: only variables of wanted_group
  std::uint8_t wanted_group = 0;
};

/// Up to `per_side` positions of up with the largest g and of low with the smallest, none with taken[position] set and none
/// twice. Ties are broken by a hash of the position: so equal gradients (as at the start) give a spread-out choice. One pass
/// counts the violators by a code of one byte, which finds the thresholds; a second one over the codes lists them. The result
/// does not depend on the number of threads.
std::vector<Index> select_violators(const SelectionInput& in, Index per_side, const std::vector<std::uint8_t>& taken,
                                    base::ThreadPool& pool);

}  // namespace dcsvm::qp
