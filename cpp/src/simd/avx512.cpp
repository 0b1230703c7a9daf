// The vectorised operations for avx512 (32 registers: 24 accumulators, 3 columns, 1 broadcast).
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 8
#define DCSVM_TILE_VECTORS 3

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> avx512_float;
extern const Ops<double> avx512_double;
extern const LaneOps<float> avx512_float_lanes;
extern const LaneOps<double> avx512_double_lanes;
const Ops<float> avx512_float = make_table<float>();
const Ops<double> avx512_double = make_table<double>();
const LaneOps<float> avx512_float_lanes = {lane_dot<float, double>, lane_add<float, double>, lane_dot<float, float>,
                                           lane_add<float, float>};
const LaneOps<double> avx512_double_lanes = {lane_dot<double, double>, lane_add<double, double>, lane_dot<double, float>,
                                             lane_add<double, float>};

}  // namespace dcsvm::simd
