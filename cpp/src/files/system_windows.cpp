#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// windows.h comes first: the others need its types.
#include <bcrypt.h>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "files/system.hpp"

namespace dcsvm::files::system {

namespace {

bool succeeded(bool good) {
  if (good) return true;
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT: errno = EACCES; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: errno = ENOSPC; break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: errno = ENOMEM; break;
    case ERROR_TOO_MANY_OPEN_FILES: errno = EMFILE; break;
    case ERROR_DIR_NOT_EMPTY: errno = ENOTEMPTY; break;
    case ERROR_DIRECTORY: errno = ENOTDIR; break;
    default: errno = EIO;
  }
  return false;
}

/// UTF-8 as Windows wants it. Without operator new.
class Wide {
 public:
  explicit Wide(const char* text) noexcept {
    const int n = ::MultiByteToWideChar(CP_UTF8, 0, text, -1, nullptr, 0);
    if (n <= 0) return;
    text_ = static_cast<wchar_t*>(std::malloc(static_cast<std::size_t>(n) * sizeof(wchar_t)));
    if (text_ != nullptr) ::MultiByteToWideChar(CP_UTF8, 0, text, -1, text_, n);
  }
  explicit Wide(const std::string& text) noexcept : Wide(text.c_str()) {}
  ~Wide() { std::free(text_); }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  const wchar_t* get() const { return text_ != nullptr ? text_ : L""; }

 private:
  wchar_t* text_ = nullptr;
};

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

/// Others may read, write, and rename or remove an open file, as on POSIX.
HANDLE open_handle(const wchar_t* path, DWORD access, DWORD how, DWORD flags) {
  return ::CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, how, flags, nullptr);
}

int descriptor(HANDLE handle, int flags) {
  if (!succeeded(handle != INVALID_HANDLE_VALUE)) return -1;
  const int fd = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (fd < 0) ::CloseHandle(handle);
  return fd;
}

