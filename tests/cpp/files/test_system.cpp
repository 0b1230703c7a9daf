// Files on whatever system this is: the same answers everywhere. These cases need nothing of POSIX.
#include "files/system.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;
using namespace dcsvm::files;

namespace {

template <class Use>
int file_error(const Use& use) {
  try {
    use();
  } catch (const FileError& error) {
    return error.code();
  }
  return 0;
}

}  // namespace

TEST_CASE("system: bytes are kept as they are, under names beyond ASCII, and replaced at once") {
  const test::TemporaryFolder folder;
  const std::string name = folder / "gr\xc3\xbc\xc3\x9f \xe6\x95\xb0.txt", bytes = "one\r\ntwo\n\x1a three";
  write_file(name, bytes);
  CHECK(read_file(name) == bytes);
  CHECK(std::filesystem::exists(std::filesystem::u8path(name)));
  write_file(name, "new");
  {
    AtomicFile lost(name);
    lost.write("lost");
    CHECK(read_file(name) == "new");
  }
  CHECK(folder.count() == 1);
  {
    GrowingFile growing(name);
    growing.write("er");
    growing.commit();
    growing.write("cut");
  }
  CHECK(read_file(name) == "newer");
  GrowingFile shorter(name, 3);
  shorter.write("!");
  shorter.commit();
  CHECK(read_file(name) == "new!");
  CHECK(system::create(name, 0600) < 0);
  CHECK(errno == EEXIST);
}

TEST_CASE("system: a large file is read in pieces and at places, and one that became shorter is an error") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "big";
  std::string big(std::size_t{40} << 20, 'x');
  for (std::size_t i = 0; i < big.size(); i += 4096) big[i] = '\n';
  write_file(path, big);
  CHECK(read_file(path) == big);
  const Text text = Text::open(path);
  std::string room;
  CHECK(text.size() == static_cast<Index>(big.size()));
  CHECK(text.read(4096, 3, room) == "\nxx");
  {
    const GrowingFile cut(path, 100);
  }
  CHECK_THROWS_WITH_AS(text.read(50, 100, room), doctest::Contains("became shorter"), FileError);
  CHECK(text.read(0, 100, room) == big.substr(0, 100));
}

TEST_CASE("system: errors have POSIX's numbers") {
  const test::TemporaryFolder folder;
  CHECK(file_error([&] { read_file(folder / "none"); }) == ENOENT);
  CHECK(file_error([&] { read_file(folder / "."); }) == EISDIR);
  CHECK(file_error([&] { has_regular_file(folder / "."); }) == EISDIR);
  CHECK_FALSE(has_regular_file(folder / "none"));
  CHECK(file_error([&] { const AtomicFile none(folder / "no/such"); }) == ENOENT);
  CHECK(file_error([&] { const AtomicFile none(folder / "."); }) == EISDIR);
  CHECK(system::make_folder(folder / "sub"));
  CHECK_FALSE(system::make_folder(folder / "sub"));
  CHECK(errno == EEXIST);
}

TEST_CASE("system: an open file can be removed and read on; its number names it") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "file";
  write_file(path, "0123456789");
  system::Status named, open;
  REQUIRE(system::status_of(path, named));
  const int fd = system::open_to_read(path);
  REQUIRE(fd >= 0);
  CHECK(system::status_of(fd, open));
  CHECK(named.regular);
  CHECK_FALSE(named.folder);
  CHECK(named.size == 10);
  CHECK(named.id != 0);
  CHECK((open.id == named.id && open.device == named.device && open.modified == named.modified));
  CHECK(named.modified > std::int64_t{1500000000} * 1000000000);  // 2017
  CHECK(system::remove(path));
  char last = 0;
  CHECK(system::read_at(fd, &last, 1, 9) == 1);
  CHECK(last == '9');
  CHECK(system::read_at(fd, &last, 1, 10) == 0);
  CHECK(system::close(fd));
}

TEST_CASE("system: the entries of a folder") {
  const test::TemporaryFolder folder;
  const std::string name = "na\xc3\xafve";
  write_file(folder / name, "new");
  system::Folder entries(folder / ".");
  std::vector<std::string> seen;
  entries.each([&](const char* entry) { seen.emplace_back(entry); });
  CHECK(seen == std::vector<std::string>{name});
  CHECK(entries.is_regular(name.c_str()));
  std::array<char, 4> begin{};
  CHECK(entries.read_begin(name.c_str(), begin.data(), 3));
  CHECK(std::string(begin.data()) == "new");
  CHECK_FALSE(entries.read_begin(name.c_str(), begin.data(), 4));
  CHECK(entries.remove(name.c_str()));
  CHECK(folder.count() == 0);
  entries.each([&](const char*) { FAIL("there is an entry"); });
  system::Folder none(folder / "none");
  none.each([&](const char*) { FAIL("there is an entry"); });
}

TEST_CASE("system: random bytes differ") {
  std::array<unsigned char, 12> a{}, b{};
  REQUIRE(system::random_bytes(a.data(), a.size()));
  REQUIRE(system::random_bytes(b.data(), b.size()));
  CHECK(a != b);
}
