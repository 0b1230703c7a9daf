// The vectorised operations for NEON, which every arm64 CPU has. Of its 32 registers a tile takes 20 as accumulators and 4 for
// columns; the rest hold the rows' features, which products take from lanes. With 24 accumulators gcc 12 spills some to memory.
#define DCSVM_VECTOR_BYTES 16
#define DCSVM_TILE_ROWS 5
#define DCSVM_TILE_VECTORS 4

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const IsaTables neon_tables;
const IsaTables neon_tables = make_tables();

}  // namespace dcsvm::simd
