// Pipes that keep silent: the host's wish to stop is answered, and late bytes are still read.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;

namespace {

std::string make_pipe(const test::TemporaryFolder& folder) {
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  return path;
}

/// Says stop the third time it is asked.
std::function<bool()> third_time(int& asked) {
  return [&asked] { return ++asked >= 3; };
}

}  // namespace

TEST_CASE("pipe: a reader without a writer, or with a silent one, can be interrupted") {
  const test::TemporaryFolder folder;
  const std::string path = make_pipe(folder);
  for (const bool writer : {false, true}) {
    const int held = writer ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;  // opens both ends, so it does not wait
    REQUIRE((held >= 0) == writer);
    if (writer) REQUIRE(::write(held, "1 1:0.5\n", 8) == 8);
    int asked = 0;
    LoadOptions options;
    options.interrupted = third_time(asked);
    CHECK_THROWS_AS(load_svmlight(path, options), Interrupted);
    CHECK(asked == 3);
    asked = 0;
    CHECK_THROWS_AS(load_any_model(path, 0, third_time(asked)), Interrupted);
    CHECK(asked == 3);
    if (writer) ::close(held);
  }
}

TEST_CASE("pipe: bytes that come late and in parts are all read") {
  const test::TemporaryFolder folder;
  const std::string path = make_pipe(folder);
  std::string expected;
  for (int i = 0; i < 40000; ++i) expected += "1 1:0." + std::to_string(i) + "\n";
  std::thread writer([&] {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);  // waits for the reader
    for (std::size_t at = 0; at < expected.size();) {
      const ssize_t done = ::write(fd, expected.data() + at, std::min<std::size_t>(5000, expected.size() - at));
      if (done <= 0) break;
      at += static_cast<std::size_t>(done);
    }
    ::close(fd);
  });
  const std::string got = files::read_file(path);
  writer.join();
  CHECK(got == expected);
}
