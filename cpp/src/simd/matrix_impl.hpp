// Byte products (bytes.hpp) by matrix registers, as AMX has them: a block of 16 rows x 16 quads times 16 quads x 16 columns is
// one instruction. Panels lie in memory as the right factor must; of a strip, each block is copied once, row by row. The source
// that includes this, in its unnamed namespace and after bytes_impl.hpp, has tiles of 16 rows and a strip ByteStrip for what
// does not pay here. `Matrices` has eight registers of at most 16 rows of 64 bytes, by number:
//   configure(rows, bytes)  gives each its shape; release() when no more products follow (both of the calling thread)
//   zero<t>(), load<t>(at, stride), store<t>(at, stride)
//   multiply<c, a, b>()     c[i][j] += sum_t a[i][t] b[t / 4][4 j + t % 4], bytes without and with sign, modulo 2^32

constexpr Index kBlock = 16;  // rows, quads and columns of a matrix register
constexpr Index kLine = 4 * kBlock;
static_assert(kMr == kBlock && kBytes == kLine, "a strip and a vector are as high and as wide as a register");

enum MatrixRegister { kSum0, kSum1, kSum2, kLeft, kRight0, kRight1, kLastLeft, kLastRight };
static_assert(kNv == 3, "one sum for each vector of a panel");

// The shapes for points of so many quads: the last block may be narrower.
template <class Matrices>
class Configured {
 public:
  explicit Configured(Index quads) {
    const auto last = static_cast<std::uint8_t>(quads % kBlock);
    std::uint8_t rows[8];
    std::uint16_t bytes[8];
    for (int t = 0; t < 8; ++t) rows[t] = kBlock, bytes[t] = kLine;
    bytes[kLastLeft] = static_cast<std::uint16_t>(4 * last);
    rows[kLastRight] = last;
    if (last == 0) rows[kLastLeft] = 0, bytes[kLastRight] = 0;  // not configured
    Matrices::configure(rows, bytes);
  }
  ~Configured() { Matrices::release(); }
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;
};

template <class Matrices>
class MatrixStrip {
 public:
  MatrixStrip(const std::uint8_t* a, const Some& some)
      : narrow_(a, some), last_(some.all / kBlock), pays_(some.all <= kMostQuads && kNarrower * some.count > some.all) {
    if (!pays_) return;
    for (Index t = 0; t < some.count; ++t) {
      const Index q = some.list == nullptr ? t : some.list[t], block = q / kBlock;
      if (n_ == 0 || block_[n_ - 1] != block) {
        block_[n_] = block;
        __builtin_memset(rows_[n_++], 0, sizeof(rows_[0]));
      }
      for (Index r = 0; r < kMr; ++r) __builtin_memcpy(rows_[n_ - 1][r] + 4 * (q % kBlock), a + (q * kMr + r) * 4, 4);
    }
  }

  void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
    if (!pays_) return narrow_.products(b, out);
    Matrices::template zero<kSum0>();
    Matrices::template zero<kSum1>();
    Matrices::template zero<kSum2>();
    constexpr Index kStride = kNv * kLine;  // from one quad of a panel to the next
    for (Index t = 0; t < n_; ++t) {
      const std::int8_t* const right = b + block_[t] * kBlock * kStride;
      if (block_[t] == last_) {
        Matrices::template load<kLastLeft>(rows_[t], kLine);
        multiply_last<kSum0>(right);
        multiply_last<kSum1>(right);
        multiply_last<kSum2>(right);
        break;
      }
      Matrices::template load<kLeft>(rows_[t], kLine);
      Matrices::template load<kRight0>(right, kStride);
      Matrices::template multiply<kSum0, kLeft, kRight0>();
      Matrices::template load<kRight1>(right + kLine, kStride);
      Matrices::template multiply<kSum1, kLeft, kRight1>();
      Matrices::template load<kRight0>(right + 2 * kLine, kStride);
      Matrices::template multiply<kSum2, kLeft, kRight0>();
    }
    Matrices::template store<kSum0>(&out[0][0], kStride);
    Matrices::template store<kSum1>(&out[0][1], kStride);
    Matrices::template store<kSum2>(&out[0][2], kStride);
  }

 private:
  static constexpr Index kMostQuads = 512;  // of a strip's copy: 32 KB on the stack, and threads may have as little as 64 KB
  static constexpr Index kNarrower = 8;  // a quad by the vector instructions takes as long as so many here (24 and 3 cycles)

  template <int Sum>
  void multiply_last(const std::int8_t* right) const {
    Matrices::template load<kLastRight>(right + Sum * kLine, kNv * kLine);
    Matrices::template multiply<Sum, kLastLeft, kLastRight>();
  }

  const ByteStrip narrow_;
  const Index last_;  // the block that may be narrower
  const bool pays_;
  Index n_ = 0;
  Index block_[kMostQuads / kBlock];
  alignas(kLine) std::uint8_t rows_[kMostQuads / kBlock][kMr][kLine];
};

template <class Matrices, class T>
void matrix_tile(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
                 Index n, Index quads, T* const* out) {
  const Configured<Matrices> shapes(quads);
  byte_tile<MatrixStrip<Matrices>>(map, scale, rows, b, b_norms, n, quads, out);
}
template <class Matrices, class T>
void matrix_tile_sum(const MapParams<T>& map, T scale, const ByteStrips& rows, const T* coef, const std::int8_t* b,
                     const std::int32_t* b_norms, Index n, Index quads, double* g) {
  const Configured<Matrices> shapes(quads);
  byte_tile_sum<MatrixStrip<Matrices>>(map, scale, rows, coef, b, b_norms, n, quads, g);
}
template <class Matrices, class T>
constexpr ByteTiles<T> kMatrixTiles = {matrix_tile<Matrices, T>, matrix_tile_sum<Matrices, T>};
