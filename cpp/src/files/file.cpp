#include "files/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dcsvm/errors.hpp"
#include "files/system.hpp"

namespace dcsvm::files {

namespace {

[[noreturn]] void throw_file_error(const std::string& path, const char* what, int error) {
  throw FileError(path + ": " + what + ": " + std::generic_category().message(error), error);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) system::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

int open_to_read(const std::string& path, system::Status& status) {
  const int fd = system::open_to_read(path);
  if (fd < 0) throw_file_error(path, "cannot open", errno);
  int error = system::status_of(fd, status) ? 0 : errno;
  if (error == 0 && status.folder) error = EISDIR;
  if (error != 0) {
    system::close(fd);
    throw_file_error(path, "cannot read", error);
  }
  return fd;
}

constexpr int kStep = 50;  // milliseconds between two questions whether the host wants to stop
constexpr std::size_t kPiece = std::size_t{1} << 24;  // bytes that are read or written between two of them

/// Returns when a read or write has something to say: bytes, the end, or an error.
void wait_for(int fd, system::Event event, base::Interrupts& interrupts) {
  interrupts.poll();
  while (!system::wait_for(fd, event, kStep)) interrupts.ask();
}

std::string read_all(int fd, const std::string& path, std::size_t expected, const std::function<bool()>& interrupted) {
  base::Interrupts interrupts(interrupted);
  std::string bytes(expected + 1, '\0');  // one more, so that a file of the expected size ends in one read of 0 bytes
  std::size_t size = 0;
  for (;;) {
    if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, std::size_t{1} << 16));
    wait_for(fd, system::Event::readable, interrupts);
    const std::ptrdiff_t got = system::read(fd, bytes.data() + size, std::min(kPiece, bytes.size() - size));
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
  if (!system::random_bytes(bytes.data(), bytes.size())) throw FileError("cannot make a temporary name", errno);
  std::string name;
  name.reserve(2 * bytes.size());
  for (const unsigned char b : bytes) {
    name += "0123456789abcdef"[b >> 4];
    name += "0123456789abcdef"[b & 15];
  }
  return name;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::u8path(path).parent_path().u8string();
  return folder.empty() ? "." : folder;
}

/// 0, or the error. A descriptor that does not block is waited for.
int write_all(int fd, std::string_view bytes, base::Interrupts& interrupts) {
  while (!bytes.empty()) {
    interrupts.poll();
    const std::ptrdiff_t done = system::write(fd, bytes.data(), std::min(bytes.size(), kPiece));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      wait_for(fd, system::Event::writable, interrupts);
      continue;
    }
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

/// The descriptor of this process's standard output or error when that is the file, as under the name /dev/stdout; else -1.
/// Replacing such a file would lose what was printed before and what will be.
int standard_stream(const system::Status& file) {
  for (const int fd : {1, 2}) {
    system::Status own;
    if (file.id != 0 && system::status_of(fd, own) && own.device == file.device && own.id == file.id) return fd;
  }
  return -1;
}

void check_regular(const std::string& path, const system::Status& status) {
  if (status.folder) throw_file_error(path, "cannot read", EISDIR);
  if (!status.regular) throw DataError(path + ": expected a regular file, found a pipe or device: name another file");
}

// Follows symbolic links, so that the file behind one is replaced and not the link; also where that file does not exist yet.
std::string resolve(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::u8path(path), ignored);
  if (!std::filesystem::is_symlink(real, ignored)) return real.empty() ? path : real.u8string();
  const auto next = std::filesystem::read_symlink(real, ignored);
  return std::filesystem::weakly_canonical(real.parent_path() / next, ignored).u8string();
}

}  // namespace

Text Text::open(const std::string& path, const std::function<bool()>& interrupted) {
  system::Status status;
  Text text;
  text.path_ = path;
  text.fd_ = open_to_read(path, status);
  text.size_ = static_cast<Index>(status.size);
  if (status.regular) return text;
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
  if (fd_ >= 0) system::close(fd_);
}

std::string_view Text::read(Index begin, Index n, std::string& room) const {
  const auto from = static_cast<std::size_t>(begin), size = static_cast<std::size_t>(n);
  if (fd_ < 0) return bytes_.substr(from, size);
  if (!copy_.empty()) return std::string_view(copy_).substr(from, size);
  room.resize(size);
  for (std::size_t done = 0; done < size;) {
    const std::ptrdiff_t got = system::read_at(fd_, room.data() + done, size - done, from + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path_, "cannot read", errno);
    if (got == 0) throw FileError(path_ + ": the file became shorter while it was read: load it again once it is complete", 0);
    done += static_cast<std::size_t>(got);
  }
  return room;
}

std::string read_file(const std::string& path, const std::function<bool()>& interrupted) {
  system::Status status;
  const Descriptor file(open_to_read(path, status));
  return read_all(file.get(), path, status.regular ? static_cast<std::size_t>(status.size) : 0, interrupted);
}

bool has_regular_file(const std::string& path) {
  system::Status status;
  if (!system::status_of(path, status)) return false;
  check_regular(path, status);
  return true;
}

