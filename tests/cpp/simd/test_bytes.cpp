// Byte products against integer loops. Where the instruction set has none, the table must say so.
#include "simd/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/twin.hpp"

using dcsvm::KernelType;
using dcsvm::base::Random;
using namespace dcsvm::simd;
using twin::mapped;

namespace dcsvm::simd {
extern const ByteOps matrix_bytes;  // matrix_registers.cpp
}

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(Index n, Random& random, int largest = 255) {
  Bytes v(static_cast<std::size_t>(n));
  for (auto& u : v) u = static_cast<std::uint8_t>(random.below(largest + 1));
  return v;
}

// Quads of groups of `width` points, by the definition in bytes.hpp; the free places hold what must not matter.
template <class Byte>
std::vector<Byte> packed(const Bytes& rows, Index m, Index d, Index width, int shift, Random& random) {
  const Index quads = (d + 3) / 4, groups = (m + width - 1) / width;
  std::vector<Byte> out(groups * width * quads * 4);
  for (auto& u : out) u = static_cast<Byte>(random.below(256) - 128);
  for (Index r = 0; r < groups * width; ++r) {
    for (Index k = 0; k < quads * 4; ++k) {
      const bool inside = r < m && k < d;
      // A padded feature needs one side zero: the rows'.
      if (!inside && shift != 0) continue;
      out[r / width * width * quads * 4 + (k / 4 * width + r % width) * 4 + k % 4] =
          static_cast<Byte>(inside ? rows[r * d + k] - shift : 0);
    }
  }
  return out;
}

// Levels 0 and 1 as bits, each row filled up to whole bytes.
Bytes bits_of(const Bytes& rows, Index m, Index d) {
  const Index length = (d + 7) / 8;
  Bytes out(static_cast<std::size_t>(m * length), 0);
  for (Index r = 0; r < m; ++r) {
    for (Index k = 0; k < d; ++k) out[r * length + k / 8] |= static_cast<std::uint8_t>(rows[r * d + k] << (k % 8));
  }
  return out;
}

std::int64_t product(const std::uint8_t* u, const std::uint8_t* v, Index d) {
  std::int64_t sum = 0;
  for (Index k = 0; k < d; ++k) sum += static_cast<std::int64_t>(u[k]) * v[k];
  return sum;
}

