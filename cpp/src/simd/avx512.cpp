// The vectorised operations for avx512 (32 registers: 24 accumulators, 3 columns, 1 broadcast).
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 8
#define DCSVM_TILE_VECTORS 3

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const IsaTables avx512_tables;
const IsaTables avx512_tables = make_tables();

}  // namespace dcsvm::simd
