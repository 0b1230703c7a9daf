// What the commands write: whole or not at all, and never over what they read.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

namespace dcsvm::files {
class AtomicFile;
}

namespace app {

/// Exits when `output` is one of the files in `inputs`.
void keep_inputs(const char* output, std::initializer_list<const char*> inputs);

/// A text file that takes its name in commit(); a file that has it stays as it is until then. A pipe or a device is written to at
/// once. Nothing is made before the first write(), so a command that ends early has nothing to clean up.
class OutputFile {
 public:
  /// Exits with "can't open <what> <path>" when it could not be written.
  OutputFile(const char* path, const char* what);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends; exits when that fails.
  void write(const std::string& text);
  /// Exits with "can't write <what> <path>" when the text does not reach the file.
  void commit();

 private:
  dcsvm::files::AtomicFile& begin();
  [[noreturn]] void fail_to(const char* verb);

  const char* path_;
  const char* what_;
  std::unique_ptr<dcsvm::files::AtomicFile> file_;  // once there is something to write
};

/// Lines of predicted numbers, written as printf's %.<digits>g.
class PredictionText {
 public:
  explicit PredictionText(OutputFile& file) : file_(file) {}
  void number(double v, int digits);
  void word(const std::string& w) { text_ += w; }
  void line();
  /// Writes what is left and gives the file its name.
  void close();

 private:
  void flush();

  OutputFile& file_;
  std::string text_;
};

}  // namespace app