// tile_sum() adds tile()'s values times coefficients, and touches nothing beyond column n.
template <class T>
void check_sum(const ByteTiles<T>& tiles, const MapParams<T>& map, T scale, const ByteStrips& strips,
               const std::vector<std::int8_t>& panels, const std::vector<std::int32_t>& norms, Index n, Index quads,
               const std::vector<T*>& rows, Random& random) {
  std::vector<T> coef(rows.size());
  for (T& c : coef) c = static_cast<T>(random.uniform() - 0.5);
  std::vector<double> g(n + 1, 3.0);
  tiles.tile_sum(map, scale, strips, coef.data(), panels.data(), norms.data(), n, quads, g.data());
  CHECK(g[n] == 3.0);
  double worst = 0;
  for (Index j = 0; j < n; ++j) {
    long double sum = 3, size = 3;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const long double term = static_cast<long double>(coef[r]) * rows[r][j];
      sum += term;
      size += std::abs(term);
    }
    worst = std::max(worst, static_cast<double>(std::abs(g[j] - sum) / size));
  }
  CHECK(worst < 8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

template <class T>
void check_tile_in(const ByteOps& op, const MapParams<T>& map, T scale, const Bytes& a, Index m, const Bytes& b, Index n, Index d,
                   bool bits, Random& random) {
  const Index length = bits ? (d + 7) / 8 : d;
  const auto pa = packed<std::uint8_t>(bits ? bits_of(a, m, d) : a, m, length, op.mr, 0, random);
  const auto pb = packed<std::int8_t>(bits ? bits_of(b, n, d) : b, n, length, op.nr, bits ? 0 : 128, random);
  std::vector<std::int32_t> na(m + op.mr, 7), nb(static_cast<std::size_t>(n + op.nr), 7),
      sums(static_cast<std::size_t>(m + op.mr), bits ? 0 : 7);
  for (Index r = 0; r < m; ++r) {
    na[r] = static_cast<std::int32_t>(product(&a[r * d], &a[r * d], d));
    if (!bits) sums[r] = std::accumulate(&a[r * d], &a[r * d] + d, 0);
  }
  for (Index j = 0; j < n; ++j) nb[j] = static_cast<std::int32_t>(product(&b[j * d], &b[j * d], d));
  const T guard = -77;
  std::vector<T> out(m * (n + 2), guard);
  std::vector<T*> rows(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) rows[r] = out.data() + r * (n + 2) + 1;
  const ByteStrips strips{pa.data(), na.data(), sums.data(), m};
  const ByteTiles<T>& tiles = byte_tiles<T>(op, bits);
  tiles.tile(map, scale, strips, pb.data(), nb.data(), n, (length + 3) / 4, rows.data());
  check_sum<T>(tiles, map, scale, strips, pb, nb, n, (length + 3) / 4, rows, random);
  double worst = 0;
  bool inside = true;
  for (Index r = 0; r < m; ++r) {
    inside = inside && rows[r][-1] == guard && rows[r][n] == guard;
    for (Index j = 0; j < n; ++j) {
      const std::int64_t uv = product(&a[r * d], &b[j * d], d), d2 = na[r] + std::int64_t{nb[j]} - 2 * uv;
      const long double s = static_cast<long double>(scale);
      const std::int64_t either = na[r] + std::int64_t{nb[j]} - uv;
      const long double expected = map.kind == KernelType::tanimoto
                                       ? (either == 0 ? 1 : static_cast<long double>(uv) / static_cast<long double>(either))
                                       : mapped(map, s * static_cast<long double>(uv), s * static_cast<long double>(d2));
      const long double z = static_cast<long double>(map.gamma) * s * static_cast<long double>(uv);
      // Rounded once before the map, so the error does not grow with d.
      const long double size =
          1 + std::abs(expected) + (map.kind == KernelType::poly ? map.degree * std::pow(std::abs(z) + 1, map.degree) : 0);
      worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(rows[r][j]) - expected) / size));
    }
  }
  CHECK(inside);
  CHECK(worst < 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

// Under both types; a double holds the parameters of float.
void check_tile(const ByteOps& op, const MapParams<float>& map, float scale, const Bytes& a, Index m, const Bytes& b, Index n,
                Index d, Random& random) {
  const MapParams<double> twin{map.kind, static_cast<double>(map.gamma), static_cast<double>(map.coef0), map.degree, 0.0};
  const auto is_bit = [](std::uint8_t u) { return u < 2; };
  const bool runs_bits = &op != byte_ops() || has_bit_ops();
  const bool may_be_bits = runs_bits && std::all_of(a.begin(), a.end(), is_bit) && std::all_of(b.begin(), b.end(), is_bit);
  for (const bool bits : {false, true}) {
    if (bits && !may_be_bits) continue;
    check_tile_in<float>(op, map, scale, a, m, b, n, d, bits, random);
    check_tile_in<double>(op, twin, static_cast<double>(scale), a, m, b, n, d, bits, random);
  }
}

std::vector<MapParams<float>> all_maps() {
  std::vector<MapParams<float>> maps{
      {KernelType::linear, 1, 0, 1}, {KernelType::rbf, 0.7F, 0, 1}, {KernelType::sigmoid, 0.3F, -0.2F, 1}};
  for (int degree = 0; degree <= 5; ++degree) maps.push_back({KernelType::poly, 0.4F, 0.5F, degree});
  for (const auto type : kernel_twin::all_types()) {
    if (dcsvm::kernels::takes_squared_distance(type) || type == KernelType::tanimoto) maps.push_back({type, 0.7F, 0, 1});
  }
  return maps;
}

// The operations in use, and matrix registers in plain C++.
std::vector<const ByteOps*> all_ops() {
  std::vector<const ByteOps*> all{&matrix_bytes};
  if (byte_ops() != nullptr) all.push_back(byte_ops());
  return all;
}

bool fits(const ByteGrid& grid, const std::vector<double>& x, Bytes* out = nullptr) {
  Bytes u(x.size() + 1, 0xAB);
  const bool all = byte_ops()->quantize(grid, x.data(), static_cast<Index>(x.size()), u.data());
  CHECK(u.back() == 0xAB);
  u.pop_back();
  if (out != nullptr) *out = u;
  return all;
}

}  // namespace

