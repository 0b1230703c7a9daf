// The vectorised operations for NEON, as every arm64 CPU has it (32 registers: 20 accumulators, 4 columns, and rows' features
// that products take from lanes; with 24 accumulators gcc 12 moves some to memory and back).
#define DCSVM_VECTOR_BYTES 16
#define DCSVM_TILE_ROWS 5
#define DCSVM_TILE_VECTORS 4

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const Ops<float> neon_float;
extern const Ops<double> neon_double;
const Ops<float> neon_float = make_table<float>();
const Ops<double> neon_double = make_table<double>();

}  // namespace dcsvm::simd
