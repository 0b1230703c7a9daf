// The vectorised operations for avx2 (16 registers: 12 accumulators, 2 columns, 1 broadcast).
#define DCSVM_VECTOR_BYTES 32
#define DCSVM_TILE_ROWS 6
#define DCSVM_TILE_VECTORS 2

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> avx2_float;
extern const Ops<double> avx2_double;
const Ops<float> avx2_float = make_table<float>();
const Ops<double> avx2_double = make_table<double>();

}  // namespace dcsvm::simd