TEST_CASE("byte products exist under the instruction set that is named after them, and under no other") {
  CHECK((byte_ops() != nullptr) == (active_isa() == "avx512vnni" || active_isa() == "avx2" || active_isa() == "amx"));
  if (byte_ops() == nullptr) return;
  CHECK(byte_ops()->nr == ops<float>().nr);  // pieces of Columns are cut at multiples of it
}

TEST_CASE("byte tiles: all maps, sizes around strip, panel and quad") {
  Random random(1);
  const std::vector<MapParams<float>> maps = all_maps();
  for (const ByteOps* op : all_ops()) {
    const Index mr = op->mr, nr = op->nr;
    for (const auto& map : maps) {
      for (const Index m : {Index{1}, mr - 1, mr, mr + 1, 3 * mr + 2}) {
        for (const Index n : {Index{1}, Index{15}, Index{16}, Index{17}, nr - 1, nr, nr + 1, 2 * nr + 3}) {
          const Index d = 1 + random.below(40);
          check_tile(*op, map, 1.0F / (65025.0F * static_cast<float>(d)), random_bytes(m * d, random), m,
                     random_bytes(n * d, random), n, d, random);
        }
      }
    }
    for (Index d = 1; d <= 9; ++d)
      check_tile(*op, maps[1], 1e-4F, random_bytes(3 * d, random, 20), 3, random_bytes(5 * d, random, 20), 5, d, random);
    // Around a block of matrix registers, and above what their copy of a strip holds.
    for (const Index d : {Index{60}, Index{63}, Index{64}, Index{65}, Index{128}, Index{200}, Index{2048}, Index{2049}})
      check_tile(*op, maps[1], 1e-7F, random_bytes(17 * d, random), 17, random_bytes(50 * d, random), 50, d, random);
  }
}

TEST_CASE("byte tiles: lists of the quads that a strip has change no bit") {
  Random random(7);
  const MapParams<float> map{KernelType::rbf, 0.7F, 0, 1};
  for (const ByteOps* op : all_ops()) {
    for (const Index d : {Index{64}, Index{148}, Index{700}}) {
      for (const int kept : {1, 2, 20}) {  // one quad of so many
        const Index quads = d / 4, m = op->mr + 3, n = op->nr + 5, strips = 2;
        std::vector<std::int32_t> list(static_cast<std::size_t>(strips * quads)), count(strips, 0);
        Bytes rows = random_bytes(m * d, random);
        for (Index s = 0; s < strips; ++s) {
          for (Index q = 0; q < quads; ++q) {
            if (random.below(kept) == 0) {
              list[s * quads + count[s]++] = static_cast<std::int32_t>(q);
              continue;
            }
            for (Index r = s * op->mr; r < std::min(m, (s + 1) * op->mr); ++r)
              std::fill_n(&rows[r * d + 4 * q], 4, std::uint8_t{0});
          }
        }
        const auto a = packed<std::uint8_t>(rows, m, d, op->mr, 0, random);
        const auto b = packed<std::int8_t>(random_bytes(n * d, random), n, d, op->nr, 128, random);
        std::vector<std::int32_t> norms(static_cast<std::size_t>(m + op->mr), 9), sums(static_cast<std::size_t>(m + op->mr), 5),
            b_norms(static_cast<std::size_t>(n + op->nr), 90000000);
        const auto values = [&](bool listed) {
          std::vector<float> out(m * n);
          std::vector<float*> at(static_cast<std::size_t>(m));
          for (Index r = 0; r < m; ++r) at[r] = out.data() + r * n;
          ByteStrips strip{a.data(), norms.data(), sums.data(), m};
          if (listed) strip.features = {list.data(), count.data()};
          op->in_float.tile(map, 1e-8F, strip, b.data(), b_norms.data(), n, quads, at.data());
          return out;
        };
        CHECK(values(true) == values(false));
      }
    }
  }
}

