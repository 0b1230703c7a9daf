// A user without rights to a folder: an error that names the path, and nothing is left. Root may do everything, so a child
// process gives its rights up first.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/low_rank.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;

namespace {

/// Whether `use` throws FileError for a lack of rights in a child process without root's rights.
bool refused(const std::function<void()>& use) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr unsigned nobody = 65534;
    if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(2);
    try {
      use();
    } catch (const FileError& e) {
      ::_exit(e.code() == EACCES ? 0 : 3);
    } catch (...) {
      ::_exit(4);
    }
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("rights: nothing is written into a read-only folder, or over a read-only file") {
  const test::TemporaryFolder folder;
  const std::string target = folder / "file", secret = folder / "secret", text = folder / "text";
  test::write_text(target, "old");
  test::write_text(secret, "1 1:1\n");
  test::write_text(text, "1 1:1\n-1 1:2\n");
  REQUIRE(::chmod(target.c_str(), 0444) == 0);
  REQUIRE(::chmod(secret.c_str(), 0000) == 0);
  REQUIRE(::chmod((folder / ".").c_str(), 0555) == 0);
  const double x = 1, y = 1;
  LowRankParams params;
  params.kernel.gamma = 1;
  CHECK(refused([&] { save_svmlight(folder / "new", dense(&x, 1, 1), &y); }));
  CHECK(refused([&] { save_svmlight(target, dense(&x, 1, 1), &y); }));
  CHECK(refused([&] { load_svmlight(secret); }));
  CHECK(refused([&] { load_model(secret); }));
  CHECK(refused([&] { train_low_rank_file(text, params, {}); }));
  REQUIRE(::chmod((folder / ".").c_str(), 0755) == 0);
  CHECK(folder.count() == 3);
  CHECK(test::read_text(target) == "old");
}
