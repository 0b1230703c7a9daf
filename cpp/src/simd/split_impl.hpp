// Tiles of split rows (split.hpp) by matrix registers. The source that includes this, in its unnamed namespace and after
// matrix_impl.hpp, has `Matrices` with one more operation:
//   multiply_bf16<c, a, b>()   c[i][j] += sum_t a[i][2 t] b[t][2 j] + a[i][2 t + 1] b[t][2 j + 1], bf16 numbers, in float

enum SplitRegister { kHighRows = kSum2 + 1, kHighColumns, kRows, kMiddleColumns, kLowColumns };  // after the three sums
static_assert(kSplitWords == kBlock && kLowColumns == 7, "a block fills a register, and there are eight");

// Three sums: of high high and middle middle, of what only the columns have less than high of, and of what only the rows have.
// K(x, y) and K(y, x) so have the same bits; and a sum that was just added to is not ready for the next product.
template <class Matrices>
class SplitStrip {
 public:
  SplitStrip(const std::uint32_t* a, Index blocks) : a_(a), blocks_(blocks) {}

  void products(const std::uint32_t* b, V<float> (&out)[kMr][kNv]) const {
    for (Index c = 0; c < kNv; ++c) {
      V<float> equal[kMr], columns[kMr], rows[kMr];
      with_columns(b + c * kBlock);
      Matrices::template store<kSum0>(equal, kLine);
      Matrices::template store<kSum1>(columns, kLine);
      Matrices::template store<kSum2>(rows, kLine);
      for (Index r = 0; r < kMr; ++r) out[r][c] = equal[r] + (columns[r] + rows[r]);
    }
  }

 private:
  static constexpr Index kStride = kNv * kLine;  // from one pair of a panel to the next
  static constexpr Index kOfRows = kMr * kSplitWords, kOfColumns = kSplitWords * kNr<float>;  // words of a part

  void with_columns(const std::uint32_t* b) const {
    Matrices::template zero<kSum0>();
    Matrices::template zero<kSum1>();
    Matrices::template zero<kSum2>();
    for (Index t = 0; t < blocks_; ++t) {
      const std::uint32_t *left = a_ + t * kMr * kSplitBlock, *right = b + t * kNr<float> * kSplitBlock;
      Matrices::template load<kHighRows>(left, kLine);
      Matrices::template load<kHighColumns>(right, kStride);
      Matrices::template multiply_bf16<kSum0, kHighRows, kHighColumns>();
      Matrices::template load<kMiddleColumns>(right + kOfColumns, kStride);
      Matrices::template multiply_bf16<kSum1, kHighRows, kMiddleColumns>();
      Matrices::template load<kRows>(left + kOfRows, kLine);
      Matrices::template multiply_bf16<kSum2, kRows, kHighColumns>();
      Matrices::template multiply_bf16<kSum0, kRows, kMiddleColumns>();
      Matrices::template load<kLowColumns>(right + 2 * kOfColumns, kStride);
      Matrices::template multiply_bf16<kSum1, kHighRows, kLowColumns>();
      Matrices::template load<kRows>(left + 2 * kOfRows, kLine);
      Matrices::template multiply_bf16<kSum2, kRows, kHighColumns>();
    }
  }

  const std::uint32_t* const a_;
  const Index blocks_;
};

template <class Matrices, class K, class Sink>
void split_tile_as(const MapParams<float>& given, const SplitStrips& rows, const std::uint32_t* b, const float* b_norms, Index n,
                   Index blocks, Sink sink) {
  constexpr Index nr = kNr<float>;
  const MapParams<float> map = given;  // a copy that no store can reach
  const Configured<Matrices> configured{Shapes()};
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    const SplitStrip<Matrices> strip(rows.at + r * blocks * kSplitBlock, blocks);
    for (Index j = 0; j < n; j += nr) {
      const Index nn = n - j < nr ? n - j : nr;
      V<float> acc[kMr][kNv];
      strip.products(b + j * blocks * kSplitBlock, acc);
      for (Index i = 0; i < mm; ++i) {
#pragma GCC unroll 8
        for (Index c = 0; c < kNv; ++c)
          acc[i][c] = apply<float, K>(map, acc[i][c], rows.norms[r + i], load(b_norms + j + c * L<float>));
        sink.row(r + i, j, nn, acc[i]);
      }
      sink.done(j, nn);
    }
  }
}

template <class Matrices, class Sink>
void any_split_tile(const MapParams<float>& map, const SplitStrips& rows, const std::uint32_t* b, const float* b_norms, Index n,
                    Index blocks, const Sink& sink) {
  with_map(map.kind, [&](auto its) {
    using K = typename decltype(its)::Kernel;
    if constexpr (K::kDistance && K::kTerm == Term::product) split_tile_as<Matrices, K>(map, rows, b, b_norms, n, blocks, sink);
  });
}

template <class Matrices>
void split_tile(const MapParams<float>& map, const SplitStrips& rows, const std::uint32_t* b, const float* b_norms, Index n,
                Index blocks, float* const* out) {
  any_split_tile<Matrices>(map, rows, b, b_norms, n, blocks, Stored<float>{out});
}
template <class Matrices>
void split_tile_sum(const MapParams<float>& map, const SplitStrips& rows, const float* coef, const std::uint32_t* b,
                    const float* b_norms, Index n, Index blocks, double* g) {
  any_split_tile<Matrices>(map, rows, b, b_norms, n, blocks, Summed<float>{coef, g});
}
