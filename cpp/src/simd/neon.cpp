// The vectorised operations for NEON, which every arm64 CPU has. Of its 32 registers a tile takes 20 as accumulators and 4 for
// columns; the rest hold the rows' features, which products take from lanes. With 24 accumulators gcc 12 spills some to memory.
#define DCSVM_VECTOR_BYTES 16
#define DCSVM_TILE_ROWS 5
#define DCSVM_TILE_VECTORS 4

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> neon_float;
extern const Ops<double> neon_double;
extern const LaneOps<float> neon_float_lanes;
extern const LaneOps<double> neon_double_lanes;
const Ops<float> neon_float = make_table<float>();
const Ops<double> neon_double = make_table<double>();
const LaneOps<float> neon_float_lanes = {lane_dot<float, double>, lane_add<float, double>, lane_dot<float, float>,
                                         lane_add<float, float>};
const LaneOps<double> neon_double_lanes = {lane_dot<double, double>, lane_add<double, double>, lane_dot<double, float>,
                                           lane_add<double, float>};

}  // namespace dcsvm::simd
