#include "common/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/app.hpp"

namespace app {

namespace fs = std::filesystem;

namespace {

/// The descriptor of standard output or error when that is the file, as under the name /dev/stdout; else -1. Replacing such a
/// file would lose what is printed.
int standard_stream(const char* path) {
  struct stat file{}, own{};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::stat(path, &file) == 0 && ::fstat(fd, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino) return fd;
  }
  return -1;
}

}  // namespace

void keep_inputs(const char* output, std::initializer_list<const char*> inputs) {
  std::error_code none;  // what does not exist is not the same
  if (!fs::is_regular_file(output, none)) return;
  for (const char* input : inputs) {
    if (fs::equivalent(output, input, none))
      fail("ERROR: %s would overwrite %s, which is read; name another output\n", output, input);
  }
}

OutputFile::OutputFile(const char* path, const char* what) : path_(path), what_(what), target_(path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(path, "w");
    if (file_ == nullptr) fail_to("open");
    return;
  }
  if (const int stream = fs::exists(status) ? standard_stream(path) : -1; stream >= 0) {
    const int fd = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
    file_ = fd < 0 ? nullptr : ::fdopen(fd, "w");
    if (file_ == nullptr) fail_to("open");
    return;
  }
  if (fs::exists(status)) target_ = fs::canonical(path, none).string();  // a link stays one
  const fs::path folder = fs::path(target_).parent_path();
  const std::string where = fs::exists(status) ? target_ : folder.empty() ? "." : folder.string();
  if (*path == '\0' || ::access(where.c_str(), W_OK) != 0 || (!fs::exists(status) && !fs::is_directory(where, none)))
    fail_to("open");
}

void OutputFile::begin() {
  std::string name = (fs::path(target_).parent_path() / ".dcsvm-XXXXXX").string();
  const int fd = ::mkstemp(name.data());  // a name that nobody can foresee, and rights for the owner alone until commit()
  if (fd < 0) fail_to("open");
  temporary_ = std::move(name);
  file_ = ::fdopen(fd, "w");
  if (file_ != nullptr) return;
  ::close(fd);
  fail_to("open");
}

void OutputFile::write(const std::string& text) {
  if (file_ == nullptr) begin();
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail_to("write");
}

void OutputFile::commit() {
  if (file_ == nullptr) begin();
  if (!temporary_.empty()) {
    struct stat status{};
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    const ::mode_t mode = ::stat(target_.c_str(), &status) == 0 ? status.st_mode & 0777 : 0666 & ~mask;
    static_cast<void>(::fchmod(::fileno(file_), mode));
  }
  FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail_to("write");
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to("write");
  temporary_.clear();
}

void OutputFile::give_up() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
  file_ = nullptr;
  temporary_.clear();
}

void OutputFile::fail_to(const char* verb) {
  give_up();  // exit() runs no destructor of main's
  fail("can't %s %s %s\n", verb, what_, path_);
}

void PredictionText::number(double v, int digits) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::general, digits);
  text_.append(text, end.ptr);
}

void PredictionText::line() {
  constexpr std::size_t kFlush = 1 << 16;
  text_ += '\n';
  if (text_.size() > kFlush) flush();
}

void PredictionText::close() {
  flush();
  file_.commit();
}

void PredictionText::flush() {
  file_.write(text_);
  text_.clear();
}

}  // namespace app
