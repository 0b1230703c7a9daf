// LIBSVM text into a block cache, without ever holding more of it than a block.
#include <algorithm>
#include <cerrno>
#include <system_error>

#include "dcsvm/errors.hpp"
#include "files/block_cache.hpp"
#include "files/svmlight.hpp"
#include "files/system.hpp"

namespace dcsvm::files {

namespace {

[[noreturn]] void throw_errno(const std::string& path, const char* what, int error) {
  throw FileError(path + ": " + what + ": " + std::generic_category().message(error), error);
}

/// Whole lines, one piece after another.
class TextPieces {
 public:
  TextPieces(const std::string& path, std::uint64_t from, Index piece_bytes)
      : path_(path), at_(from), piece_(static_cast<std::size_t>(piece_bytes)), fd_(system::open_to_read(path)) {
    if (fd_ < 0) throw_errno(path, "cannot open", errno);
  }
  ~TextPieces() { system::close(fd_); }
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;

  /// Where the last piece ended.
  std::uint64_t offset() const { return at_; }
  /// The next piece, which ends with a line feed or the file; empty: the end.
  std::string next() {
    std::string text;
    for (std::size_t wanted = piece_;; wanted += piece_) {
      const bool end = !fill(text, wanted);
      const auto feed = text.rfind('\n');
      if (feed != std::string::npos && !end) text.resize(feed + 1);
      if (feed != std::string::npos || end) break;  // else a line longer than a piece
    }
    at_ += text.size();
    return text;
  }

 private:
  /// Reads until text has `wanted` bytes; false: the file ends before.
  bool fill(std::string& text, std::size_t wanted) const {
    std::size_t size = text.size();
    text.resize(wanted);
    while (size < wanted) {
      const std::ptrdiff_t got = system::read_at(fd_, text.data() + size, wanted - size, at_ + size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_errno(path_, "cannot read", errno);
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return size == wanted;
  }

  const std::string& path_;
  std::uint64_t at_;
  std::size_t piece_;
  int fd_;
};

void stream(const std::string& path, const LoadOptions& options, Index block_bytes, base::ThreadPool& pool, BlockWriter& writer) {
  BlockSpan span = writer.span();
  TextPieces pieces(path, span.end, block_bytes);
  for (std::string text = pieces.next(); !text.empty(); text = pieces.next()) {
    pool.poll();
    const Text lines{std::string_view(text)};
    Dataset data = parse_lines(lines, span.end == 0 ? start_of(lines) : 0, path, options, pool, static_cast<Index>(span.lines));
    const std::uint64_t begin = writer.span().end;  // a piece of comments alone joins the next block
    span = {begin, pieces.offset(), span.lines + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'))};
    if (data.y.empty()) continue;
    if (options.n_features > 0) data.cols = options.n_features;
    writer.add(data.view(), data.y.data(), span);
  }
  if (writer.blocks() == 0) throw ParseError(path + ": no samples");
}

}  // namespace

BlockSource describe_source(const std::string& path, const LoadOptions& options) {
  check_options(options);
  system::Status status;
  if (!system::status_of(path, status)) throw_errno(path, "cannot open", errno);
  if (status.folder) throw_errno(path, "cannot read", EISDIR);
  if (!status.regular) throw DataError(path + ": a pipe or device cannot be trained from in blocks: it is read more than once");
  if (status.size == 0) throw ParseError(path + ": no samples: the file is empty");
  BlockSource source;
  source.size = status.size;
  source.modified = status.modified;
  source.zero_based = options.zero_based ? 1 : 0;
  source.n_features = options.n_features;
  return source;
}

void build_block_cache(const std::string& path, const std::string& folder, const LoadOptions& options, Index block_bytes,
                       base::ThreadPool& pool) {
  BlockWriter writer(folder, describe_source(path, options));
  try {
    stream(path, options, block_bytes, pool, writer);
    writer.finish();
  } catch (const Interrupted&) {
    writer.keep_parts();
    throw;
  } catch (const Error&) {
    throw;
  } catch (...) {  // what a host's poll throws
    writer.keep_parts();
    throw;
  }
}

}  // namespace dcsvm::files
