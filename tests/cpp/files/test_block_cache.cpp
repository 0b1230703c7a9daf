#include "files/block_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "files/crc32.hpp"
#include "files/system.hpp"
#include "files/temporary_folder.hpp"
#include "low_rank/journal.hpp"

using namespace dcsvm;
using test::read_text;
using test::TemporaryFolder;
using test::write_text;

namespace {

/// n lines "label 1:v 3:v"; every 10th is a comment.
std::string text_of(Index n) {
  std::string text;
  for (Index i = 0; i < n; ++i) {
    if (i % 10 == 9) text += "# a comment\n";
    text +=
        (i % 3 == 0 ? "1 1:" : "-1 1:") + std::to_string(static_cast<double>(i) / 8) + " 3:" + std::to_string(i % 7 + 1) + "\n";
  }
  return text;
}

void build(const std::string& path, const std::string& folder, Index block_bytes, const LoadOptions& options = {}) {
  base::ThreadPool pool(2);
  files::build_block_cache(path, folder, options, block_bytes, pool);
}

std::vector<float> all_values(const files::BlockCache& cache) {
  std::vector<float> values(cache.rows() * cache.cols());
  for (Index b = 0; b < cache.blocks(); ++b) {
    cache.visit(b, [&](const DataView& x) {
      data::copy_rows(x, nullptr, 0, rows_of(x), values.data() + cache.first_row(b) * cache.cols(), cache.cols());
    });
  }
  return values;
}

void check_content(const files::BlockCache& cache, Index n) {
  REQUIRE(cache.rows() == n);
  REQUIRE(cache.cols() == 3);
  base::ThreadPool pool(1);
  const auto y = cache.labels(pool);
  const auto x = all_values(cache);
  for (Index i = 0; i < n; ++i) {
    REQUIRE(y[i] == (i % 3 == 0 ? 1 : -1));
    REQUIRE(x[3 * i] == static_cast<float>(i) / 8);
    REQUIRE(x[3 * i + 1] == 0.0F);
    REQUIRE(x[3 * i + 2] == static_cast<float>(i % 7 + 1));
  }
}

bool exists(const std::string& path) { return std::filesystem::exists(std::filesystem::u8path(path)); }

}  // namespace

TEST_CASE("block cache: text comes back, in blocks of about the bytes asked for, and the text stays as it is") {
  const TemporaryFolder folder;
  const std::string text = text_of(500), path = folder / "data.txt", cache = folder / "cache";
  write_text(path, text);
  build(path, cache, 1000);
  const files::BlockCache found(cache);
  CHECK(found.blocks() > 5);
  CHECK(files::has_block_cache(cache));
  CHECK(files::same_source(found.source(), files::describe_source(path, {})));
  check_content(found, 500);
  CHECK(read_text(path) == text);
  CHECK_THROWS_AS(build(path, cache, 1000), DataError);  // finished already
  files::remove_block_cache(cache);
  CHECK(!exists(cache));
}

TEST_CASE("block cache: no line feed at the end, one line longer than a block, a mark before UTF-8") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache";
  std::string text = "\xef\xbb\xbf" + text_of(40);
  text.pop_back();
  write_text(path, text);
  build(path, cache, 8);
  check_content(files::BlockCache(cache), 40);
}

TEST_CASE("block cache: an interrupted parse goes on where it stopped") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", whole = folder / "whole", parts = folder / "parts";
  write_text(path, text_of(500));
  build(path, whole, 1000);
  build(path, parts, 1000);
  const std::string last = parts + "/block-00000003";
  for (Index b = 4; exists(parts + "/block-0000000" + std::to_string(b)); ++b)
    std::filesystem::remove((parts + "/block-0000000" + std::to_string(b)));
  for (Index b = 10; exists(parts + "/block-000000" + std::to_string(b)); ++b)
    std::filesystem::remove((parts + "/block-000000" + std::to_string(b)));
  std::filesystem::remove((parts + "/index"));
  files::system::Status before, after;
  REQUIRE(files::system::status_of(last, before));
  build(path, parts, 1000);
  REQUIRE(files::system::status_of(last, after));
  CHECK(before.id == after.id);  // not written again
  CHECK(files::BlockCache(whole).fingerprint() == files::BlockCache(parts).fingerprint());
  check_content(files::BlockCache(parts), 500);
}

