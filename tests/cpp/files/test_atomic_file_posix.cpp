// What a file under construction leaves when its process ends at any moment.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;

namespace {

/// Whether the file system of this folder has files without a name.
bool has_nameless_files(const std::string& folder) {
#ifdef O_TMPFILE
  const int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0 && ::access("/proc/self/fd", F_OK) == 0;
#else
  static_cast<void>(folder);
  return false;
#endif
}

unsigned mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("atomic file: a process that is killed while it writes leaves nothing, and the old file whole") {
  const test::TemporaryFolder folder;
  const std::string target = folder / "file";
  test::write_text(target, "old");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    files::AtomicFile file(target);
    file.write("new");
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(test::read_text(target) == "old");
  if (has_nameless_files(folder / ".")) {
    CHECK(folder.count() == 1);
  } else {
    MESSAGE("this file system has no files without a name: the temporary one stays");
  }
}

TEST_CASE("atomic file: it replaces its target and keeps the target's rights; without commit nothing is left") {
  const test::TemporaryFolder folder;
  const std::string target = folder / "file", fresh = folder / "fresh";
  test::write_text(target, "old");
  REQUIRE(::chmod(target.c_str(), 0640) == 0);
  {
    files::AtomicFile file(target);
    file.write("lost");
    CHECK(test::read_text(target) == "old");
  }
  CHECK(folder.count() == 1);
  const unsigned before = ::umask(027);
  for (const std::string& path : {target, fresh}) {
    files::AtomicFile file(path);
    file.write("new");
    file.commit();
    CHECK(test::read_text(path) == "new");
    CHECK(mode_of(path) == 0640);
  }
  ::umask(before);
  CHECK(folder.count() == 2);
}

TEST_CASE("atomic file: a folder that is gone when the file is complete is named, and so is a folder as target") {
  const test::TemporaryFolder folder;
  REQUIRE(::mkdir((folder / "gone").c_str(), 0700) == 0);
  files::AtomicFile file(folder / "gone/file");
  file.write("new");
  std::filesystem::remove_all(folder / "gone");
  CHECK_THROWS_AS(file.commit(), FileError);
  CHECK_THROWS_AS(files::AtomicFile(folder / "."), FileError);
}
