#include "files/crc32.hpp"

#include <array>
#include <cstddef>

namespace dcsvm::files {

namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

// Eight tables take eight bytes a step (slicing-by-8, Kounavis and Berry 2005).
constexpr Table make_table() {
  Table t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1U) != 0 ? 0xEDB88320U : 0U);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xffU];
  }
  return t;
}
constexpr Table kTable = make_table();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t c = before ^ 0xFFFFFFFFU;
  std::size_t i = 0;
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])); };
  for (; i + 8 <= bytes.size(); i += 8) {
    c ^= byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    c = kTable[7][c & 0xffU] ^ kTable[6][(c >> 8) & 0xffU] ^ kTable[5][(c >> 16) & 0xffU] ^ kTable[4][c >> 24] ^
        kTable[3][byte(4)] ^ kTable[2][byte(5)] ^ kTable[1][byte(6)] ^ kTable[0][byte(7)];
  }
  for (; i < bytes.size(); ++i) c = (c >> 8) ^ kTable[0][(c ^ byte(0)) & 0xffU];
  return c ^ 0xFFFFFFFFU;
}

}  // namespace dcsvm::files
