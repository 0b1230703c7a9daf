// All operations of one instruction set, by which dispatch.cpp knows it: each source defines one.
#pragma once

#include "simd/bytes.hpp"
#include "simd/factors.hpp"
#include "simd/lanes.hpp"
#include "simd/ops.hpp"

namespace dcsvm::simd {

struct IsaTables {
  Ops<float> of_float;
  Ops<double> of_double;
  LaneOps<float> lanes_of_float;
  LaneOps<double> lanes_of_double;
  FactorOps factors;
  const ByteOps* bytes = nullptr;  ///< null: the set has none
};

}  // namespace dcsvm::simd
