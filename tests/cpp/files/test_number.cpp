// The number parser against strtod (C locale), bit for bit.
#include "files/number.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

std::uint64_t bits(double v) {
  std::uint64_t w;
  std::memcpy(&w, &v, sizeof w);
  return w;
}

// True when parse_number reads all of `text` and gives strtod's bits.
bool same_as_strtod(const std::string& text) {
  const std::string line = text + "\n";
  double value = 0;
  const files::Number n = files::parse_number(line.data(), line.data() + line.size(), value);
  return n.error == files::NumberError::none && n.end == line.data() + text.size() &&
         bits(value) == bits(std::strtod(text.c_str(), nullptr));
}

files::NumberError error_of(const std::string& text) {
  const std::string line = text + "\n";
  double value = 0;
  return files::parse_number(line.data(), line.data() + line.size(), value).error;
}

// What is left behind the number.
std::string rest_of(const std::string& text) {
  const std::string line = text + "\n";
  double value = 0;
  const files::Number n = files::parse_number(line.data(), line.data() + line.size(), value);
  return {n.end, line.data() + text.size()};
}

std::string digits(base::Random& random, Index n) {
  std::string text;
  for (Index i = 0; i < n; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

}  // namespace

TEST_CASE("parse_number reads hexadecimal as strtod does") {
  for (const char* text : {"0x10", "0X1P3", "+0x1.8p-1", "-0xA", "0x.8", "0x0", "-0x0p9999", "0xfffffffffffffp0",
                           "0x1.fffffffffffff8p0", "0x123456789abcdef0123", "0x1p-1074", "0x1.8p-1074", "0x1p-1022",
                           "0x1.fffffffffffffp1023", "0x0.00001p1030", "0x1e5", "0x1p+03"}) {
    CAPTURE(text);
    CHECK(same_as_strtod(text));
  }
  CHECK(error_of("0x1p1024") == files::NumberError::overflow);
  CHECK(error_of("-0x100000000000p990") == files::NumberError::overflow);
  CHECK(same_as_strtod("0x1p-1080"));  // 0, as every number that is too small
  CHECK(same_as_strtod("0x0.0000000000001p-1060"));
}

TEST_CASE("parse_number agrees with strtod on chosen numbers") {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "0.0",
                           "-0.0",
                           "1",
                           "+1",
                           "-1",
                           "255",
                           "007",
                           "1.",
                           ".5",
                           "-.5",
                           "+.5e1",
                           "1e5",
                           "1E5",
                           "1e+5",
                           "1e-5",
                           "0.1",
                           "0.3",
                           "9007199254740992",
                           "9007199254740993",
                           "9007199254740991.5",
                           "900719925474099.3",
                           "0.9007199254740993",
                           "1844674407370955161",
                           "9999999999999999999",
                           "18446744073709551616",
                           "99999999999999999999",
                           "0.0000000000000000001",
                           "0.00000000000000000001",
                           "123456789012345678901234567890",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "5e-324",
                           "4.9406564584124654e-324",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "0e999",
                           "0.0e-999",
                           "1e-400",
                           "-1e-400",
                           "0.00000000001e-330",
                           "123456e-340",
                           "3.1415926535897932384626433832795028841971693993751058209749445923"}) {
    CAPTURE(text);
    CHECK(same_as_strtod(text));
  }
}

TEST_CASE("parse_number refuses what is no finite decimal number") {
  using files::NumberError;
  for (const char* text : {"", "x", "+", "-", ".", "-.", "+-1", "-+1", "--1", "e5", ".e5", ":", "#", "_1", "nonsense", "\x80"}) {
    CAPTURE(text);
    CHECK(error_of(text) == NumberError::malformed);
  }
  for (const char* text : {"nan", "NaN", "-nan", "+NAN", "inf", "-Inf", "infinity", "INFINITY"}) {
    CAPTURE(text);
    CHECK(error_of(text) == NumberError::not_finite);
  }
  for (const char* text : {"1e999", "-1e309", "1.8e308", "0.0001e999", "1e99999999999999999999"}) {
    CAPTURE(text);
    CHECK(error_of(text) == NumberError::overflow);
  }
  CHECK(error_of(std::string(400, '9')) == NumberError::overflow);
  CHECK(error_of("0." + std::string(400, '0') + "1") == NumberError::none);
  CHECK(rest_of("0x") == "x");
  CHECK(rest_of("0x-1") == "x-1");
  CHECK(rest_of("0xnan") == "xnan");
  CHECK(rest_of("0x.p1") == "x.p1");
  CHECK(rest_of("0x1p") == "p");
  CHECK(rest_of("00x1") == "x1");
  CHECK(rest_of("5x1") == "x1");
  CHECK(rest_of("1,5") == ",5");
  CHECK(rest_of("1e") == "e");
  CHECK(rest_of("1.5.2") == ".2");
  CHECK(rest_of("12abc") == "abc");
}

TEST_CASE("parse_number agrees with strtod on random numbers") {
  base::Random random(3);
  int wrong = 0;
  std::string example;
  const auto check = [&](const std::string& text) {
    if (same_as_strtod(text)) return;
    ++wrong;
    example = text;
  };
  for (int i = 0; i < 100000; ++i) {
    const char* sign[] = {"", "-", "+"};
    const std::string s = sign[random.below(3)];
    check(s + digits(random, 1 + random.below(24)));
    check(s + digits(random, random.below(12)) + "." + digits(random, 1 + random.below(14)));
    check(s + digits(random, 1 + random.below(20)) + "e" + std::to_string(random.below(600) - 320 - 20));
    check(s + std::to_string((std::uint64_t{1} << 53) - 50 + static_cast<std::uint64_t>(random.below(100))));
    // Halfway between two doubles, and one digit beside it.
    const std::string half = s + std::to_string((std::uint64_t{1} << 49) + static_cast<std::uint64_t>(random.below(1000000)));
    check(half + (random.below(2) == 0 ? ".0625" : ".1875"));
    check(half + (random.below(2) == 0 ? ".0624" : ".1876"));
    // Any double, as short as it can be and with 17 digits.
    const std::uint64_t w = random.next();
    double v;
    std::memcpy(&v, &w, sizeof v);
    if (!(v - v == 0)) continue;
    char text[64];
    check({text, std::to_chars(text, text + sizeof text, v).ptr});
    check({text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17g", v))});
    check({text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17g", random.uniform()))});
    check({text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.6f", random.uniform() * 1000))});
  }
  CAPTURE(example);
  CHECK(wrong == 0);
}