TEST_CASE("block cache: errors of the text name the line and leave nothing") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache";
  write_text(path, text_of(300) + "1 3:4 2:1\n");
  try {
    build(path, cache, 1000);
    FAIL("no error");
  } catch (const ParseError& e) {
    CHECK(std::string(e.what()).find("data.txt:331:7") != std::string::npos);
  }
  CHECK(!exists(cache));
  write_text(path, "# nothing\n");
  CHECK_THROWS_AS(build(path, cache, 1000), ParseError);
  write_text(path, "");
  CHECK_THROWS_AS(build(path, cache, 1000), ParseError);
  CHECK_THROWS_AS(build(folder / "absent", cache, 1000), FileError);
  CHECK(!exists(cache));
}

TEST_CASE("block cache: a folder with other files in it is refused and left alone") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache";
  write_text(path, text_of(10));
  std::filesystem::create_directory(cache);
  write_text(cache + "/mine", "precious");
  CHECK_THROWS_AS(build(path, cache, 1000), DataError);
  CHECK(read_text(cache + "/mine") == "precious");
}

TEST_CASE("block cache: files of like names that it did not write are refused and left alone") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache";
  write_text(path, text_of(10));
  std::filesystem::create_directory(cache);
  for (const char* name : {"/block-notes.txt", "/block-00000000", "/state", "/index", "/.dcsvm-notes.tmp"}) {
    write_text(cache + name, "precious");
    CHECK_THROWS_AS(build(path, cache, 1000), DataError);
    files::remove_block_cache(cache);
    CHECK(read_text(cache + name) == "precious");
    std::filesystem::remove((cache + name));
  }
}

TEST_CASE("block cache: a symbolic link is refused and left alone") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache", link = folder / "link";
  write_text(path, text_of(10));
  std::filesystem::create_directory(cache);
  std::error_code refused;
  std::filesystem::create_directory_symlink(cache, link, refused);
  if (!std::filesystem::is_symlink(link, refused)) {
    MESSAGE("not tested: there is no symbolic link (Windows lets few users make one, wine 8 nobody)");
    return;
  }
  CHECK_THROWS_AS(build(path, link, 1000), DataError);
  build(path, cache, 1000);
  files::remove_block_cache(link);
  CHECK(files::has_block_cache(cache));
  files::remove_block_cache(cache);
  CHECK(!exists(cache));
}

/// A file of a cache with another value at byte `at` of its head, and the checksum that belongs to it.
template <class T>
std::string with_field(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  const std::uint32_t payload = files::crc32(std::string_view(bytes).substr(104));
  std::memcpy(bytes.data() + 96, &payload, 4);
  const std::uint32_t crc = files::crc32(std::string_view(bytes).substr(0, 100));
  std::memcpy(bytes.data() + 100, &crc, 4);
  return bytes;
}

TEST_CASE("block cache: sizes that overflow or that the files cannot hold are noticed, though the checksums are right") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache", block = cache + "/block-00000000",
                    index = cache + "/index";
  write_text(path, text_of(4));
  build(path, cache, 1 << 20);
  base::ThreadPool pool(1);
  const std::string good_block = read_text(block), good_index = read_text(index);
  REQUIRE(with_field(good_index, 8, std::uint32_t{1}) == good_index);
  for (const std::int64_t rows : {std::int64_t{1} << 28, std::int64_t{1} << 34, std::int64_t{1} << 60}) {
    write_text(index, with_field(good_index, 104, rows));
    CHECK_THROWS_AS(files::BlockCache{cache}, DataError);
  }
  for (const std::int64_t cols : {std::int64_t{1} << 31, std::int64_t{1} << 62, std::int64_t{-1}}) {
    write_text(index, with_field(good_index, 24, cols));
    CHECK_THROWS_AS(files::BlockCache{cache}, DataError);
    write_text(index, good_index);
    write_text(block, with_field(good_block, 24, cols));
    CHECK_THROWS_AS(files::BlockCache(cache).labels(pool), DataError);
    write_text(block, good_block);
  }
  CHECK(files::BlockCache(cache).labels(pool).size() == 4);
}

