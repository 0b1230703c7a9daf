#include "common/app.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <stdexcept>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "files/file.hpp"
#include "files/svmlight.hpp"
#include "files/system.hpp"

namespace app {

void fail(const char* format, ...) {
  std::fflush(stdout);
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::exit(1);
}

void Help::show() const {
  std::fputs(text, stdout);
  std::exit(1);
}

void Help::unknown(char letter) const {
  std::fprintf(stderr, "%s: -%c\n", unknown_option, letter);
  show();
}

int run(int (*command)(int, char**), int argc, char** argv) {
  try {
    dcsvm::files::system::print_bytes();
    std::vector<std::string> words = dcsvm::files::system::arguments(argc, argv);
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int code = command(static_cast<int>(words.size()), pointers.data());
    const bool flushed = std::fflush(stdout) == 0;
    const int reason = errno;
    if (flushed && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "ERROR: can't write to stdout%s%s\n", flushed ? "" : ": ", flushed ? "" : std::strerror(reason));
    return 1;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // of a standard container: no machine has that much
  }
  std::fputs("ERROR: out of memory\n", stderr);
  return 1;
}

void check_readable(const char* path, const char* what) {
  if (!dcsvm::files::system::may_read(path)) fail("can't open %s %s\n", what, path);
}

std::string read_text(const char* path, const char* what) {
  try {
    return dcsvm::files::read_file(path);
  } catch (const dcsvm::FileError&) {
    fail("can't open %s %s\n", what, path);
  }
}

namespace {

/// read(options) with the options of these files; exits as read_file does. A file without rows is {} where that is legal.
template <class Read>
auto read_data(const char* path, const char* what, Indices indices, const Read& read) -> decltype(read(dcsvm::LoadOptions())) {
  try {
    dcsvm::LoadOptions options;
    options.zero_based = indices == Indices::from_0;
    options.strict = true;
    return read(options);
  } catch (const dcsvm::FileError&) {
    fail("can't open %s %s\n", what, path);
  } catch (const dcsvm::ParseError& e) {  // "path:line:column: why"; a file without a row has no line
    const char* place = e.what() + std::strlen(path);
    const long line = *place == ':' ? std::strtol(place + 1, nullptr, 10) : 0;
    if (line == 0 && indices == Indices::from_1) return decltype(read(dcsvm::LoadOptions()))();
    fail("Wrong input format at line %ld\n%s\n", std::max(line, 1L), e.what());
  } catch (const std::bad_alloc&) {
    fail("ERROR: out of memory\n");
  } catch (const std::exception& e) {
    fail("ERROR: %s\n", e.what());
  }
}

}  // namespace

dcsvm::Dataset read_file(const char* path, const char* what, Indices indices) {
  return read_data(path, what, indices, [&](const dcsvm::LoadOptions& options) { return dcsvm::load_svmlight(path, options); });
}

void read_parts(const char* path, const char* what, dcsvm::Index part_bytes,
                const std::function<void(const dcsvm::Dataset&)>& use) {
  read_data(path, what, Indices::from_1,
            [&](const dcsvm::LoadOptions& options) { dcsvm::files::load_parts(path, options, part_bytes, use); });
}

dcsvm_matrix matrix(const dcsvm::Dataset& data, const char* path) {
  if (data.rows() > std::numeric_limits<int>::max()) fail("ERROR: %s has more than 2147483647 rows\n", path);
  return {static_cast<int>(data.rows()), static_cast<int>(data.cols), data.values.data(), data.indices.data(),
          data.indptr.data()};
}

std::string default_model(const char* input) { return std::filesystem::u8path(input).filename().u8string() + ".model"; }

Problem read_problem(const char* path) {
  dcsvm::Dataset data = read_file(path, "input file");
  if (data.rows() > std::numeric_limits<int>::max()) fail("ERROR: %s has more than 2147483647 rows\n", path);
  Problem p;
  try {
    p.nodes.reserve(data.values.size() + data.y.size());
    p.rows.reserve(data.y.size());
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      p.rows.push_back(p.nodes.data() + p.nodes.size());  // reserved: they stay where they are
      for (auto e = static_cast<std::size_t>(data.indptr[i]); e < static_cast<std::size_t>(data.indptr[i + 1]); ++e) {
        p.nodes.push_back({data.indices[e], data.values[e]});
      }
      p.nodes.push_back({-1, 0.0});
    }
  } catch (const std::bad_alloc&) {
    fail("ERROR: out of memory\n");
  }
  p.max_index = static_cast<int>(std::max<dcsvm::Index>(data.cols - 1, 0));
  p.y = std::move(data.y);
  return p;
}

void Score::add(double target, double predicted) {
  n_ += 1;
  right_ += target == predicted ? 1 : 0;
  error_ += (predicted - target) * (predicted - target);
  v_ += predicted;
  y_ += target;
  vv_ += predicted * predicted;
  yy_ += target * target;
  vy_ += predicted * target;
}

double Score::squared_correlation() const {
  const double covariance = n_ * vy_ - v_ * y_;
  return covariance * covariance / ((n_ * vv_ - v_ * v_) * (n_ * yy_ - y_ * y_));
}

}  // namespace app
