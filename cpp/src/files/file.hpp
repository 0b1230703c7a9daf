// Reading whole files, and writing files that are either complete or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/interrupts.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::files {

/// Text that is read piece by piece and more than once: a string of the caller's, or a file, whose bytes may change meanwhile
/// (they are copied before they are looked at, and a file that became shorter is an error). Safe to read from several threads.
class Text {
 public:
  /// Bytes that outlive this object.
  explicit Text(std::string_view bytes) : bytes_(bytes), size_(static_cast<Index>(bytes.size())) {}
  /// Opens a file; a pipe or device is read to its end here. Throws FileError ("path: what"), and as read_file for `interrupted`.
  static Text open(const std::string& path, const std::function<bool()>& interrupted = {});
  Text(Text&& other) noexcept;
  ~Text();

  Index size() const { return size_; }
  /// Bytes [begin, begin + n), in `room` unless they are the caller's string. Throws FileError.
  std::string_view read(Index begin, Index n, std::string& room) const;

 private:
  Text() = default;

  std::string path_, copy_;
  std::string_view bytes_;
  Index size_ = 0;
  int fd_ = -1;
};

/// The bytes of a file, copied: what is parsed afterwards cannot change under the reader. interrupted: as Hooks::interrupted,
/// asked between pieces and while a pipe or device keeps silent. Throws FileError, Interrupted.
std::string read_file(const std::string& path, const std::function<bool()>& interrupted = {});

/// Whether there is a file of this name. Throws FileError for a folder, DataError for a pipe or device, which may never end.
bool has_regular_file(const std::string& path);
/// read_file, for what dcsvm keeps beside the caller's data; throws as has_regular_file, too.
std::string read_regular_file(const std::string& path);

/// Throws FileError when a file of this name cannot be written, as far as that is known without making one: before long work,
/// whose result it shall take. A pipe is not waited for.
void check_writable(const std::string& path);

/// A file under construction: a temporary one in the target's folder that takes the target's name on commit(). Without
/// commit() nothing is left, not even of a process that is killed, where the file system has files without a name (O_TMPFILE);
/// elsewhere the temporary file has a name from the start. (A kill in the moment between naming and renaming in commit() leaves
/// `.dcsvm-*.tmp`.) A target that exists and is no regular file (a device, a pipe), or is where this process's standard output or
/// error goes, is written in place. `interrupted` (as Hooks::interrupted) is asked between pieces and while a pipe takes nothing.
class AtomicFile {
 public:
  /// Throws FileError ("path: what"), Interrupted.
  explicit AtomicFile(const std::string& path, std::function<bool()> interrupted = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Flushes to the disk and renames.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int error);
  void open_in_place();
  void open_temporary();
  void close() noexcept;

  std::string path_;       // as the caller named it
  base::Interrupts interrupts_;
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // its name, also before it has one; empty: in place
  bool named_ = false;     // a file of the temporary name exists
  bool exists_ = false;    // the target, whose rights the new file takes
  unsigned mode_ = 0;
  int fd_ = -1;
};

/// Writes a file by AtomicFile: whole or not at all. Throws FileError, Interrupted.
void write_file(const std::string& path, std::string_view bytes, const std::function<bool()>& interrupted = {});

/// A file that grows by whole parts: what was written since the last commit() is cut off again when writing fails.
class GrowingFile {
 public:
  /// An existing file, cut to its first `size` bytes. Throws FileError.
  GrowingFile(const std::string& path, std::uint64_t size);
  /// All of an existing file.
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Bytes up to the last commit.
  std::uint64_t size() const { return size_; }
  void write(std::string_view bytes);
  /// Flushes to the disk.
  void commit();

 private:
  [[noreturn]] void fail(int error);

  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0, written_ = 0;
};

}  // namespace dcsvm::files