TEST_CASE("block cache: every flipped byte, every shorter file and other versions are noticed") {
  const TemporaryFolder folder;
  const std::string path = folder / "data.txt", cache = folder / "cache";
  write_text(path, text_of(12));
  build(path, cache, 1 << 20);
  base::ThreadPool pool(1);
  for (const char* name : {"/index", "/block-00000000"}) {
    const std::string good = read_text(cache + name);
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0x10);
      write_text(cache + name, bad);
      REQUIRE_THROWS_AS(files::BlockCache(cache).labels(pool), DataError);
    }
    for (std::size_t size = 0; size < good.size(); size += 9) {
      write_text(cache + name, good.substr(0, size));
      REQUIRE_THROWS_AS(files::BlockCache(cache).labels(pool), DataError);
    }
    std::string newer = good;  // a version of tomorrow, with its checksum right
    newer[8] = 2;
    const std::uint32_t crc = files::crc32(std::string_view(newer).substr(0, 100));
    for (int i = 0; i < 4; ++i) newer[100 + i] = static_cast<char>(crc >> (8 * i));
    write_text(cache + name, newer);
    try {
      files::BlockCache(cache).labels(pool);
      FAIL("no error");
    } catch (const DataError& e) {
      CHECK(std::string(e.what()).find("version 2") != std::string::npos);
    }
    write_text(cache + name, good);
  }
  std::filesystem::remove((cache + "/block-00000000"));
  CHECK_THROWS_AS(files::BlockCache{cache}, DataError);
}

TEST_CASE("block cache: batches of arrays; what does not fit together or into float32 is refused") {
  const TemporaryFolder folder;
  const std::string cache = folder / "cache";
  const std::vector<double> x{1, 2, 3, 4, 5, 6}, y{0, 1, 1};
  {
    files::BlockWriter writer(cache, {});
    writer.add(dense(x.data(), 3, 2), y.data());
    writer.add(dense(x.data() + 2, 1, 2), y.data());
    CHECK_THROWS_AS(writer.add(dense(x.data(), 2, 3), y.data()), DataError);
    writer.finish();
  }
  const files::BlockCache found(cache);
  CHECK(all_values(found) == std::vector<float>{1, 2, 3, 4, 5, 6, 3, 4});
  files::remove_block_cache(cache);
  const double huge[] = {1e39, 0};
  {
    files::BlockWriter writer(cache, {});
    CHECK_THROWS_AS(writer.add(dense(huge, 1, 2), y.data()), DataError);
  }
  CHECK(!exists(cache));
  {
    files::BlockWriter writer(cache, {});
    CHECK_THROWS_AS(writer.finish(), DataError);
  }
  CHECK(!exists(cache));
}

TEST_CASE("block journal: the last whole checkpoint comes back") {
  const TemporaryFolder folder;
  const std::string path = folder / "c/state";
  std::filesystem::create_directory((folder / "c"));
  low_rank::BlockState fresh;
  fresh.problems = {{{0, 1}, {0, 0, 0}, {0, 0, 0}, {}}};
  low_rank::BlockState state = fresh;
  low_rank::BlockJournal journal(folder / "c", 77, state);
  CHECK(!journal.found());
  state.problems[0] = {{0, 1}, {1, 2, 3}, {0.5, 0, 0.25}, {0, 2}};
  state.unit = 5;
  journal.save(state);
  const std::string one = read_text(path);
  state.problems[0] = {{0, 1}, {4, 5, 6}, {0.0, 0, 0.75}, {0, 2}};
  state.pass = 2;
  state.unit = 6;
  state.worst = 0.25;
  state.kept = {2, 0};
  journal.save(state);
  const std::string two = read_text(path);
  REQUIRE(two.size() > one.size());
  const auto unit_found = [&](const std::string& text) -> Index {
    write_text(path, text);
    low_rank::BlockState found = fresh;
    if (!low_rank::BlockJournal(folder / "c", 77, found).found()) {
      CHECK(found.problems[0].alpha == fresh.problems[0].alpha);
      return 0;
    }
    CHECK(read_text(path) == (found.unit == 5 ? one : two));  // what is torn is cut off
    return found.unit;
  };
  low_rank::BlockState found = fresh;
  REQUIRE(low_rank::BlockJournal(folder / "c", 77, found).found());
  CHECK(found.unit == 6);
  CHECK(found.pass == 2);
  CHECK(found.worst == 0.25);
  CHECK(found.kept == state.kept);
  CHECK(found.problems[0].w == state.problems[0].w);
  CHECK(found.problems[0].alpha == state.problems[0].alpha);
  for (std::size_t i = 0; i < two.size(); ++i) {
    std::string bad = two;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    REQUIRE(unit_found(bad) == (i < one.size() ? 0 : 5));
    REQUIRE(unit_found(two.substr(0, i)) == (i < one.size() ? 0 : 5));
  }
  write_text(path, two);
  CHECK(!low_rank::BlockJournal(folder / "c", 78, found).found());
  low_rank::BlockState other = fresh;
  other.problems[0].alpha.resize(2);
  CHECK(!low_rank::BlockJournal(folder / "c", 77, other).found());
  other = fresh;
  other.problems[0].w.resize(2);
  CHECK(!low_rank::BlockJournal(folder / "c", 77, other).found());
}

