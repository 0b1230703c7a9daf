#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "base/aligned_memory.hpp"
#include "base/call.hpp"
#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/svmlight.hpp"

namespace dcsvm::files {

namespace {

constexpr Index kNone = std::numeric_limits<Index>::max();

struct Chunk {
  Index begin = 0, end = 0;                // in the text; behind a line feed, but for the text's last line
  Index first_line = 0, first_value = 0;   // where its output begins: the sums of the counts before it
  SvmlightCount count;
  Index rows = 0, values = 0, cols = 0;    // what was found; at most what was counted
  Index error_line = 0, error_column = 0;  // from 1; the line within the chunk
  std::string error;
};

constexpr Index kWindow = Index{1} << 16;  // bytes that are searched for a line feed at a time

// The end of the line that byte `from` is in: behind its line feed, or the end of the text.
Index end_of_line(const Text& text, Index from, std::string& room) {
  for (Index at = from; at < text.size(); at += kWindow) {
    const std::string_view window = text.read(at, std::min(kWindow, text.size() - at), room);
    const auto feed = window.find('\n');
    if (feed != std::string_view::npos) return at + static_cast<Index>(feed) + 1;
  }
  return text.size();
}

// Cuts [begin, end) behind line feeds; it ends with one, or with the text.
std::vector<Chunk> cut(const Text& text, Index begin, Index end, Index chunk_bytes) {
  std::vector<Chunk> chunks;
  chunks.reserve(static_cast<std::size_t>((end - begin) / chunk_bytes + 1));
  std::string room;
  while (begin < end) {
    Chunk chunk;
    chunk.begin = begin;
    chunk.end = begin = end_of_line(text, std::min(begin + chunk_bytes, end - 1), room);
    chunks.push_back(chunk);
  }
  return chunks;
}

// The chunk's bytes, which end with a line feed: a last line without one gets it in a copy.
std::string_view bytes_of(const Text& text, const Chunk& chunk, std::string& room) {
  const std::string_view bytes = text.read(chunk.begin, chunk.end - chunk.begin, room);
  if (bytes.back() == '\n') return bytes;
  if (bytes.data() != room.data()) room.assign(bytes);
  room += '\n';
  return room;
}

[[noreturn]] void throw_error(const Chunk& chunk, const std::string& name, Index first_line) {
  throw ParseError(name + ":" + std::to_string(first_line + chunk.first_line + chunk.error_line) + ":" +
                   std::to_string(chunk.error_column) + ": " + chunk.error);
}

// Zeros that touch new memory, in pieces: the host is asked in between.
template <class T>
void grow(std::vector<T>& v, std::size_t n, const base::ThreadPool& pool) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  v.reserve(n);
  base::advise_huge_pages(v.data(), n * sizeof(T));
  if (v.size() > n) v.resize(n);
  while (v.size() < n) {
    pool.poll();
    v.resize(std::min(n, v.size() + kPiece));
  }
}

// Counts, which gives every chunk its place in the result.
void place(const Text& text, std::vector<Chunk>& chunks, base::ThreadPool& pool, Dataset& data) {
  const auto n = static_cast<Index>(chunks.size());
  std::vector<std::string> rooms(static_cast<std::size_t>(pool.size()));
  pool.for_each(n, [&](Index c, int worker) {
    const std::string_view bytes = bytes_of(text, chunks[c], rooms[worker]);
    chunks[c].count = count_svmlight(bytes.data(), bytes.data() + bytes.size());
  });
  Index lines = 0, values = 0;
  for (Chunk& chunk : chunks) {
    chunk.first_line = lines;
    chunk.first_value = values;
    lines += chunk.count.lines;
    values += chunk.count.colons;
  }
  data.y.resize(lines);
  data.indptr.resize(static_cast<std::size_t>(lines) + 1);
  grow(data.values, static_cast<std::size_t>(values), pool);
  grow(data.indices, static_cast<std::size_t>(values), pool);
}

// Where in `bytes` the error at `at` stands.
void note_error(const SvmlightLines& lines, std::string_view bytes, Chunk& chunk) {
  const std::string_view before = bytes.substr(0, static_cast<std::size_t>(lines.error_at() - bytes.data()));
  const auto feed = before.rfind('\n');
  chunk.error_line = std::count(before.begin(), before.end(), '\n') + 1;
  chunk.error_column = static_cast<Index>(before.size() - (feed == std::string_view::npos ? 0 : feed + 1)) + 1;
  chunk.error = lines.error();
}

// The chunk of the first error in file order, or kNone. A chunk that has more than the counted lines or values would be written
// over its neighbours: the file changed, which is an error.
Index parse_chunks(const Text& text, const std::string& name, std::vector<Chunk>& chunks, const LoadOptions& options,
                   base::ThreadPool& pool, Dataset& data) {
  std::atomic<Index> bad{kNone};
  std::vector<std::string> rooms(static_cast<std::size_t>(pool.size()));
  pool.for_each(static_cast<Index>(chunks.size()), [&](Index c, int worker) {
    if (c > bad.load(std::memory_order_relaxed)) return;
    Chunk& chunk = chunks[c];
    const std::string_view bytes = bytes_of(text, chunk, rooms[worker]);
    const char *begin = bytes.data(), *end = begin + bytes.size();
    SvmlightLines lines(options);
    const bool good = lines.parse(begin, end,
                                  {data.y.data() + chunk.first_line, data.indptr.data() + chunk.first_line + 1,
                                   data.values.data() + chunk.first_value, data.indices.data() + chunk.first_value, chunk.count});
    if (!good && lines.error_at() == nullptr)
      throw FileError(name + ": the file changed while it was read: load it again once it is complete", 0);
    chunk.rows = lines.rows();
    chunk.values = lines.values();
    chunk.cols = lines.cols();
    if (good) return;
    note_error(lines, bytes, chunk);
    Index seen = bad.load(std::memory_order_relaxed);
    while (c < seen && !bad.compare_exchange_weak(seen, c, std::memory_order_relaxed)) {
    }
  });
  return bad.load();
}

// Closes the gaps that comments and blank lines left, and makes indptr count from the start of the file.
void close_gaps(const std::vector<Chunk>& chunks, const base::ThreadPool& pool, Dataset& data) {
  Index row = 0, value = 0;
  for (const Chunk& chunk : chunks) {
    pool.poll();
    const auto move = [](auto* base, Index from, Index to, Index n) {
      if (from != to) std::copy(base + from, base + from + n, base + to);
    };
    move(data.y.data(), chunk.first_line, row, chunk.rows);
    move(data.values.data(), chunk.first_value, value, chunk.values);
    move(data.indices.data(), chunk.first_value, value, chunk.values);
    const std::int64_t* from = data.indptr.data() + chunk.first_line + 1;
    std::int64_t* to = data.indptr.data() + row + 1;
    for (Index i = 0; i < chunk.rows; ++i) to[i] = from[i] + value;
    row += chunk.rows;
    value += chunk.values;
    data.cols = std::max(data.cols, chunk.cols);
  }
  data.y.resize(row);
  data.indptr.resize(static_cast<std::size_t>(row) + 1);
  data.values.resize(value);
  data.indices.resize(value);
}

}  // namespace

