#include <algorithm>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "files/svmlight.hpp"

using namespace dcsvm;

namespace {

Dataset parse(const std::string& text, const LoadOptions& options = {}, Index chunk_bytes = files::kChunkBytes, int threads = 1) {
  base::ThreadPool pool(threads);
  return files::parse_svmlight(files::Text(text), "f", options, pool, chunk_bytes);
}

std::string error(const std::string& text, const LoadOptions& options = {}, Index chunk_bytes = files::kChunkBytes,
                  int threads = 1) {
  try {
    parse(text, options, chunk_bytes, threads);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "";
}

using Values = std::vector<double>;
using Columns = std::vector<std::int32_t>;
using Pointers = std::vector<std::int64_t>;

bool same(const Dataset& a, const Dataset& b) {
  return a.y == b.y && a.values == b.values && a.indices == b.indices && a.indptr == b.indptr && a.cols == b.cols;
}

}  // namespace

TEST_CASE("svmlight text: labels, pairs, comments, blank lines and line ends") {
  const Dataset d = parse(
      "# a header with 1:2 colons\n"
      "+1 1:0.5 3:-2e-3 \n"
      "\n"
      "-1.5\t2:+7\t # comment 4:4\r\n"
      " \t \r\n"
      "3\n"
      "  0 4:1#tight\n"
      "2 1:0 10:1e3");
  CHECK(d.y == Values{1, -1.5, 3, 0, 2});
  CHECK(d.values == Values{0.5, -2e-3, 7, 1, 0, 1000});
  CHECK(d.indices == Columns{0, 2, 1, 3, 0, 9});
  CHECK(d.indptr == Pointers{0, 2, 3, 3, 4, 6});
  CHECK(d.cols == 10);
  CHECK(d.view().rows == 5);
}

TEST_CASE("svmlight text: a byte order mark, a label alone, no features at all") {
  CHECK(parse("\xef\xbb\xbf"
              "1 2:3\n")
            .indices == Columns{1});
  const Dataset d = parse("1");
  CHECK(d.y == Values{1});
  CHECK(d.indptr == Pointers{0, 0});
  CHECK(d.cols == 0);
}

TEST_CASE("svmlight text: n_features and zero_based") {
  LoadOptions options;
  options.n_features = 5;
  CHECK(parse("1 5:1\n", options).cols == 5);
  CHECK(parse("1 2:1\n", options).cols == 5);
  CHECK(error("1 2:1\n1 6:1\n", options) == "f:2:3: index 6 is beyond n_features = 5");
  options.zero_based = true;
  CHECK(parse("1 0:1 4:2\n", options).indices == Columns{0, 4});
  CHECK(error("1 5:1\n", options) == "f:1:3: index 5 is beyond n_features = 5");
  options.n_features = -1;
  CHECK_THROWS_WITH_AS(parse("1 1:1\n", options), "n_features must be >= 0, got -1", ParameterError);
}

TEST_CASE("svmlight text: the largest index") {
  LoadOptions options;
  CHECK(parse("1 2147483646:1\n").cols == 2147483646);
  CHECK(parse("1 2147483647:1\n").indices == Columns{2147483646});
  CHECK(parse("1 2147483647:1\n").cols == 2147483647);
  CHECK(error("1 2147483648:1\n") == "f:1:3: index '2147483648:1' is too large (at most 2147483647)");
  CHECK(error("1 99999999999999999999999:1\n") == "f:1:3: index '99999999999999999999999:...' is too large (at most 2147483647)");
  options.zero_based = true;
  CHECK(parse("1 2147483646:1\n", options).cols == 2147483647);
  CHECK(error("1 2147483647:1\n", options) ==
        "f:1:3: index 2147483647 is too large (at most 2147483646 where indices start at 0)");
  options.strict = true;  // the commands: LIBSVM's indices are ints from 0 on
  CHECK(parse("1 2147483647:1\n", options).indices == Columns{2147483647});
}

TEST_CASE("svmlight text: numbers as strtol and strtod read them") {
  for (const char* text : {"+1 +1:0x1p3 +02:2\n", "0x1 1: 8 2:\t2\n", "+0x.8p1 1:+8\t+2: 0X2\r\n"}) {
    CAPTURE(text);
    const Dataset d = parse(text);
    CHECK(d.y == Values{1});
    CHECK(d.indices == Columns{0, 1});
    CHECK(d.values == Values{8, 2});
  }
}

TEST_CASE("svmlight text: every error names file, line, column and what is wrong") {
  const std::string table = " (or is it a table? Columns are separated by commas, in a CSV file)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "f: no samples"},
      {"\n\n", "f: no samples"},
      {"# only a comment", "f: no samples"},
      {"a 1:1\n", "f:1:1: label 'a' is not a number"},
      {"1 1:1\n  1x 1:1\n", "f:2:3: label '1x' is not a number"},
      {"\x1f\x8b\x08 1:1\n",
       "f:1:1: expected text, found a compressed file: unpack it first; dcsvm train reads .gz, .bz2 and .xz"},
      {"BZh91AY\n", "f:1:1: expected text, found a compressed file: unpack it first; dcsvm train reads .gz, .bz2 and .xz"},
      {"0x 1:1\n", "f:1:1: label '0x' is not a number"},
      {"nan 1:1\n", "f:1:1: label 'nan' is not finite"},
      {"1e999 1:1\n", "f:1:1: label '1e999' is beyond the range of a double"},
      {"1,2 1:1\n", "f:1:1: several labels on one line are not supported: '1,2' (or is it a CSV file?)"},
      {"1:1 2:2\n", "f:1:1: a label is missing before '1:1'"},
      {"qid:1 1:1\n", "f:1:1: a label is missing before qid:, and qid: is not supported"},
      {"1 qid:1 1:1\n", "f:1:3: qid: is not supported"},
      {"1 0:1\n", "f:1:3: index 0 in a file whose indices start at 1 (for indices that start at 0 set zero_based)"},
      {"1 -1:1\n", "f:1:3: index '-1:1' is negative"},
      {"1 +:1\n", "f:1:3: '+:1' is not index:value"},
      {"1 ++1:1\n", "f:1:3: '++1:1' is not index:value"},
      {"1 +-1:1\n", "f:1:3: '+-1:1' is not index:value"},
      {"1 0x1:1\n", "f:1:3: '0x1:1' is not index:value"},
      {"1 1: \n", "f:1:6: value is missing"},
      {"1 1: 2:1\n", "f:1:5: value is missing"},
      {"1 1.5:1\n", "f:1:3: '1.5:1' is not index:value"},
      {"1 2\n", "f:1:3: '2' is not index:value" + table},
      {"1 2 :3\n", "f:1:3: '2' is not index:value" + table},
      {"1 :3\n", "f:1:3: ':3' is not index:value"},
      {"1 x:3\n", "f:1:3: 'x:3' is not index:value"},
      {"1 2:1 1:1\n", "f:1:7: index 1 after 2: indices must ascend"},
      {"1 2:1 2:1\n", "f:1:7: index 2 is given twice"},
      {"1 1:\n", "f:1:5: value is missing"},
      {"1 1:# c\n", "f:1:5: value is missing"},
      {"1 1:x\n", "f:1:5: value 'x' is not a number"},
      {"1 1:1x\n", "f:1:5: value '1x' is not a number"},
      {"1 1:0x1p\n", "f:1:5: value '0x1p' is not a number"},
      {"1 1:0x1p1024\n", "f:1:5: value '0x1p1024' is beyond the range of a double"},
      {"1 1:1:2\n", "f:1:5: value '1:2' is not a number"},
      {"1 1:1,5\n", "f:1:5: value '1,5' is not a number"},
      {"1 1:1 2:nan\n", "f:1:9: value 'nan' is not finite"},
      {"1 1:-Infinity\n", "f:1:5: value '-Infinity' is not finite"},
      {"1 1:1e400\n", "f:1:5: value '1e400' is beyond the range of a double"},
      {"1 1:1\n1 1:\x01\x80z\n", "f:2:5: value '??z' is not a number"},
      {std::string("1 1:1\0 2:2\n", 11), "f:1:5: value '1?' is not a number"},
      {"1 1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "f:1:5: value 'aaaaaaaaaaaaaaaaaaaaaaaa...' is not a number"},
      {"1 1:1\r1 1:1\n", "f:1:7: '1' is not index:value" + table},
      {"1 1:1\n2 1:1\n3 1:z", "f:3:5: value 'z' is not a number"},
  };
  for (const auto& [its_text, expected] : cases) {
    const auto& text = its_text;  // lambdas may not capture bindings in C++17
    CAPTURE(text);
    CHECK(error(text) == expected);
  }
}

TEST_CASE("svmlight text: random files against a twin, cut anywhere, by any number of threads") {
  base::Random random(4);
  for (int round = 0; round < 40; ++round) {
    std::string text;
    Dataset twin;
    const Index rows = 1 + random.below(40);
    for (Index i = 0; i < rows; ++i) {
      while (random.below(4) == 0) text += random.below(2) == 0 ? "# 1:1 :::\n" : " \r\n";
      const auto label = static_cast<double>(random.below(5)) - 2;
      text += std::to_string(static_cast<int>(label));
      for (Index c = random.below(6); c < 30; c += 1 + random.below(20)) {
        const double v = static_cast<double>(random.below(2000)) / 8 - 100;
        text += " " + std::to_string(c + 1) + ":" + std::to_string(v);
        twin.values.push_back(v);
        twin.indices.push_back(static_cast<std::int32_t>(c));
        twin.cols = std::max(twin.cols, c + 1);
      }
      twin.y.push_back(label);
      twin.indptr.push_back(static_cast<std::int64_t>(twin.values.size()));
      text += random.below(5) == 0 ? " # 9:9\n" : "\n";
    }
    if (random.below(2) == 0) text.pop_back();
    for (const Index chunk : {Index{1}, Index{7}, Index{64}, Index{1000}, Index{1} << 20}) {
      for (const int threads : {1, 3}) CHECK(same(parse(text, {}, chunk, threads), twin));
    }
  }
}

TEST_CASE("svmlight text: parts are the rows of the whole, and an error has the line of the whole") {
  std::string text = "# a header\n";
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i) + " 1:" + std::to_string(i) + ".5 " + std::to_string(2 + i % 7) + ":3\n";
    if (i % 50 == 20) text += std::string(700, '#') + "\n\n";  // a part without rows
  }
  base::ThreadPool pool(2);
  const auto parts = [&](const std::string& of, Index part_bytes) {
    Dataset all;
    files::parse_parts(files::Text(of), "f", {}, pool, part_bytes, [&](const Dataset& part) {
      CHECK(part.rows() > 0);
      all.y.insert(all.y.end(), part.y.begin(), part.y.end());
      all.values.insert(all.values.end(), part.values.begin(), part.values.end());
      all.indices.insert(all.indices.end(), part.indices.begin(), part.indices.end());
      for (std::size_t i = 1; i < part.indptr.size(); ++i)
        all.indptr.push_back(static_cast<std::int64_t>(all.values.size()) - part.indptr.back() + part.indptr[i]);
      all.cols = std::max(all.cols, part.cols);
    });
    return all;
  };
  const Dataset whole = parse(text);
  for (const Index bytes : {Index{1}, Index{100}, Index{1000}, Index{1} << 20}) {
    CHECK(same(parts(text, bytes), whole));
    CHECK(parts("\n# no rows\n", bytes).y.empty());
    CHECK_THROWS_WITH_AS(parts(text + "1 2:x\n", bytes), error(text + "1 2:x\n").c_str(), ParseError);
  }
}

