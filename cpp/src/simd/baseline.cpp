// The vectorised operations for any CPU of the architecture (SSE2 on x86-64, 16 registers).
#define DCSVM_VECTOR_BYTES 16
#define DCSVM_TILE_ROWS 4
#define DCSVM_TILE_VECTORS 2

#include "simd/ops_impl.hpp"

namespace dcsvm::simd {

extern const IsaTables baseline_tables;
const IsaTables baseline_tables = make_tables();

}  // namespace dcsvm::simd
