// The byte products (bytes.hpp) for AVX-512 with VNNI: 24 accumulators, 3 columns, 1 broadcast, as in avx512.cpp. The rules for
// per-ISA sources hold (ops_impl.hpp).
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 8
#define DCSVM_TILE_VECTORS 3

#include "simd/bytes.hpp"
#include "simd/ops_impl.hpp"

namespace dcsvm::simd {
namespace {

#include "simd/bytes_avx512_impl.hpp"

#include "simd/bytes_impl.hpp"

}  // namespace

extern const ByteOps avx512vnni_bytes;
const ByteOps avx512vnni_bytes = {kMr,
                                  kNr<float>,
                                  4.0,
                                  quantize,
                                  kByteTiles<ByteStrip, float>,
                                  kByteTiles<ByteStrip, double>,
                                  16.0,
                                  kByteTiles<BitStrip, float>,
                                  kByteTiles<BitStrip, double>};

}  // namespace dcsvm::simd