std::string read_regular_file(const std::string& path) {
  system::Status status;
  const Descriptor file(open_to_read(path, status));
  check_regular(path, status);
  return read_all(file.get(), path, static_cast<std::size_t>(status.size), {});
}

void check_writable(const std::string& path) {
  const std::string target = resolve(path);
  system::Status status;
  if (!system::status_of(target, status)) {
    const std::string folder = folder_of(target);
    if (path.empty() || !system::status_of(folder, status)) throw_file_error(path, "cannot write", ENOENT);
    if (!status.folder) throw_file_error(path, "cannot write", ENOTDIR);
    if (!system::may_make_files(folder)) throw_file_error(path, "cannot write", errno);
    return;
  }
  if (status.folder) throw_file_error(path, "cannot write", EISDIR);
  if (!system::may_write(target)) throw_file_error(path, "cannot write", errno);
}

AtomicFile::AtomicFile(const std::string& path, std::function<bool()> interrupted)
    : path_(path), interrupts_(std::move(interrupted)), target_(resolve(path)) {
  system::Status status;
  const bool exists = system::status_of(target_, status);
  if (exists && status.folder) fail("cannot write", EISDIR);
  if (exists && !status.regular) {
    open_in_place();
    return;
  }
  if (const int stream = exists ? standard_stream(status) : -1; stream >= 0) {
    fd_ = system::duplicate(stream);
    if (fd_ < 0) fail("cannot write", errno);
    return;
  }
  // A link that has no path behind it, as /proc/self/fd/3 of a file that was removed: a rename would replace the link itself.
  std::error_code ignored;
  if (exists && std::filesystem::is_symlink(std::filesystem::u8path(target_), ignored)) {
    open_in_place();
    return;
  }
  // A read-only file could be replaced all the same, by its folder's rights: that would surprise its owner.
  if (exists && !system::may_write(target_)) fail("cannot write", errno);
  // Never more open than the target; create(): never somebody else's file.
  mode_ = exists ? status.rights : 0666;
  exists_ = exists;
  open_temporary();
}

// A pipe without a reader, or whose reader does not read, must not stall where the host cannot stop the call.
void AtomicFile::open_in_place() {
  while ((fd_ = system::open_in_place(target_)) < 0) {
    if (errno != ENXIO && errno != EINTR) fail("cannot write", errno);
    interrupts_.ask();
    system::sleep(kStep);
  }
}

void AtomicFile::open_temporary() {
  const std::string folder = folder_of(target_);
  temporary_ = folder + "/.dcsvm-" + random_name() + ".tmp";
  fd_ = system::create_nameless(folder, mode_);
  if (fd_ >= 0) return;
  for (int tries = 0; fd_ < 0; ++tries) {
    fd_ = system::create(temporary_, mode_);
    if (fd_ < 0 && (errno != EEXIST || tries == 100)) fail("cannot create", errno);
    if (fd_ < 0) temporary_ = folder + "/.dcsvm-" + random_name() + ".tmp";
  }
  named_ = true;
}

void AtomicFile::close() noexcept {
  if (fd_ >= 0) system::close(fd_);
  if (named_) system::remove(temporary_);
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
  if (exists_) system::set_rights(fd_, mode_);  // a new file has what the umask leaves
  if (!in_place && !system::flush(fd_)) fail("cannot write", errno);
  if (!in_place && !named_) {  // linkat() replaces nothing, so that the name is the temporary one until the rename
    if (!system::give_name(fd_, temporary_)) fail("cannot create", errno);
    named_ = true;
  }
  if (!system::close(std::exchange(fd_, -1))) fail("cannot write", errno);
  if (in_place) return;
  if (!system::replace(temporary_, target_)) fail("cannot rename to", errno);
  named_ = false;
  // The rename itself survives a power cut only once the folder is on the disk; a failure here loses nothing.
  system::flush_folder(folder_of(target_));
}

void write_file(const std::string& path, std::string_view bytes, const std::function<bool()>& interrupted) {
  AtomicFile file(path, interrupted);
  file.write(bytes);
  file.commit();
}

GrowingFile::GrowingFile(const std::string& path) : path_(path), fd_(system::open_to_append(path)) {
  system::Status status;
  if (fd_ < 0) fail(errno);
  if (!system::status_of(fd_, status)) {
    const int error = errno;
    system::close(fd_);
    fail(error);
  }
  size_ = written_ = status.size;
}

GrowingFile::GrowingFile(const std::string& path, std::uint64_t size) : GrowingFile(path) {
  if (!system::cut(fd_, size)) fail(errno);
  size_ = written_ = size;
}

GrowingFile::~GrowingFile() {
  if (fd_ < 0) return;
  if (written_ != size_) system::cut(fd_, size_);
  system::close(fd_);
}

void GrowingFile::fail(int error) { throw_file_error(path_, "cannot write", error); }

void GrowingFile::write(std::string_view bytes) {
  written_ += bytes.size();  // as much as may be there when writing fails
  base::Interrupts never({});
  if (const int error = write_all(fd_, bytes, never); error != 0) fail(error);
}

void GrowingFile::commit() {
  if (!system::flush_bytes(fd_)) fail(errno);
  size_ = written_;
}

}  // namespace dcsvm::files
