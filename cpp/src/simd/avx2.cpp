// The vectorised operations for avx2 (16 registers: 12 accumulators, 2 columns, 1 broadcast).
#define DCSVM_VECTOR_BYTES 32
#define DCSVM_TILE_ROWS 6
#define DCSVM_TILE_VECTORS 2

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> avx2_float;
extern const Ops<double> avx2_double;
extern const LaneOps<float> avx2_float_lanes;
extern const LaneOps<double> avx2_double_lanes;
const Ops<float> avx2_float = make_table<float>();
const Ops<double> avx2_double = make_table<double>();
const LaneOps<float> avx2_float_lanes = {lane_dot<float>, lane_add<float>};
const LaneOps<double> avx2_double_lanes = {lane_dot<double>, lane_add<double>};

}  // namespace dcsvm::simd
