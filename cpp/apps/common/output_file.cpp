#include "common/output_file.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>

#include "common/app.hpp"
#include "dcsvm/errors.hpp"
#include "files/file.hpp"

namespace app {

namespace fs = std::filesystem;
using dcsvm::FileError;
using dcsvm::files::AtomicFile;

void keep_inputs(const char* output, std::initializer_list<const char*> inputs) {
  std::error_code none;  // what does not exist is not the same
  const fs::path written = fs::u8path(output);
  if (!fs::is_regular_file(written, none)) return;
  for (const char* input : inputs) {
    if (fs::equivalent(written, fs::u8path(input), none))
      fail("ERROR: %s would overwrite %s, which is read; name another output\n", output, input);
  }
}

OutputFile::OutputFile(const char* path, const char* what) : path_(path), what_(what) {
  try {
    std::error_code none;
    const fs::file_status status = fs::status(fs::u8path(path), none);
    dcsvm::files::check_writable(path);
    if (fs::exists(status) && !fs::is_regular_file(status)) begin();  // who reads a pipe also learns of a command that fails
  } catch (const FileError&) {
    fail_to("open");
  }
}

OutputFile::~OutputFile() = default;

AtomicFile& OutputFile::begin() {
  if (!file_) {
    try {
      file_ = std::make_unique<AtomicFile>(path_);
    } catch (const FileError&) {
      fail_to("open");
    }
  }
  return *file_;
}

void OutputFile::write(const std::string& text) {
  AtomicFile& file = begin();
  try {
    file.write(text);
  } catch (const FileError&) {
    fail_to("write");
  }
}

void OutputFile::commit() {
  AtomicFile& file = begin();
  try {
    file.commit();
  } catch (const FileError&) {
    fail_to("write");
  }
  file_.reset();
}

void OutputFile::fail_to(const char* verb) {
  file_.reset();  // exit() runs no destructor of main's
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
