#include "files/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dcsvm/errors.hpp"

namespace dcsvm::files {

namespace {

[[noreturn]] void throw_file_error(const std::string& path, const char* what, int error) {
  throw FileError(path + ": " + what + ": " + std::generic_category().message(error), error);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_to_read(const std::string& path, struct stat& status) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer must not stall here
  if (fd < 0) throw_file_error(path, "cannot open", errno);
  int error = ::fstat(fd, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    ::close(fd);
    throw_file_error(path, "cannot read", error);
  }
  return fd;
}

constexpr int kStep = 50;  // milliseconds between two questions whether the host wants to stop
constexpr std::size_t kPiece = std::size_t{1} << 24;  // bytes that are read or written between two of them

/// Returns when a read (POLLIN) or write (POLLOUT) has something to say: bytes, the end, or an error.
void wait_for(int fd, short events, base::Interrupts& interrupts) {
  pollfd one{fd, events, 0};
  interrupts.poll();
  for (int ready = ::poll(&one, 1, kStep); ready == 0 || (ready < 0 && errno == EINTR); ready = ::poll(&one, 1, kStep))
    interrupts.ask();
}

std::string read_all(int fd, const std::string& path, std::size_t expected, const std::function<bool()>& interrupted) {
  base::Interrupts interrupts(interrupted);
  std::string bytes(expected + 1, '\0');  // one more, so that a file of the expected size ends in one read of 0 bytes
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, std::size_t{1} << 16));
    wait_for(fd, POLLIN, interrupts);
    const ssize_t got = ::read(fd, bytes.data() + size, std::min(kPiece, bytes.size() - size));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw_file_error(path, "cannot read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

/// A name that nobody can foresee.
std::string random_name() {
  std::array<unsigned char, 12> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) throw FileError("cannot make a temporary name", errno);
  std::string name;
  name.reserve(2 * bytes.size());
  for (const unsigned char b : bytes) {
    name += "0123456789abcdef"[b >> 4];
    name += "0123456789abcdef"[b & 15];
  }
  return name;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// 0, or the error. A descriptor that does not block is waited for.
int write_all(int fd, std::string_view bytes, base::Interrupts& interrupts) {
  while (!bytes.empty()) {
    interrupts.poll();
    const ssize_t done = ::write(fd, bytes.data(), std::min(bytes.size(), kPiece));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      wait_for(fd, POLLOUT, interrupts);
      continue;
    }
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

/// The descriptor of this process's standard output or error when that is the file, as under the name /dev/stdout; else -1.
/// Replacing such a file would lose what was printed before and what will be.
int standard_stream(const struct stat& file) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own{};
    if (::fstat(fd, &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino) return fd;
  }
  return -1;
}

void check_regular(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw_file_error(path, "cannot read", EISDIR);
  if (!S_ISREG(status.st_mode)) throw DataError(path + ": expected a regular file, found a pipe or device: name another file");
}

/// A name of an open file: what linkat() gives a second one to.
std::string open_name(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Follows symbolic links, so that the file behind one is replaced and not the link; also where that file does not exist yet.
std::string resolve(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(path, ignored);
  if (!std::filesystem::is_symlink(real, ignored)) return real.empty() ? path : real.string();
  const auto next = std::filesystem::read_symlink(real, ignored);
  return std::filesystem::weakly_canonical(real.parent_path() / next, ignored).string();
}

}  // namespace

Text Text::open(const std::string& path, const std::function<bool()>& interrupted) {
  struct stat status{};
  Text text;
  text.path_ = path;
  text.fd_ = open_to_read(path, status);
  text.size_ = static_cast<Index>(status.st_size);
  if (S_ISREG(status.st_mode)) return text;
  text.copy_ = read_all(text.fd_, path, 0, interrupted);
  text.size_ = static_cast<Index>(text.copy_.size());
  return text;
}

Text::Text(Text&& other) noexcept
    : path_(std::move(other.path_)),
      copy_(std::move(other.copy_)),
      bytes_(other.bytes_),
      size_(other.size_),
      fd_(std::exchange(other.fd_, -1)) {}

Text::~Text() {
  if (fd_ >= 0) ::close(fd_);
}

std::string_view Text::read(Index begin, Index n, std::string& room) const {
  const auto from = static_cast<std::size_t>(begin), size = static_cast<std::size_t>(n);
  if (fd_ < 0) return bytes_.substr(from, size);
  if (!copy_.empty()) return std::string_view(copy_).substr(from, size);
  room.resize(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(fd_, room.data() + done, size - done, static_cast<off_t>(from + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path_, "cannot read", errno);
    if (got == 0) throw FileError(path_ + ": the file became shorter while it was read: load it again once it is complete", EIO);
    done += static_cast<std::size_t>(got);
  }
  return room;
}

std::string read_file(const std::string& path, const std::function<bool()>& interrupted) {
  struct stat status{};
  const Descriptor file(open_to_read(path, status));
  return read_all(file.get(), path, S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0, interrupted);
}

bool has_regular_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return false;
  check_regular(path, status);
  return true;
}

std::string read_regular_file(const std::string& path) {
  struct stat status{};
  const Descriptor file(open_to_read(path, status));
  check_regular(path, status);
  return read_all(file.get(), path, static_cast<std::size_t>(status.st_size), {});
}

AtomicFile::AtomicFile(const std::string& path, std::function<bool()> interrupted)
    : path_(path), interrupts_(std::move(interrupted)), target_(resolve(path)) {
  struct stat status{};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("cannot write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    open_in_place();
    return;
  }
  if (const int stream = exists ? standard_stream(status) : -1; stream >= 0) {
    fd_ = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) fail("cannot write", errno);
    return;
  }
  // A link that has no path behind it, as /proc/self/fd/3 of a file that was removed: a rename would replace the link itself.
  std::error_code ignored;
  if (exists && std::filesystem::is_symlink(target_, ignored)) {
    open_in_place();
    return;
  }
  // A read-only file could be replaced all the same, by its folder's rights: that would surprise its owner.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("cannot write", errno);
  // Never more open than the target; O_EXCL: never somebody else's file.
  mode_ = exists ? status.st_mode & 0777 : 0666;
  exists_ = exists;
  open_temporary();
}

// A pipe without a reader, or whose reader does not read, must not stall where the host cannot stop the call.
void AtomicFile::open_in_place() {
  while ((fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0) {
    if (errno != ENXIO && errno != EINTR) fail("cannot write", errno);
    interrupts_.ask();
    ::poll(nullptr, 0, kStep);
  }
}

void AtomicFile::open_temporary() {
  const std::string folder = folder_of(target_);
  temporary_ = folder + "/.dcsvm-" + random_name() + ".tmp";
#ifdef O_TMPFILE
  fd_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode_);
  if (fd_ >= 0 && ::access(open_name(fd_).c_str(), F_OK) == 0) return;
  close();
#endif
  for (int tries = 0; fd_ < 0; ++tries) {
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_);
    if (fd_ < 0 && (errno != EEXIST || tries == 100)) fail("cannot create", errno);
    if (fd_ < 0) temporary_ = folder + "/.dcsvm-" + random_name() + ".tmp";
  }
  named_ = true;
}

