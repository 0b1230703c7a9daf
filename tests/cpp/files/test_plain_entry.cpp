// Entries that are read without branches, against strtoul and strtod.
#include "files/plain_entry.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;
using files::detail::kPlainBefore;
using files::detail::kPlainBehind;
using files::detail::PlainEntry;

namespace {

std::string random_digits(base::Random& random, Index n) {
  std::string text;
  for (Index i = 0; i < n; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

std::string any(base::Random& random, Index n) {
  const std::string alphabet = "0123456789:. \t\n\r#+-e,x\x80\xff";
  std::string text;
  for (Index i = 0; i < n; ++i) text += alphabet[static_cast<std::size_t>(random.below(static_cast<Index>(alphabet.size())))];
  return text;
}

/// Reads the entry at the beginning of `text` between other bytes; whether it was read. `right`: that what was read is true.
bool read(const std::string& text, base::Random& random, bool& right) {
  const std::string all = any(random, kPlainBefore) + text + any(random, kPlainBehind);
  const char* begin = all.data() + kPlainBefore;
  const PlainEntry entry = files::detail::read_plain_entry(begin);
  right = true;
  if (entry.end == nullptr) return false;
  char *colon = nullptr, *end = nullptr;
  const unsigned long index = std::strtoul(begin, &colon, 10);
  const double value = std::strtod(colon + 1, &end);
  right = *colon == ':' && index == entry.index && std::memcmp(&value, &entry.value, sizeof value) == 0 && end == entry.end &&
          (*end == ' ' || *end == '\n');
  return true;
}

}  // namespace

TEST_CASE("plain entries: all lengths of index, whole part and fraction, between any bytes") {
  base::Random random(11);
  bool right = false;
  int wrong = 0, left = 0;
  for (Index index = 1; index <= 8; ++index) {
    for (Index whole = 1; whole <= 8; ++whole) {
      for (Index fraction = -1; whole + fraction <= 19; ++fraction) {
        for (const char* sign : {"", "-"}) {
          for (const char* behind : {" ", "\n"}) {
            std::string text = random_digits(random, index) + ":" + sign + random_digits(random, whole);
            if (fraction >= 0) text += "." + random_digits(random, fraction);
            if (text.size() > 31) continue;
            if (!read(text + behind, random, right)) ++left;
            if (!right) ++wrong;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
#if defined(__SSE2__) && defined(__SIZEOF_INT128__)
  CHECK(left == 0);
#endif
}

TEST_CASE("plain entries: whatever is read is true") {
  base::Random random(12);
  bool right = false;
  std::string example;
  const auto check = [&](const std::string& text) {
    read(text, random, right);
    if (!right) example = text;
  };
  for (int i = 0; i < 200000; ++i) {
    check(any(random, 1 + random.below(40)));
    check(random_digits(random, random.below(4)) + ":" + any(random, random.below(4)) + random_digits(random, random.below(3)) +
          any(random, random.below(3)) + random_digits(random, random.below(25)) + " ");
    check("7:0." + random_digits(random, 15 + random.below(4)) + "\n");
    // Halfway between two doubles.
    const std::string tie = std::to_string((std::uint64_t{1} << 49) + static_cast<std::uint64_t>(random.below(1000000)));
    check("12:" + tie + (random.below(2) == 0 ? ".0625 " : ".1875 "));
    check("12:0." + std::to_string((std::uint64_t{1} << 53) + static_cast<std::uint64_t>(random.below(1000))) + " ");
  }
  CAPTURE(example);
  CHECK(example.empty());
}