TEST_CASE("block journal: a record whose numbers make no sense is not taken up, though its checksum is right") {
  const TemporaryFolder folder;
  const std::string path = folder / "c/state";
  std::filesystem::create_directory((folder / "c"));
  const low_rank::BlockState fresh{{{{0, 1}, {0, 0}, {0, 0, 0}, {}}}, 0, 0, 0};
  low_rank::BlockState state = fresh;
  state.kept = {1};
  low_rank::BlockJournal(folder / "c", 1, state).save(state);
  const std::string good = read_text(path);
  const auto found = [&](std::size_t at, std::int64_t value) {  // `at`: in the record, which follows a head of 16 bytes
    std::string bytes = good;
    std::memcpy(bytes.data() + 16 + at, &value, sizeof(value));
    const std::size_t record = bytes.size() - 16 - 4;
    const std::uint32_t crc = files::crc32(std::string_view(bytes).substr(16, record));
    std::memcpy(bytes.data() + 16 + record, &crc, 4);
    write_text(path, bytes);
    low_rank::BlockState read = fresh;
    return low_rank::BlockJournal(folder / "c", 1, read).found();
  };
  CHECK(found(8, 1));                              // pass
  CHECK(!found(8, -(std::int64_t{1} << 61)));
  CHECK(found(16, 3));                             // unit
  CHECK(!found(16, -(std::int64_t{1} << 40)));
  CHECK(!found(32, std::int64_t{1} << 61));  // kept rows: their number, and the only one
  CHECK(found(40, 2));
  CHECK(!found(40, 3));
  CHECK(!found(40, -1));
  CHECK(!found(48 + 8 + 2 * 8, std::int64_t{1} << 62));  // dual variables
}

TEST_CASE("block journal: costs a block, is bounded, and goes on after another process") {
  const TemporaryFolder folder;
  const std::string path = folder / "c/state";
  std::filesystem::create_directory((folder / "c"));
  constexpr Index kRows = 20000;
  const low_rank::BlockState fresh{{{{0, 1}, {0, 0}, std::vector<double>(kRows, 0.0), {}}}, 0, 0, 0};
  low_rank::BlockState state = fresh;
  auto journal = std::make_unique<low_rank::BlockJournal>(folder / "c", 1, state);
  std::size_t before = 0, largest = 0;
  for (Index unit = 0; unit < 400; ++unit) {
    auto& p = state.problems[0];
    p.changed.clear();
    for (Index i = 0; i < 200; ++i) p.changed.push_back((unit * 200 + i) % kRows);
    for (const Index i : p.changed) p.alpha[i] += 1.0;
    state.unit = unit + 1;
    journal->save(state);
    const std::size_t size = read_text(path).size();
    if (unit > 0 && size > before) CHECK(size - before < 200 * 16 + 100);
    before = size;
    largest = std::max(largest, size);
    if (unit % 150 == 149) {
      low_rank::BlockState found = fresh;
      journal = std::make_unique<low_rank::BlockJournal>(folder / "c", 1, found);
      REQUIRE(journal->found());
      CHECK(found.problems[0].alpha == p.alpha);
      CHECK(found.unit == unit + 1);
    }
  }
  CHECK(largest > std::size_t{2} * kRows * 16);
  CHECK(largest < std::size_t{2} * kRows * 16 + 150000);
  CHECK(before < largest);
  journal->remove();
  CHECK(!exists(path));
}