TEST_CASE("svmlight text: the first error in the file, cut anywhere, by any number of threads") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "1 1:1 2:2 # c\n\n";
  text += "1 1:1 7:bad\n";
  for (int i = 0; i < 200; ++i) text += i % 2 == 0 ? "1 0:1\n" : "x\n";
  for (const Index chunk : {Index{1}, Index{10}, Index{100}, Index{5000}}) {
    for (const int threads : {1, 2, 4}) CHECK(error(text, {}, chunk, threads) == "f:401:9: value 'bad' is not a number");
  }
}

TEST_CASE("svmlight text: random bytes give a data set or a ParseError") {
  base::Random random(5);
  const std::string alphabet = "0123456789:. \t\n\r#+-eEnaifqd,x\x80";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (Index n = random.below(40); n > 0; --n) {
      text += alphabet[random.below(static_cast<Index>(alphabet.size()))];
    }
    const std::string first = error(text, {}, 3);
    CHECK(first == error(text));
    if (first.empty()) CHECK(same(parse(text, {}, 3), parse(text)));
  }
}

TEST_CASE("svmlight: the host is asked for every piece, while counting, parsing and closing gaps") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 1:0.5 2:3\n# nothing\n";
  int polls = 0;
  base::ThreadPool pool(1, [&] { ++polls; });
  CHECK(files::parse_svmlight(files::Text(text), "name", {}, pool, 100).y.size() == 1000);
  CHECK(polls >= 3 * static_cast<int>(text.size()) / 130);
}