TEST_CASE("tiles of bits: all maps, sizes around strip, panel, byte, word and what bytes can count") {
  Random random(3);
  for (const ByteOps* op : all_ops()) {
    CHECK(op->bit_gain > op->gain);
    const Index mr = op->mr, nr = op->nr;
    for (const auto& map : all_maps()) {
      for (const Index d : {Index{1}, Index{7}, Index{8}, Index{9}, Index{31}, Index{32}, Index{33}, Index{100}, Index{992},
                            Index{993}, Index{2500}}) {
        const Index m = 1 + random.below(2 * mr + 1), n = 1 + random.below(2 * nr + 1);
        check_tile(*op, map, 1.0F / static_cast<float>(d), random_bytes(m * d, random, 1), m, random_bytes(n * d, random, 1), n,
                   d, random);
      }
    }
    const Index d = kByteFeatures;
    check_tile(*op, {KernelType::linear, 1, 0, 1}, 1.0F, Bytes(static_cast<std::size_t>(2 * d), 1), 2,
               Bytes(static_cast<std::size_t>(3 * d), 1), 3, d, random);
  }
}

TEST_CASE("byte tiles: the largest sums that may occur do not overflow") {
  Random random(2);
  const Index d = kByteFeatures;
  Bytes a(static_cast<std::size_t>(4 * d), 255), b(static_cast<std::size_t>(5 * d), 255);
  std::fill(a.begin() + d, a.begin() + 2 * d, std::uint8_t{0});
  std::fill(b.begin() + d, b.begin() + 2 * d, std::uint8_t{0});
  for (Index k = 0; k < d; ++k) a[2 * d + k] = b[2 * d + k] = static_cast<std::uint8_t>(random.below(256));
  for (const ByteOps* op : all_ops()) {
    check_tile(*op, {KernelType::linear, 1, 0, 1}, 1.0F, a, 4, b, 5, d, random);
    check_tile(*op, {KernelType::rbf, 1e-9F, 0, 1}, 1.0F, a, 4, b, 5, d, random);
    check_tile(*op, {KernelType::rbf, 1e-3F, 0, 1}, 1.0F / 65025.0F, a, 4, b, 5, d, random);
  }
}

TEST_CASE("quantize takes what lies on the grid to within rounding, and nothing else") {
  if (byte_ops() == nullptr) return;
  std::vector<double> doubles, floats, scaled;
  Bytes all;
  for (int u = 0; u <= 255; ++u) {
    all.push_back(static_cast<std::uint8_t>(u));
    doubles.push_back(u / 255.0);
    floats.push_back(static_cast<double>(static_cast<float>(u) / 255.0F));
    scaled.push_back(static_cast<double>((static_cast<float>(u) / 255.0F - 0.5F) / 0.5F));
  }
  Bytes u;
  for (const auto& x : {doubles, floats}) {
    CHECK(fits({0.0, 1.0 / 255}, x, &u));
    CHECK(u == all);
  }
  CHECK(fits({0.0, 1.0 / 255, true}, doubles));
  CHECK_FALSE(fits({0.0, 1.0 / 255, true}, floats));
  CHECK(fits({-1.0, 2.0 / 255}, scaled, &u));
  CHECK(u == all);
  for (std::size_t n = 0; n < 20; ++n) CHECK(fits({0.0, 1.0 / 255}, {doubles.begin(), doubles.begin() + static_cast<Index>(n)}));
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const std::size_t where : {std::size_t{0}, std::size_t{7}, std::size_t{200}, std::size_t{255}}) {
    for (const double bad : {0.5 + 1e-6, 0.2 + 1e-9, -1.0 / 255, 256.0 / 255, 1e-300, 1e300, nan, -nan, inf, -inf}) {
      CAPTURE(where);
      CAPTURE(bad);
      auto x = doubles;
      x[where] = bad;
      CHECK_FALSE(fits({0.0, 1.0 / 255}, x));
    }
  }
  CHECK(fits({0.0, 1.0}, {0.0, -0.0, 255.0, 17.0}));
  CHECK_FALSE(fits({0.0, 1.0}, {200.000001}));
  CHECK_FALSE(fits({0.0, 1.0}, {256.0}));
}
