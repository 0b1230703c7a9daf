#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "files/system.hpp"

namespace dcsvm::files::system {

namespace {

Status status_from(const struct stat& found) {
  Status status;
  status.regular = S_ISREG(found.st_mode);
  status.folder = S_ISDIR(found.st_mode);
  status.size = static_cast<std::uint64_t>(found.st_size);
#if defined(__APPLE__)
  const timespec& modified = found.st_mtimespec;
#else
  const timespec& modified = found.st_mtim;
#endif
  status.modified = static_cast<std::int64_t>(modified.tv_sec) * 1000000000 + modified.tv_nsec;
  status.rights = found.st_mode & 0777;
  status.device = static_cast<std::uint64_t>(found.st_dev);
  status.id = static_cast<std::uint64_t>(found.st_ino);
  return status;
}

/// A name of an open file: what linkat() gives a second one to.
std::string open_name(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

DIR* dir_of(void* state) { return static_cast<DIR*>(state); }

}  // namespace

bool status_of(const std::string& path, Status& status) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return false;
  status = status_from(found);
  return true;
}

bool status_of(int fd, Status& status) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) return false;
  status = status_from(found);
  return true;
}

bool is_link(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool may_read(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }
bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }
bool may_make_files(const std::string& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }
int open_in_place(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); }
int open_to_append(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }

int create(const std::string& path, unsigned rights) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights);
}

int create_nameless([[maybe_unused]] const std::string& folder, [[maybe_unused]] unsigned rights) {
#ifdef O_TMPFILE
  const int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, rights);
  if (fd >= 0 && ::access(open_name(fd).c_str(), F_OK) == 0) return fd;
  if (fd >= 0) ::close(fd);
#endif
  return -1;
}

bool give_name(int fd, const std::string& path) {
  return ::linkat(AT_FDCWD, open_name(fd).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

int duplicate(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }
bool close(int fd) { return ::close(fd) == 0; }

std::ptrdiff_t read(int fd, void* bytes, std::size_t n) { return ::read(fd, bytes, n); }
std::ptrdiff_t read_at(int fd, void* bytes, std::size_t n, std::uint64_t begin) {
  return ::pread(fd, bytes, n, static_cast<off_t>(begin));
}
std::ptrdiff_t write(int fd, const void* bytes, std::size_t n) { return ::write(fd, bytes, n); }

bool wait_for(int fd, Event event, int milliseconds) {
  pollfd one{fd, static_cast<short>(event == Event::readable ? POLLIN : POLLOUT), 0};
  const int ready = ::poll(&one, 1, milliseconds);
  return ready != 0 && (ready > 0 || errno != EINTR);
}
void sleep(int milliseconds) { ::poll(nullptr, 0, milliseconds); }

bool flush(int fd) { return ::fsync(fd) == 0; }
bool flush_bytes(int fd) {
#if defined(__APPLE__)
  return ::fsync(fd) == 0;  // which has no fdatasync
#else
  return ::fdatasync(fd) == 0;
#endif
}
void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(::fsync(fd));
  ::close(fd);
}

bool cut(int fd, std::uint64_t size) { return ::ftruncate(fd, static_cast<off_t>(size)) == 0; }
void set_rights(int fd, unsigned rights) { static_cast<void>(::fchmod(fd, static_cast<mode_t>(rights))); }
bool replace(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }
bool remove(const std::string& path) noexcept { return ::unlink(path.c_str()) == 0; }
bool make_folder(const std::string& path) { return ::mkdir(path.c_str(), 0777) == 0; }
bool remove_folder(const std::string& path) noexcept { return ::rmdir(path.c_str()) == 0; }
bool random_bytes(void* bytes, std::size_t n) { return ::getentropy(bytes, n) == 0; }

std::vector<std::string> arguments(int argc, char** argv) { return {argv, argv + argc}; }
void print_bytes() {}

Folder::Folder(const std::string& path) noexcept {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* dir = fd >= 0 ? ::fdopendir(fd) : nullptr;
  if (fd >= 0 && dir == nullptr) ::close(fd);
  state_ = reinterpret_cast<State*>(dir);
}
Folder::~Folder() {
  if (state_ != nullptr) ::closedir(dir_of(state_));
}
void Folder::rewind() noexcept {
  if (state_ != nullptr) ::rewinddir(dir_of(state_));
}
const char* Folder::next() noexcept {
  if (state_ == nullptr) return nullptr;
  while (const dirent* entry = ::readdir(dir_of(state_))) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) return entry->d_name;
  }
  return nullptr;
}
bool Folder::is_regular(const char* name) const noexcept {
  struct stat status{};
  return ::fstatat(::dirfd(dir_of(state_)), name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}
bool Folder::read_begin(const char* name, void* bytes, std::size_t n) const noexcept {
  const int fd = ::openat(::dirfd(dir_of(state_)), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = ::read(fd, bytes, n) == static_cast<ssize_t>(n);
  ::close(fd);
  return whole;
}
bool Folder::remove(const char* name) noexcept { return ::unlinkat(::dirfd(dir_of(state_)), name, 0) == 0; }

}  // namespace dcsvm::files::system
