// load_svmlight and save_svmlight with real files.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "doctest/doctest.h"
#include "files/file.hpp"
#include "files/svmlight.hpp"
#include "files/temporary_folder.hpp"

using namespace dcsvm;
using dcsvm::test::read_text;
using dcsvm::test::TemporaryFolder;
using dcsvm::test::write_text;

namespace {

template <class F>
int error_code(F&& f) {
  try {
    f();
  } catch (const FileError& e) {
    return e.code();
  }
  return 0;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// Any finite double: uniform over bit patterns.
double any_finite(base::Random& random) {
  for (;;) {
    const std::uint64_t w = random.next();
    double v;
    std::memcpy(&v, &w, sizeof v);
    if (std::isfinite(v)) return v;
  }
}

}  // namespace

TEST_CASE("load_svmlight: errors of the file system carry path and errno") {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing";
  CHECK(error_code([&] { load_svmlight(missing); }) == ENOENT);
  CHECK_THROWS_WITH_AS(load_svmlight(missing), (missing + ": cannot open: No such file or directory").c_str(), FileError);
  CHECK(error_code([&] { load_svmlight(folder / "."); }) == EISDIR);
  write_text(folder / "empty", "");
  CHECK_THROWS_WITH_AS(load_svmlight(folder / "empty"), (folder / "empty: no samples").c_str(), ParseError);
  write_text(folder / "bad", "1 1:1\n1 1:oops\n");
  CHECK_THROWS_WITH_AS(load_svmlight(folder / "bad"), (folder / "bad:2:5: value 'oops' is not a number").c_str(), ParseError);
  LoadOptions options;
  options.n_threads = -1;
  CHECK_THROWS_AS(load_svmlight(folder / "bad", options), ParameterError);
}

TEST_CASE("load_svmlight: a file that fills its last page exactly, and files of several pieces") {
  const TemporaryFolder folder;
  std::string text(std::size_t{1} << 16, '#');  // whole pages, whatever their size
  text.replace(0, 6, "1 1:1\n");
  text.replace(text.size() - 6, 6, "\n1 1:2");
  write_text(folder / "page", text);
  CHECK(load_svmlight(folder / "page").values == std::vector<double>{1, 2});

  std::string large;
  const Index rows = 100000;
  for (Index i = 0; i < rows; ++i) large += std::to_string(i % 3) + " 1:" + std::to_string(i) + " 20:0.25\n";
  write_text(folder / "large", large);
  LoadOptions options;
  for (const int threads : {1, 2, 4}) {
    options.n_threads = threads;
    const Dataset d = load_svmlight(folder / "large", options);
    REQUIRE(d.rows() == rows);
    bool right = d.cols == 20 && d.indptr.back() == 2 * rows;
    for (Index i = 0; i < rows; ++i) {
      const auto u = static_cast<std::size_t>(i);
      right = right && d.y[u] == static_cast<double>(i % 3) && d.values[2 * u] == static_cast<double>(i) && d.indptr[u] == 2 * i;
    }
    CHECK(right);
  }
}

TEST_CASE("save_svmlight: the text") {
  const TemporaryFolder folder;
  const std::string path = folder / "out";
  const double x[] = {0.1, 0, 100000, -2.5, 1e300, 0, 0, -0.0, 5e-324, 1e15, 123456789012, 3};
  const double y[] = {1, -1, 2.5};
  save_svmlight(path, dense(x, 3, 4), y);
  CHECK(read_text(path) == "1 1:0.1 3:100000 4:-2.5\n-1 1:1e+300\n2.5 1:5e-324 2:1e+15 3:123456789012 4:3\n");
  save_svmlight(path, dense(x, 1, 4), y, true);
  CHECK(read_text(path) == "1 0:0.1 2:100000 3:-2.5\n");
  const float single[] = {0.1F, 16777216.0F, 3.4028235e38F};
  save_svmlight(path, dense(single, 1, 3), y);
  CHECK(read_text(path) == "1 1:0.1 2:16777216 3:3.4028235e+38\n");
  // CSR keeps what is stored, zeros too.
  const double values[] = {0, -0.0, 2};
  const std::int32_t indices[] = {0, 2, 1};
  const std::int64_t indptr[] = {0, 2, 2, 3};
  save_svmlight(path, CsrView{values, ScalarType::float64, indices, indptr, IndexType::int32, IndexType::int64, 3, 3}, y);
  CHECK(read_text(path) == "1 1:0 3:-0\n-1\n2.5 2:2\n");
}

TEST_CASE("save_svmlight and load_svmlight: every bit comes back") {
  const TemporaryFolder folder;
  const std::string path = folder / "round";
  base::Random random(6);
  for (const bool zero_based : {false, true}) {
    Dataset d;
    d.cols = 3000;
    for (int i = 0; i < 2000; ++i) {
      d.y.push_back(random.below(2) == 0 ? any_finite(random) : static_cast<double>(random.below(10)));
      for (Index c = random.below(50); c < 3000; c += 1 + random.below(400)) {
        d.values.push_back(random.below(2) == 0 ? any_finite(random) : static_cast<double>(random.below(300)) - 20);
        d.indices.push_back(static_cast<std::int32_t>(c));
      }
      d.indptr.push_back(static_cast<std::int64_t>(d.values.size()));
    }
    save_svmlight(path, d.view(), d.y.data(), zero_based);
    LoadOptions options;
    options.zero_based = zero_based;
    options.n_features = 3000;
    const Dataset back = load_svmlight(path, options);
    CHECK(same_bits(back.y, d.y));
    CHECK(same_bits(back.values, d.values));
    CHECK(back.indices == d.indices);
    CHECK(back.indptr == d.indptr);
    CHECK(back.cols == 3000);
  }
}

TEST_CASE("save_svmlight: all layouts of one matrix give the same text, float32 comes back as it was") {
  const TemporaryFolder folder;
  const Index rows = 37, cols = 11;
  std::vector<float> c(rows * cols), f(c.size());
  std::vector<float> values;
  std::vector<std::int64_t> indices, indptr{0};
  std::vector<double> y;
  base::Random random(7);
  for (Index i = 0; i < rows; ++i) {
    y.push_back(random.uniform());
    for (Index j = 0; j < cols; ++j) {
      const float v = random.below(3) == 0 ? 0.0F : static_cast<float>(random.uniform() * 1e-3);
      c[i * cols + j] = f[j * rows + i] = v;
      if (v == 0) continue;
      values.push_back(v);
      indices.push_back(j);
    }
    indptr.push_back(static_cast<std::int64_t>(values.size()));
  }
  DenseView fortran = dense(f.data(), rows, cols);
  fortran.row_stride = 1;
  fortran.col_stride = rows;
  const CsrView csr{values.data(),    ScalarType::float32, indices.data(), indptr.data(),
                    IndexType::int64, IndexType::int64,    rows,           cols};
  save_svmlight(folder / "c", dense(c.data(), rows, cols), y.data());
  save_svmlight(folder / "f", fortran, y.data());
  save_svmlight(folder / "csr", csr, y.data());
  CHECK(read_text(folder / "c") == read_text(folder / "f"));
  CHECK(read_text(folder / "c") == read_text(folder / "csr"));
  const Dataset d = load_svmlight(folder / "c");
  REQUIRE(d.values.size() == values.size());
  bool same = true;
  for (std::size_t k = 0; k < values.size(); ++k) same = same && static_cast<float>(d.values[k]) == values[k];
  CHECK(same);
}

TEST_CASE("save_svmlight: bad data is refused and the old file stays") {
  const TemporaryFolder folder;
  const std::string path = folder / "keep";
  write_text(path, "old");
  const double x[] = {1, std::numeric_limits<double>::quiet_NaN(), 3, 4};
  const double good[] = {1, 2, 3, 4};
  const double y[] = {1, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_WITH_AS(save_svmlight(path, dense(x, 2, 2), good), "X has NaN at row 0, column 1", DataError);
  CHECK_THROWS_WITH_AS(save_svmlight(path, dense(good, 2, 2), y), "y is not finite at row 1", DataError);
  CHECK_THROWS_WITH_AS(save_svmlight(path, dense(good, 2, 2), nullptr), "y has no data (null pointer)", DataError);
  CHECK_THROWS_AS(save_svmlight(path, dense(good, 0, 2), y), DataError);
  const std::int32_t indices[] = {1, 0}, indptr[] = {0, 2};
  CsrView csr{good, ScalarType::float64, indices, indptr, IndexType::int32, IndexType::int32, 1, 2};
  CHECK_THROWS_WITH_AS(save_svmlight(path, csr, good), "X: row 0 has unsorted columns: 0 after 1; sort each row by columns",
                       DataError);
  CHECK(read_text(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("save_svmlight: errors of the file system leave nothing behind") {
  const TemporaryFolder folder;
  const double x[] = {1}, y[] = {1};
  const std::string nowhere = folder / "no/such/folder";
  CHECK(error_code([&] { save_svmlight(nowhere, dense(x, 1, 1), y); }) == ENOENT);
  CHECK_THROWS_WITH_AS(save_svmlight(nowhere, dense(x, 1, 1), y),
                       (nowhere + ": cannot create: No such file or directory").c_str(), FileError);
  CHECK(error_code([&] { save_svmlight(folder / ".", dense(x, 1, 1), y); }) == EISDIR);
  CHECK(folder.count() == 0);
  std::error_code none;
  if (std::filesystem::is_character_file("/dev/full", none)) {  // a device is written in place, and this one is always full
    CHECK(error_code([&] { save_svmlight("/dev/full", dense(x, 1, 1), y); }) == ENOSPC);
  } else {
    MESSAGE("not tested: a full device (this system has no /dev/full)");
  }
}

TEST_CASE("svmlight: an interrupt ends saving and loading by Interrupted and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  write_text(path, "old");
  bool asked = false;
  const auto stop = [&] { return asked = true; };
  std::vector<double> x, y;
  for (Index rows = 50000; !asked; rows *= 2) {  // hosts are asked every 50 ms: until it takes that long
    REQUIRE(rows < Index{50000} << 8);
    x.assign(rows * 4, 0.1);
    y.assign(rows, 1.0);
    try {
      save_svmlight(path, dense(x.data(), rows, 4), y.data(), false, stop);
      CHECK_FALSE(asked);
      write_text(path, "old");
    } catch (const Interrupted&) {
      CHECK(asked);
    }
  }
  CHECK(read_text(path) == "old");
  CHECK(folder.count() == 1);
  save_svmlight(path, dense(x.data(), 100, 4), y.data());
  const std::string some = read_text(path);
  asked = false;
  LoadOptions options;
  options.n_threads = 2;
  options.interrupted = stop;
  for (std::string text = some; !asked; text += text) {
    REQUIRE(text.size() < std::size_t{1} << 30);
    write_text(path, text);
    try {
      load_svmlight(path, options);
      CHECK_FALSE(asked);
    } catch (const Interrupted&) {
      CHECK(asked);
    }
  }
}

// What `change` does to the file happens after its lines and values were counted and before they are parsed.
static std::string error_of_changing(const std::string& path, const std::function<void()>& change) {
  const files::Text text = files::Text::open(path);
  int polls = 0;
  base::ThreadPool pool(1, [&] {
    if (++polls == 3) change();
  });
  try {
    files::parse_svmlight(text, path, {}, pool, 1 << 20);
  } catch (const FileError& e) {
    CHECK(e.code() == 0);  // in Python an errno would hide the text
    return e.what();
  }
  return "";
}

TEST_CASE("svmlight: a file that changes while it is read is an error, not a write out of bounds") {
  const TemporaryFolder folder;
  const std::string path = folder / "changing";
  std::string quiet, busy;
  for (int i = 0; i < 1000; ++i) quiet += "# " + std::string(100, ' ') + "\n1 1:1\n";
  while (busy.size() + 20 < quiet.size()) busy += "1 1:1 2:2 3:3 4:4\n";
  busy += std::string(quiet.size() - busy.size() - 1, ' ') + "\n";
  write_text(path, quiet);
  CHECK(load_svmlight(path).y.size() == 1000);
  CHECK(error_of_changing(path, [&] { write_text(path, busy); }).find("changed while it was read") != std::string::npos);
  write_text(path, quiet);
  CHECK(error_of_changing(path, [&] { std::filesystem::resize_file(path, 10); }).find("became shorter") != std::string::npos);
}
