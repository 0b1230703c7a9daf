// The byte products by matrix registers (matrix_impl.hpp), with registers that are written in plain C++: what AMX computes, on
// any machine. test_bytes.cpp compares them with integer loops.
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 16
#define DCSVM_TILE_VECTORS 3

#include <cstdlib>

#include "simd/bytes.hpp"
#include "simd/ops_impl.hpp"

namespace dcsvm::simd {
namespace {

using Ints [[gnu::vector_size(kBytes)]] = std::int32_t;

// What the registers replace for strips with few features, and products of bits.
template <bool kOfBits>
class PlainStrip {
 public:
  PlainStrip(const std::uint8_t* a, const Some& some) : a_(a), some_(some) {}
  void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
    for (Index r = 0; r < kMr; ++r) {
      for (Index j = 0; j < kNr<float>; ++j) {
        std::uint32_t sum = 0;
        for (Index t = 0; t < some_.count; ++t) {
          const Index q = some_.list == nullptr ? t : some_.list[t];
          for (Index k = 0; k < 4; ++k) {
            const int u = a_[(q * kMr + r) * 4 + k], v = b[(q * kNr<float> + j) * 4 + k];
            sum += static_cast<std::uint32_t>(kOfBits ? __builtin_popcount(static_cast<unsigned>(u & v & 0xFF)) : u * v);
          }
        }
        out[r][j / L<float>][j % L<float>] = static_cast<std::int32_t>(sum);
      }
    }
  }

 private:
  const std::uint8_t* a_;
  const Some some_;
};
using ByteStrip = PlainStrip<false>;

#include "simd/bytes_impl.hpp"
#include "simd/matrix_impl.hpp"

// Ends the program where a real register would raise an exception: shapes that were not configured or do not fit.
struct PlainRegisters {
  struct Register {
    int rows = 0, bytes = 0;
    std::uint8_t at[kBlock][kLine] = {};
  };
  static Register& reg(int t) {
    static thread_local Register all[8];
    return all[t];
  }
  static Register& configured(int t) {
    if (reg(t).rows == 0) std::abort();
    return reg(t);
  }
  // The register of the sum of products of these two.
  static Register& fitting(int c, int a, int b) {
    const Register &left = configured(a), &right = configured(b);
    Register& sum = configured(c);
    if (left.bytes != 4 * right.rows || sum.rows != left.rows || sum.bytes != right.bytes) std::abort();
    return sum;
  }
  static void configure(const std::uint8_t (&rows)[8], const std::uint16_t (&bytes)[8]) {
    for (int t = 0; t < 8; ++t) {
      if ((rows[t] == 0) != (bytes[t] == 0) || rows[t] > kBlock || bytes[t] > kLine || bytes[t] % 4 != 0) std::abort();
      reg(t).rows = rows[t], reg(t).bytes = bytes[t];
    }
  }
  static void release() {
    for (int t = 0; t < 8; ++t) reg(t).rows = reg(t).bytes = 0;
  }
  template <int t>
  static void zero() {
    __builtin_memset(configured(t).at, 0, sizeof(reg(t).at));
  }
  template <int t>
  static void load(const void* at, Index stride) {
    zero<t>();
    for (int r = 0; r < reg(t).rows; ++r)
      __builtin_memcpy(reg(t).at[r], static_cast<const char*>(at) + r * stride, static_cast<std::size_t>(reg(t).bytes));
  }
  template <int t>
  static void store(void* at, Index stride) {
    for (int r = 0; r < configured(t).rows; ++r)
      __builtin_memcpy(static_cast<char*>(at) + r * stride, reg(t).at[r], static_cast<std::size_t>(reg(t).bytes));
  }
  template <int c, int a, int b>
  static void multiply() {
    const Register &left = reg(a), &right = reg(b);
    Register& sum = fitting(c, a, b);
    for (int i = 0; i < sum.rows; ++i) {
      for (int j = 0; j < sum.bytes / 4; ++j) {
        std::uint32_t value;
        __builtin_memcpy(&value, &sum.at[i][4 * j], sizeof(value));
        for (int t = 0; t < left.bytes; ++t)
          value += static_cast<std::uint32_t>(left.at[i][t] * static_cast<std::int8_t>(right.at[t / 4][4 * j + t % 4]));
        __builtin_memcpy(&sum.at[i][4 * j], &value, sizeof(value));
      }
    }
  }
};

}  // namespace

extern const ByteOps matrix_bytes;
const ByteOps matrix_bytes = {kMr,
                              kNr<float>,
                              10.0,
                              nullptr,
                              kMatrixTiles<PlainRegisters, float>,
                              kMatrixTiles<PlainRegisters, double>,
                              16.0,
                              kByteTiles<PlainStrip<true>, float>,
                              kByteTiles<PlainStrip<true>, double>};

}  // namespace dcsvm::simd