namespace {

// Parses the lines of [begin, end) into `data`, whose memory is used again; returns how many they are.
Index parse_run(const Text& text, Index begin, Index end, const std::string& name, const LoadOptions& options,
                base::ThreadPool& pool, Index first_line, Index chunk_bytes, Dataset& data) {
  std::vector<Chunk> chunks = cut(text, begin, end, chunk_bytes);
  data.cols = 0;
  place(text, chunks, pool, data);
  const Index bad = parse_chunks(text, name, chunks, options, pool, data);
  if (bad != kNone) throw_error(chunks[bad], name, first_line);
  close_gaps(chunks, pool, data);
  return chunks.empty() ? 0 : chunks.back().first_line + chunks.back().count.lines;
}

}  // namespace

Dataset parse_lines(const Text& text, Index begin, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                    Index first_line, Index chunk_bytes) {
  Dataset data;
  parse_run(text, begin, text.size(), name, options, pool, first_line, chunk_bytes, data);
  return data;
}

void parse_parts(const Text& text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool, Index part_bytes,
                 const std::function<void(const Dataset&)>& use) {
  check_options(options);
  Dataset data;
  std::string room, window;
  Index line = 0;
  for (Index begin = start_of(text), end = begin; begin < text.size(); begin = end) {
    end = end_of_line(text, std::min(begin + part_bytes, text.size() - 1), window);
    const Text part(text.read(begin, end - begin, room));  // in memory: it is read twice
    line += parse_run(part, 0, part.size(), name, options, pool, line, kChunkBytes, data);
    if (!data.y.empty()) use(data);
  }
}

Dataset parse_svmlight(const Text& text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                       Index chunk_bytes) {
  check_options(options);
  Dataset data = parse_lines(text, start_of(text), name, options, pool, 0, chunk_bytes);
  if (data.y.empty()) throw ParseError(name + ": no samples");
  if (options.n_features > 0) data.cols = options.n_features;
  return data;
}

void check_options(const LoadOptions& options) {
  if (options.n_features < 0) {
    throw ParameterError("n_features must be >= 0, got " + std::to_string(options.n_features));
  }
}

Index start_of(const Text& text) {
  std::string room;
  return text.size() >= 3 && text.read(0, 3, room) == "\xef\xbb\xbf" ? 3 : 0;
}

}  // namespace dcsvm::files

namespace dcsvm {

namespace {

/// work(text, pool) for the text of a file.
template <class Work>
auto with_text(const std::string& path, const LoadOptions& options, const Work& work) {
  const int threads = base::resolve_threads(options.n_threads);
  const files::Text text = files::Text::open(path, options.interrupted);
  const auto chunks = text.size() / files::kChunkBytes + 1;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Call call(static_cast<int>(std::min<Index>(threads, chunks)), 0, 0.0, hooks);
  return work(text, call.pool);
}

}  // namespace

Dataset load_svmlight(const std::string& path, const LoadOptions& options) {
  return with_text(path, options, [&](const files::Text& text, base::ThreadPool& pool) {
    return files::parse_svmlight(text, path, options, pool);
  });
}

void files::load_parts(const std::string& path, const LoadOptions& options, Index part_bytes,
                       const std::function<void(const Dataset&)>& use) {
  with_text(path, options, [&](const files::Text& text, base::ThreadPool& pool) {
    files::parse_parts(text, path, options, pool, part_bytes, use);
  });
}

}  // namespace dcsvm
