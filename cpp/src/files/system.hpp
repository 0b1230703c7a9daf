// What the library and its commands ask of the operating system about files: system_posix.cpp and system_windows.cpp, of which a
// build has one. Paths are UTF-8. A function that fails returns -1 or false and leaves the reason in errno, also on Windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dcsvm::files::system {

struct Status {
  bool regular = false, folder = false;
  std::uint64_t size = 0;           ///< bytes
  std::int64_t modified = 0;        ///< nanoseconds since 1970
  unsigned rights = 0;              ///< 0777 at most
  std::uint64_t device = 0, id = 0;  ///< both together name a file
};
/// Of the file behind a symbolic link.
bool status_of(const std::string& path, Status& status);
bool status_of(int fd, Status& status);
bool is_link(const std::string& path);
bool may_read(const std::string& path);
bool may_write(const std::string& path);
bool may_make_files(const std::string& folder);

// Open files are bytes, never text with other line ends, and are not inherited by other programs.
/// Does not wait for the writer of a pipe.
int open_to_read(const std::string& path);
/// An existing pipe or device; with ENXIO where a pipe has no reader yet.
int open_in_place(const std::string& path);
int open_to_append(const std::string& path);
/// A new file: fails with EEXIST where there is one.
int create(const std::string& path, unsigned rights);
/// A new file in a folder that vanishes with this process until give_name(); -1: this file system or system has none such.
int create_nameless(const std::string& folder, unsigned rights);
bool give_name(int fd, const std::string& path);
int duplicate(int fd);
bool close(int fd);

/// Bytes read, 0 at the end of the file; -1 with EINTR or EAGAIN: nothing yet.
std::ptrdiff_t read(int fd, void* bytes, std::size_t n);
/// Reads at a place of the file; safe from several threads.
std::ptrdiff_t read_at(int fd, void* bytes, std::size_t n, std::uint64_t begin);
std::ptrdiff_t write(int fd, const void* bytes, std::size_t n);
enum class Event { readable, writable };
/// Waits until a read or write has something to say: bytes, the end, or an error. False: not within this time.
bool wait_for(int fd, Event event, int milliseconds);
void sleep(int milliseconds);

/// To the disk, with what describes the file.
bool flush(int fd);
/// To the disk, as much as reading the bytes back needs.
bool flush_bytes(int fd);
/// The names in a folder to the disk, where the system can; a failure is no error.
void flush_folder(const std::string& folder);
bool cut(int fd, std::uint64_t size);
void set_rights(int fd, unsigned rights);
/// `to` becomes the file `from` at once: whoever opens `to` finds the old file or the new one.
bool replace(const std::string& from, const std::string& to);
bool remove(const std::string& path) noexcept;
bool make_folder(const std::string& path);
/// An empty one.
bool remove_folder(const std::string& path) noexcept;
/// Bytes that nobody can foresee.
bool random_bytes(void* bytes, std::size_t n);

// For the commands.
/// What main was given, as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);
/// Standard output takes bytes: it has no other line ends.
void print_bytes();

/// The entries of a folder, which a symbolic link is not. No function needs operator new: a block cache must also be removed when
/// memory has ended.
class Folder {
 public:
  explicit Folder(const std::string& path) noexcept;
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// use(name), which ends with a zero, for each entry but "." and ".."; none where there is no folder.
  template <class Use>
  void each(const Use& use) {
    rewind();
    while (const char* name = next()) use(name);
  }
  /// Whether the entry is a regular file and no link.
  bool is_regular(const char* name) const noexcept;
  /// Reads the first bytes of an entry that is no link; false where it has fewer.
  bool read_begin(const char* name, void* bytes, std::size_t n) const noexcept;
  bool remove(const char* name) noexcept;

 private:
  void rewind() noexcept;
  const char* next() noexcept;

  struct State;
  State* state_ = nullptr;
};

}  // namespace dcsvm::files::system
