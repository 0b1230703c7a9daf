// The byte products (bytes.hpp) for AMX, Intel's matrix registers: tiles of 16 rows x 48 columns. A machine with AMX
// computes the same integers as avx512vnni.cpp; tests/cpp/simd/matrix_registers.cpp runs matrix_impl.hpp with registers
// written in plain C++. The rules for per-ISA sources hold (ops_impl.hpp).
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 16
#define DCSVM_TILE_VECTORS 3

#include "simd/bytes.hpp"
#include "simd/ops_impl.hpp"

namespace dcsvm::simd {
namespace {

#include "simd/bytes_avx512_impl.hpp"
#include "simd/bytes_impl.hpp"
#include "simd/matrix_impl.hpp"

// By assembly: the intrinsics take numbers of registers as written, and no constants of templates (Intel's manual, volume 2,
// LDTILECFG, TILELOADD, TDPBUSD).
struct Amx {
  static void configure(const std::uint8_t (&rows)[8], const std::uint16_t (&bytes)[8]) {
    struct alignas(64) {
      std::uint8_t palette = 1, start = 0, reserved[14] = {};
      std::uint16_t bytes[16] = {};
      std::uint8_t rows[16] = {};
    } shapes;
    static_assert(sizeof(shapes) == 64);
    __builtin_memcpy(shapes.rows, rows, sizeof(rows));
    __builtin_memcpy(shapes.bytes, bytes, sizeof(bytes));
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
  }
  static void release() { __asm__ volatile("tilerelease"); }
  template <int t>
  static void zero() {
    __asm__ volatile("tilezero %%tmm%c0" : : "i"(t));
  }
  template <int t>
  static void load(const void* at, Index stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(at), "r"(stride), "i"(t) : "memory");
  }
  template <int t>
  static void store(void* at, Index stride) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(at), "r"(stride), "i"(t) : "memory");
  }
  template <int c, int a, int b>
  static void multiply() {
    __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

}  // namespace

extern const ByteOps amx_bytes;
const ByteOps amx_bytes = {kMr,
                           kNr<float>,
                           8.0,  // of 784 features; of 54 2.3
                           quantize,
                           kMatrixTiles<Amx, float>,
                           kMatrixTiles<Amx, double>,
                           16.0,
                           kByteTiles<BitStrip, float>,
                           kByteTiles<BitStrip, double>};

}  // namespace dcsvm::simd
