// Reading whole files, and writing files that are either complete or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dcsvm::files {

/// The bytes of a file: a read-only mapping, or for pipes and other files that cannot be mapped a copy in memory.
/// A mapped file must not shrink while it is read.
class FileBytes {
 public:
  /// Throws FileError ("path: what").
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view view() const { return mapped_ != nullptr ? std::string_view(mapped_, size_) : std::string_view(copy_); }

 private:
  const char* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::string copy_;
};

/// The bytes of a file, copied: what is parsed afterwards cannot change under the reader. Throws FileError.
std::string read_file(const std::string& path);

/// A file under construction: a temporary one in the target's folder that takes the target's name on commit(). Without
/// commit() nothing is left. A target that exists and is no regular file (a device, a pipe) is written in place.
class AtomicFile {
 public:
  /// Throws FileError ("path: what").
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Flushes to the disk and renames.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int error);

  std::string path_;       // as the caller named it
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // empty: in place
  int fd_ = -1;
};

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
