// load_svmlight and save_svmlight with pipes, links and rights.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "dcsvm/io.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;
using dcsvm::test::read_text;
using dcsvm::test::TemporaryFolder;
using dcsvm::test::write_text;

TEST_CASE("load_svmlight: reads from a pipe") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "1 1:" + std::to_string(i) + "\n";
  std::thread writer([&] { write_text(path, text); });
  const Dataset d = load_svmlight(path);
  writer.join();
  CHECK(d.rows() == 50000);
  CHECK(d.values.back() == 49999);
}

TEST_CASE("save_svmlight: replaces the file behind a link and keeps its mode") {
  const TemporaryFolder folder;
  const std::string path = folder / "file", link = folder / "link";
  const double x[] = {1}, y[] = {1};
  write_text(path, "old");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  REQUIRE(::symlink(path.c_str(), link.c_str()) == 0);
  save_svmlight(link, dense(x, 1, 1), y);
  struct stat status{};
  REQUIRE(::lstat(link.c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK(read_text(path) == "1 1:1\n");
  CHECK(folder.count() == 2);
}

TEST_CASE("svmlight: a saved file has its target's rights from the start, and no rights to run as another user") {
  const TemporaryFolder folder;
  const std::string path = folder / "secret";
  write_text(path, "old");
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  files::AtomicFile file(path);
  file.write("new");
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
    CHECK((entry.status().permissions() & std::filesystem::perms::mask) == std::filesystem::perms(0600));
  file.commit();
  CHECK(read_text(path) == "new");
  REQUIRE(::chmod(path.c_str(), 04755) == 0);
  files::AtomicFile again(path);
  again.commit();
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0755);
}

TEST_CASE("svmlight: a link to a file that does not exist yet stays a link") {
  const TemporaryFolder folder;
  const std::string link = folder / "link", target = folder / "target";
  REQUIRE(::symlink("target", link.c_str()) == 0);
  files::AtomicFile file(link);
  file.write("text");
  file.commit();
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_text(target) == "text");
}
