// Pipes that keep silent or take nothing: the host's wish to stop is answered, and what comes late is still read or written.
// Files of dcsvm's own are no pipes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/train.hpp"
#include "doctest/doctest.h"
#include "files/checkpoint_file.hpp"
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

/// Larger than what a pipe holds.
LsSvmModel large_model() {
  static const LsSvmModel model = [] {
    std::vector<double> x(2000), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<double>(i);
      y[i] = static_cast<double>(i % 2);
    }
    std::vector<double> wide(x.size() * 20, 0.5);
    for (std::size_t i = 0; i < x.size(); ++i) wide[i * 20] = x[i];
    LsSvmParams params;
    params.n_iter = 1;
    params.kernel.gamma = 1;
    params.gamma_rule = GammaRule::value;
    return train_ls_svm(dense(wide.data(), static_cast<Index>(x.size()), 20), y.data(), params);
  }();
  return model;
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

TEST_CASE("pipe: a save into one that nobody reads can be interrupted") {
  const test::TemporaryFolder folder;
  const std::string path = make_pipe(folder);
  const double x[] = {0.5};
  const std::vector<double> many(100000, 0.25), y(many.size(), 1.0);
  for (const bool reader : {false, true}) {  // with one that never reads, the pipe is full at some time
    const int held = reader ? ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    int asked = 0;
    const DataView data = reader ? dense(many.data(), static_cast<Index>(many.size()), 1) : dense(x, 1, 1);
    const auto patience = [&asked, reader] { return ++asked >= (reader ? 40 : 3); };
    CHECK_THROWS_AS(save_svmlight(path, data, y.data(), false, patience), Interrupted);
    asked = 0;
    CHECK_THROWS_AS(save_model(AnyModel(large_model()), path, third_time(asked)), Interrupted);
    CHECK(asked == 3);
    LiblinearModel liblinear;
    liblinear.labels = {1, -1};
    liblinear.n_features = 100000;
    liblinear.w.assign(100000, 0.25);
    asked = 0;
    CHECK_THROWS_AS(save_liblinear_model(liblinear, path, third_time(asked)), Interrupted);
    LibsvmModel libsvm;
    libsvm.labels = {1, -1};
    libsvm.rho = {0};
    libsvm.n_sv = {100000, 0};
    libsvm.sv_coef.assign(100000, 0.25);
    libsvm.indptr.assign(100001, 0);
    asked = 0;
    CHECK_THROWS_AS(save_libsvm_model(libsvm, path, {}, third_time(asked)), Interrupted);
    if (reader) ::close(held);
  }
}

TEST_CASE("pipe: a save waits for a slow reader") {
  const test::TemporaryFolder folder;
  const std::string path = make_pipe(folder);
  const std::string bytes = model_to_bytes(large_model());
  REQUIRE(bytes.size() > 200000);
  std::string got;
  std::thread reader([&] {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // waits for the writer
    std::string piece(3000, '\0');
    for (ssize_t n = 0; (n = ::read(fd, piece.data(), piece.size())) > 0;) got.append(piece, 0, static_cast<std::size_t>(n));
    ::close(fd);
  });
  save_model(AnyModel(large_model()), path);
  reader.join();
  CHECK(got == bytes);
}

TEST_CASE("pipe: what dcsvm keeps for itself is refused where it is no regular file") {
  const test::TemporaryFolder folder;
  const std::string pipe = make_pipe(folder), cache = folder / "cache", text = folder / "text";
  for (const std::string& path : {pipe, std::string("/dev/full"), std::string("/dev/zero")}) {
    CHECK_THROWS_WITH_AS(files::has_checkpoint(path),
                         (path + ": expected a regular file, found a pipe or device: name another file").c_str(), DataError);
    CHECK_THROWS_AS(files::read_checkpoint(path, {}), DataError);
    TrainInputs inputs;
    inputs.checkpoint = path;
    const double x[] = {0, 1}, y[] = {1, 2};
    TrainParams params;
    params.kernel.type = KernelType::linear;
    CHECK_THROWS_AS(train(dense(x, 2, 1), y, params, inputs), DataError);
  }
  REQUIRE(::mkdir(cache.c_str(), 0700) == 0);
  test::write_text(text, "1 1:1\n2 1:2\n1 1:3\n2 1:4\n");
  for (const char* name : {"/index", "/state", "/block-00000000"}) {
    LowRankParams params;
    params.kernel.gamma = 1;
    params.gamma_rule = GammaRule::value;
    params.n_landmarks = 2;
    BlockOptions options;
    options.cache = cache;
    if (std::string_view(name) != "/index") train_low_rank_file(text, params, options);
    ::unlink((cache + name).c_str());
    REQUIRE(::mkfifo((cache + name).c_str(), 0600) == 0);
    try {
      train_low_rank_file(text, params, options);
      FAIL("a pipe was read");
    } catch (const DataError& error) {
      CHECK(std::string(error.what()).find(cache + name) == 0);
    }
    ::unlink((cache + name).c_str());
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