void AtomicFile::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  if (named_) ::unlink(temporary_.c_str());
  fd_ = -1;
  named_ = false;
}

AtomicFile::~AtomicFile() { close(); }

void AtomicFile::fail(const char* what, int error) {
  close();
  throw_file_error(path_, what, error);
}

void AtomicFile::write(std::string_view bytes) {
  if (const int error = write_all(fd_, bytes, interrupts_); error != 0) fail("cannot write", error);
}

void AtomicFile::commit() {
  const bool in_place = temporary_.empty();
  if (exists_) static_cast<void>(::fchmod(fd_, mode_));  // a new file has what the umask leaves
  if (!in_place && ::fsync(fd_) != 0) fail("cannot write", errno);
  if (!in_place && !named_) {  // linkat() replaces nothing, so that the name is the temporary one until the rename
    if (::linkat(AT_FDCWD, open_name(fd_).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail("cannot create", errno);
    named_ = true;
  }
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot write", errno);
  if (in_place) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename to", errno);
  named_ = false;
  // The rename itself survives a power cut only once the folder is on the disk; a failure here loses nothing.
  const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) static_cast<void>(::fsync(folder.get()));
}

void write_file(const std::string& path, std::string_view bytes, const std::function<bool()>& interrupted) {
  AtomicFile file(path, interrupted);
  file.write(bytes);
  file.commit();
}

GrowingFile::GrowingFile(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {
  struct stat status{};
  if (fd_ < 0) fail(errno);
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    ::close(fd_);
    fail(error);
  }
  size_ = written_ = static_cast<std::uint64_t>(status.st_size);
}

GrowingFile::GrowingFile(const std::string& path, std::uint64_t size) : GrowingFile(path) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) fail(errno);
  size_ = written_ = size;
}

GrowingFile::~GrowingFile() {
  if (fd_ < 0) return;
  if (written_ != size_) static_cast<void>(::ftruncate(fd_, static_cast<off_t>(size_)));
  ::close(fd_);
}

void GrowingFile::fail(int error) { throw_file_error(path_, "cannot write", error); }

void GrowingFile::write(std::string_view bytes) {
  written_ += bytes.size();  // as much as may be there when writing fails
  base::Interrupts never({});
  if (const int error = write_all(fd_, bytes, never); error != 0) fail(error);
}

void GrowingFile::commit() {
#if defined(__APPLE__)
  if (::fsync(fd_) != 0) fail(errno);  // which has no fdatasync
#else
  if (::fdatasync(fd_) != 0) fail(errno);
#endif
  size_ = written_;
}

}  // namespace dcsvm::files
