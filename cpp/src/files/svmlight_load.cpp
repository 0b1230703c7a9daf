#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>

#include "base/context.hpp"
#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/svmlight.hpp"

namespace dcsvm::files {

namespace {

constexpr Index kNone = std::numeric_limits<Index>::max();

struct Chunk {
  const char* begin = nullptr;
  const char* end = nullptr;  // behind a line feed
  Index first_line = 0, first_value = 0;   // where its output begins: the sums of the counts before it
  SvmlightCount count;
  Index rows = 0, values = 0, cols = 0;    // what was found; at most what was counted
  const char* error_at = nullptr;
  std::string error;
};

// Cuts [begin, end) behind line feeds.
void cut(const char* begin, const char* end, Index chunk_bytes, std::vector<Chunk>& chunks) {
  while (begin != end) {
    const char* target = end - begin > chunk_bytes ? begin + chunk_bytes : end - 1;
    const auto* feed = static_cast<const char*>(std::memchr(target, '\n', static_cast<std::size_t>(end - target)));
    Chunk chunk;
    chunk.begin = begin;
    chunk.end = begin = feed + 1;
    chunks.push_back(chunk);
  }
}

[[noreturn]] void throw_error(const Chunk& chunk, const std::string& name, Index first_line) {
  const char* line = chunk.begin;
  Index number = first_line + chunk.first_line + 1;
  for (const char* p = chunk.begin; p != chunk.error_at; ++p) {
    if (*p == '\n') {
      line = p + 1;
      ++number;
    }
  }
  throw ParseError(name + ":" + std::to_string(number) + ":" + std::to_string(chunk.error_at - line + 1) + ": " + chunk.error);
}

// Zeros that touch new memory, in pieces: the host is asked in between.
template <class T>
void grow(std::vector<T>& v, std::size_t n, const base::ThreadPool& pool) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  v.reserve(n);
  while (v.size() < n) {
    pool.poll();
    v.resize(std::min(n, v.size() + kPiece));
  }
}

// Counts, which gives every chunk its place in the result.
void place(std::vector<Chunk>& chunks, base::ThreadPool& pool, Dataset& data) {
  const auto n = static_cast<Index>(chunks.size());
  pool.for_each(n, [&](Index c, int) {
    Chunk& chunk = chunks[c];
    chunk.count = count_svmlight(chunk.begin, chunk.end);
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

// The chunk of the first error in file order, or kNone.
Index parse_chunks(std::vector<Chunk>& chunks, const LoadOptions& options, base::ThreadPool& pool, Dataset& data) {
  std::atomic<Index> bad{kNone};
  pool.for_each(static_cast<Index>(chunks.size()), [&](Index c, int) {
    if (c > bad.load(std::memory_order_relaxed)) return;
    Chunk& chunk = chunks[c];
    SvmlightLines lines(options);
    const bool good = lines.parse(chunk.begin, chunk.end,
                                  {data.y.data() + chunk.first_line, data.indptr.data() + chunk.first_line + 1,
                                   data.values.data() + chunk.first_value, data.indices.data() + chunk.first_value});
    chunk.rows = lines.rows();
    chunk.values = lines.values();
    chunk.cols = lines.cols();
    if (good) return;
    chunk.error_at = lines.error_at();
    chunk.error = lines.error();
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

Dataset parse_lines(std::string_view text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                    Index first_line, Index chunk_bytes) {
  // Every chunk must end with a line feed, which ends each token: a last line without one is parsed from a copy.
  const auto feed = text.rfind('\n');
  const std::size_t whole = feed == std::string_view::npos ? 0 : feed + 1;
  std::string last(text.substr(whole));
  std::vector<Chunk> chunks;
  cut(text.data(), text.data() + whole, chunk_bytes, chunks);
  if (!last.empty()) {
    last += '\n';
    cut(last.data(), last.data() + last.size(), chunk_bytes, chunks);
  }
  Dataset data;
  place(chunks, pool, data);
  const Index bad = parse_chunks(chunks, options, pool, data);
  if (bad != kNone) throw_error(chunks[bad], name, first_line);
  close_gaps(chunks, pool, data);
  return data;
}

Dataset parse_svmlight(std::string_view text, const std::string& name, const LoadOptions& options, base::ThreadPool& pool,
                       Index chunk_bytes) {
  check_options(options);
  Dataset data = parse_lines(without_mark(text), name, options, pool, 0, chunk_bytes);
  if (data.y.empty()) throw ParseError(name + ": no samples");
  if (options.n_features > 0) data.cols = options.n_features;
  return data;
}

void check_options(const LoadOptions& options) {
  if (options.n_features < 0) {
    throw ParameterError("n_features must be >= 0, got " + std::to_string(options.n_features));
  }
}

std::string_view without_mark(std::string_view text) { return text.substr(0, 3) == "\xef\xbb\xbf" ? text.substr(3) : text; }

}  // namespace dcsvm::files

namespace dcsvm {

Dataset load_svmlight(const std::string& path, const LoadOptions& options) {
  const int threads = base::resolve_threads(options.n_threads);
  const files::FileBytes file(path);
  const auto chunks = static_cast<Index>(file.view().size()) / files::kChunkBytes + 1;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Monitor monitor(hooks);
  base::ThreadPool pool(static_cast<int>(std::min<Index>(threads, chunks)), [&] { monitor.poll(); });
  return files::parse_svmlight(file.view(), path, options, pool);
}

}  // namespace dcsvm