bool status_of_handle(HANDLE handle, Status& status) {
  status = {};
  if (::GetFileType(handle) != FILE_TYPE_DISK) return true;  // a pipe, the console, NUL
  BY_HANDLE_FILE_INFORMATION found{};
  if (!succeeded(::GetFileInformationByHandle(handle, &found) != 0)) return false;
  const auto both = [](DWORD high, DWORD low) { return static_cast<std::uint64_t>(high) << 32 | low; };
  status.folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.regular = !status.folder;
  status.size = both(found.nFileSizeHigh, found.nFileSizeLow);
  constexpr std::int64_t from_1601_to_1970 = 116444736000000000;  // in steps of 100 nanoseconds
  const auto written = both(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
  status.modified = (static_cast<std::int64_t>(written) - from_1601_to_1970) * 100;
  status.rights = (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0444 : 0666;
  status.device = found.dwVolumeSerialNumber;
  status.id = both(found.nFileIndexHigh, found.nFileIndexLow);
  return true;
}

constexpr DWORD kMost = DWORD{1} << 30;  // bytes of one read or write

}  // namespace

bool status_of(const std::string& path, Status& status) {
  const HANDLE handle = open_handle(Wide(path).get(), FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (!succeeded(handle != INVALID_HANDLE_VALUE)) return false;
  const bool found = status_of_handle(handle, status);
  ::CloseHandle(handle);
  return found;
}

bool status_of(int fd, Status& status) { return status_of_handle(handle_of(fd), status); }

bool is_link(const std::string& path) {
  const DWORD attributes = ::GetFileAttributesW(Wide(path).get());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

bool may_read(const std::string& path) {
  const int fd = open_to_read(path);
  if (fd >= 0) ::_close(fd);
  return fd >= 0;
}
bool may_write(const std::string& path) {
  const int fd = open_in_place(path);
  if (fd >= 0) ::_close(fd);
  return fd >= 0;
}
bool may_make_files(const std::string& folder) {
  const HANDLE handle = open_handle(Wide(folder).get(), FILE_ADD_FILE, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (!succeeded(handle != INVALID_HANDLE_VALUE)) return false;
  ::CloseHandle(handle);
  return true;
}

// Backup semantics: a folder can be opened, so that it is recognised as one.
int open_to_read(const std::string& path) {
  return descriptor(open_handle(Wide(path).get(), GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS), _O_RDONLY);
}
int open_in_place(const std::string& path) {
  return descriptor(open_handle(Wide(path).get(), GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL), _O_WRONLY);
}
int open_to_append(const std::string& path) {
  const int fd = open_in_place(path);
  if (fd >= 0) ::_lseeki64(fd, 0, SEEK_END);
  return fd;
}
int create(const std::string& path, unsigned) {
  return descriptor(open_handle(Wide(path).get(), GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL), _O_WRONLY);
}
int create_nameless(const std::string&, unsigned) { return -1; }
bool give_name(int, const std::string&) {
  errno = ENOSYS;
  return false;
}
int duplicate(int fd) {
  const int copy = ::_dup(fd);
  if (copy >= 0) ::_setmode(copy, _O_BINARY);
  return copy;
}
bool close(int fd) { return ::_close(fd) == 0; }

std::ptrdiff_t read(int fd, void* bytes, std::size_t n) {
  return ::_read(fd, bytes, static_cast<unsigned>(std::min<std::size_t>(n, kMost)));
}
std::ptrdiff_t read_at(int fd, void* bytes, std::size_t n, std::uint64_t begin) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(begin);
  place.OffsetHigh = static_cast<DWORD>(begin >> 32);
  DWORD got = 0;
  if (::ReadFile(handle_of(fd), bytes, static_cast<DWORD>(std::min<std::size_t>(n, kMost)), &got, &place) == 0 &&
      ::GetLastError() != ERROR_HANDLE_EOF)
    return succeeded(false) ? 0 : -1;
  return static_cast<std::ptrdiff_t>(got);
}
std::ptrdiff_t write(int fd, const void* bytes, std::size_t n) {
  return ::_write(fd, bytes, static_cast<unsigned>(std::min<std::size_t>(n, kMost)));
}

bool wait_for(int fd, Event event, int milliseconds) {
  DWORD there = 0;
  const HANDLE handle = handle_of(fd);
  if (event == Event::writable || ::GetFileType(handle) != FILE_TYPE_PIPE) return true;
  if (::PeekNamedPipe(handle, nullptr, 0, nullptr, &there, nullptr) == 0 || there > 0) return true;
  sleep(milliseconds);
  return false;
}
void sleep(int milliseconds) { ::Sleep(static_cast<DWORD>(milliseconds)); }

bool flush(int fd) { return succeeded(::FlushFileBuffers(handle_of(fd)) != 0); }
bool flush_bytes(int fd) { return flush(fd); }
void flush_folder(const std::string&) {}  // replace() has written it through
bool cut(int fd, std::uint64_t size) {
  return ::_chsize_s(fd, static_cast<std::int64_t>(size)) == 0 && ::_lseeki64(fd, 0, SEEK_END) >= 0;
}
void set_rights(int, unsigned) {}  // a new file has what its folder hands down
bool replace(const std::string& from, const std::string& to) {
  return succeeded(::MoveFileExW(Wide(from).get(), Wide(to).get(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0);
}
bool remove(const std::string& path) noexcept { return succeeded(::DeleteFileW(Wide(path).get()) != 0); }
bool make_folder(const std::string& path) { return succeeded(::CreateDirectoryW(Wide(path).get(), nullptr) != 0); }
bool remove_folder(const std::string& path) noexcept { return succeeded(::RemoveDirectoryW(Wide(path).get()) != 0); }
bool random_bytes(void* bytes, std::size_t n) {
  errno = EIO;
  return ::BCryptGenRandom(nullptr, static_cast<PUCHAR>(bytes), static_cast<ULONG>(n), BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}

// main's own arguments are in the code page of the user, which cannot write every name.
std::vector<std::string> arguments(int, char**) {
  std::vector<std::string> all;
  int n = 0;
  wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &n);
  for (int i = 0; words != nullptr && i < n; ++i) {
    const int bytes = ::WideCharToMultiByte(CP_UTF8, 0, words[i], -1, nullptr, 0, nullptr, nullptr);  // with the zero
    std::string word(static_cast<std::size_t>(std::max(bytes, 1)), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, words[i], -1, word.data(), bytes, nullptr, nullptr);
    word.pop_back();
    all.push_back(std::move(word));
  }
  ::LocalFree(words);
  return all;
}
void print_bytes() { ::_setmode(1, _O_BINARY); }

struct Folder::State {
  WIN32_FIND_DATAW entry;
  HANDLE search = INVALID_HANDLE_VALUE;
  char name[4 * MAX_PATH];  // UTF-8
  std::size_t length = 0;
  char path[1];  // of the folder, with a separator behind it; as long as need be

  HANDLE open(const char* file, DWORD access) const {
    const std::size_t n = std::strlen(file);
    auto* whole = static_cast<char*>(std::malloc(length + n + 1));
    if (whole == nullptr) return INVALID_HANDLE_VALUE;
    std::memcpy(whole, path, length);
    std::memcpy(whole + length, file, n + 1);
    const HANDLE handle =
        open_handle(Wide(whole).get(), access, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
    std::free(whole);
    return handle;
  }
};

Folder::Folder(const std::string& path) noexcept {
  const DWORD attributes = ::GetFileAttributesW(Wide(path).get());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0 ||
      (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    return;
  void* memory = std::malloc(sizeof(State) + path.size() + 2);
  if (memory == nullptr) return;
  state_ = ::new (memory) State;
  state_->length = path.size() + 1;
  std::memcpy(state_->path, path.data(), path.size());
  std::memcpy(state_->path + path.size(), "/", 2);
}
Folder::~Folder() {
  if (state_ == nullptr) return;
  if (state_->search != INVALID_HANDLE_VALUE) ::FindClose(state_->search);
  std::free(state_);
}
void Folder::rewind() noexcept {
  if (state_ == nullptr || state_->search == INVALID_HANDLE_VALUE) return;
  ::FindClose(state_->search);
  state_->search = INVALID_HANDLE_VALUE;
}
const char* Folder::next() noexcept {
  if (state_ == nullptr) return nullptr;
  for (;;) {
    if (state_->search == INVALID_HANDLE_VALUE) {
      std::memcpy(state_->path + state_->length, "*", 2);
      state_->search = ::FindFirstFileW(Wide(state_->path).get(), &state_->entry);
      state_->path[state_->length] = '\0';
      if (state_->search == INVALID_HANDLE_VALUE) return nullptr;
    } else if (::FindNextFileW(state_->search, &state_->entry) == 0) {
      return nullptr;
    }
    char* name = state_->name;
    if (::WideCharToMultiByte(CP_UTF8, 0, state_->entry.cFileName, -1, name, sizeof state_->name, nullptr, nullptr) <= 0)
      continue;
    if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) return name;
  }
}
bool Folder::is_regular(const char* name) const noexcept {
  const HANDLE handle = state_->open(name, FILE_READ_ATTRIBUTES);
  if (handle == INVALID_HANDLE_VALUE) return false;
  BY_HANDLE_FILE_INFORMATION found{};
  constexpr DWORD other = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  const bool regular = ::GetFileInformationByHandle(handle, &found) != 0 && (found.dwFileAttributes & other) == 0;
  ::CloseHandle(handle);
  return regular;
}
bool Folder::read_begin(const char* name, void* bytes, std::size_t n) const noexcept {
  const HANDLE handle = state_->open(name, GENERIC_READ);
  if (handle == INVALID_HANDLE_VALUE) return false;
  DWORD got = 0;
  const bool whole = ::ReadFile(handle, bytes, static_cast<DWORD>(n), &got, nullptr) != 0 && got == n;
  ::CloseHandle(handle);
  return whole;
}
bool Folder::remove(const char* name) noexcept {
  const HANDLE handle = state_->open(name, DELETE);
  if (handle == INVALID_HANDLE_VALUE) return false;
  FILE_DISPOSITION_INFO gone{};
  gone.DeleteFile = TRUE;
  const bool removed = ::SetFileInformationByHandle(handle, FileDispositionInfo, &gone, sizeof gone) != 0;
  ::CloseHandle(handle);
  return removed;
}

}  // namespace dcsvm::files::system
