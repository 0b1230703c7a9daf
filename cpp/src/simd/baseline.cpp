// The vectorised operations for any CPU of the architecture (SSE2 on x86-64, 16 registers).
#define DCSVM_VECTOR_BYTES 16
#define DCSVM_TILE_ROWS 4
#define DCSVM_TILE_VECTORS 2

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> baseline_float;
extern const Ops<double> baseline_double;
extern const LaneOps<float> baseline_float_lanes;
extern const LaneOps<double> baseline_double_lanes;
const Ops<float> baseline_float = make_table<float>();
const Ops<double> baseline_double = make_table<double>();
const LaneOps<float> baseline_float_lanes = {lane_dot<float, double>, lane_add<float, double>, lane_dot<float, float>,
                                             lane_add<float, float>};
const LaneOps<double> baseline_double_lanes = {lane_dot<double, double>, lane_add<double, double>, lane_dot<double, float>,
                                               lane_add<double, float>};

}  // namespace dcsvm::simd
