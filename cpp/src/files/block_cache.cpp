#include "files/block_cache.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>

#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "files/file.hpp"
#include "files/system.hpp"

namespace dcsvm::files {

namespace {

constexpr std::string_view kBlockMagic{
    "\x89"
    "DCSVB\r\n",
    8};
constexpr std::size_t kHeadBytes = 104;
constexpr const char* kIndexName = "index";
constexpr const char* kStateName = "state";
constexpr const char* kRemedy = "; delete the folder to build the cache again";

[[noreturn]] void damaged(const std::string& path, const std::string& what) { throw DataError(path + ": " + what + kRemedy); }

struct Head {
  std::uint32_t sparse = 0;
  std::int64_t rows = 0, cols = 0;
  std::uint64_t values = 0;
  BlockSource source;
  BlockSpan span;
  std::uint32_t payload_crc = 0;
};

std::string encode_head(const Head& head) {
  ByteWriter out;
  out.append(kBlockMagic);
  out.put(kBlockVersion);
  out.put(head.sparse);
  out.put(head.rows);
  out.put(head.cols);
  out.put(head.values);
  out.put(head.source.size);
  out.put(head.source.modified);
  out.put(head.source.zero_based);
  out.put<std::uint32_t>(0);
  out.put<std::int64_t>(head.source.n_features);
  out.put(head.span.begin);
  out.put(head.span.end);
  out.put(head.span.lines);
  out.put(head.payload_crc);
  out.put(crc32(out.bytes()));
  return out.take();
}

std::uint64_t payload_bytes(const Head& head) {
  const auto rows = static_cast<std::uint64_t>(head.rows);
  return head.sparse != 0 ? 8 * rows + 8 * (rows + 1) + 8 * head.values : 8 * rows + 4 * head.values;
}

Head decode_head(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kHeadBytes) damaged(path, "the block is truncated");
  if (bytes.substr(0, kBlockMagic.size()) != kBlockMagic) damaged(path, "not a block of a dcsvm cache");
  ByteReader in(bytes, kBlockMagic.size(), kHeadBytes, "block");
  Head head;
  const auto version = in.get<std::uint32_t>();
  head.sparse = in.get<std::uint32_t>();
  head.rows = in.get<std::int64_t>();
  head.cols = in.get<std::int64_t>();
  head.values = in.get<std::uint64_t>();
  head.source.size = in.get<std::uint64_t>();
  head.source.modified = in.get<std::int64_t>();
  head.source.zero_based = in.get<std::uint32_t>();
  in.get<std::uint32_t>();
  head.source.n_features = static_cast<Index>(in.get<std::int64_t>());
  head.span.begin = in.get<std::uint64_t>();
  head.span.end = in.get<std::uint64_t>();
  head.span.lines = in.get<std::uint64_t>();
  head.payload_crc = in.get<std::uint32_t>();
  if (in.get<std::uint32_t>() != crc32(bytes.substr(0, kHeadBytes - 4))) damaged(path, "checksum mismatch: the block is damaged");
  if (version != kBlockVersion) {
    damaged(path,
            "the block cache has version " + std::to_string(version) + "; this dcsvm reads " + std::to_string(kBlockVersion));
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 56;
  const bool sane = head.rows > 0 && head.cols >= 0 && head.cols <= std::numeric_limits<std::int32_t>::max() &&
                    static_cast<std::uint64_t>(head.rows) < most && head.values < most;
  if (!sane || payload_bytes(head) != bytes.size() - kHeadBytes) damaged(path, "the block is truncated or has bytes too many");
  return head;
}

template <class T>
const T* array_at(std::string_view bytes, std::size_t offset) {
  return reinterpret_cast<const T*>(bytes.data() + offset);
}

/// Whether the columns of every row ascend within [0, cols): what a checksum does not promise.
bool good_rows(const Head& head, const std::int64_t* indptr, const std::int32_t* indices) {
  if (indptr[0] != 0 || indptr[head.rows] != static_cast<std::int64_t>(head.values)) return false;
  for (std::int64_t r = 0; r < head.rows; ++r) {
    if (indptr[r + 1] < indptr[r] || indptr[r + 1] > indptr[head.rows]) return false;
    for (std::int64_t t = indptr[r]; t < indptr[r + 1]; ++t) {
      if (indices[t] < 0 || indices[t] >= head.cols || (t > indptr[r] && indices[t] <= indices[t - 1])) return false;
    }
  }
  return true;
}

void put_floats(const std::vector<float>& values, const DataView& x, ByteWriter& out) {
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (!std::isfinite(values[e])) {
      throw DataError("X has a value that is not finite in float32, in which block caches store it (stored value " +
                      std::to_string(e) + " of a block of " + std::to_string(rows_of(x)) + " rows)");
    }
    out.put(values[e]);
  }
}

std::string encode_payload(const DataView& x, const double* y, Head& head) {
  const Index n = rows_of(x);
  ByteWriter out;
  for (Index i = 0; i < n; ++i) out.put(y[i]);
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    const auto rows = data::copy_sparse_rows<float>(*csr, nullptr, 0, n);
    head.sparse = 1;
    head.values = rows.values.size();
    for (const Index p : rows.indptr) out.put<std::int64_t>(p);
    for (const std::int32_t j : rows.indices) out.put(j);
    put_floats(rows.values, x, out);
  } else {
    std::vector<float> values(n * cols_of(x));
    data::copy_rows(x, nullptr, 0, n, values.data(), cols_of(x));
    head.values = values.size();
    put_floats(values, x, out);
  }
  return out.take();
}

bool all_of(std::string_view name, std::size_t begin, std::size_t count, const char* characters) {
  return name.find_first_not_of(characters, begin) >= begin + count;
}

/// The name of a file that AtomicFile had under construction when its process was killed.
bool is_temporary(std::string_view name) {
  return name.size() == 35 && name.compare(0, 7, ".dcsvm-") == 0 && all_of(name, 7, 24, "0123456789abcdef") &&
         name.compare(31, 4, ".tmp") == 0;
}

bool is_block_name(std::string_view name) {
  return name.size() >= 14 && name.compare(0, 6, "block-") == 0 && all_of(name, 6, name.size() - 6, "0123456789");
}

/// Whether a block cache made this file: by its exact name, and by how its content begins. A folder of the user's may hold files
/// of like names, which nobody may delete. name: of an entry, which ends with a zero.
bool is_ours(const system::Folder& folder, std::string_view name) {
  if (!folder.is_regular(name.data())) return false;
  if (is_temporary(name)) return true;
  if (name != kIndexName && name != kStateName && !is_block_name(name)) return false;
  std::array<char, 8> begin{};
  return folder.read_begin(name.data(), begin.data(), begin.size()) &&
         std::string_view(begin.data(), begin.size()) == (name == kStateName ? kStateMagic : kBlockMagic);
}

void write_whole(const std::string& path, std::string_view head, std::string_view body) {
  AtomicFile file(path);
  file.write(head);
  file.write(body);
  file.commit();
}

std::string block_path(const std::string& folder, Index b) {
  std::string number = std::to_string(b);
  return folder + "/block-" + std::string(number.size() < 8 ? 8 - number.size() : 0, '0') + number;
}

}  // namespace

bool same_source(const BlockSource& a, const BlockSource& b) {
  return a.size == b.size && a.modified == b.modified && a.zero_based == b.zero_based && a.n_features == b.n_features;
}

BlockWriter::BlockWriter(std::string folder, const BlockSource& source) : folder_(std::move(folder)), source_(source) {
  if (system::is_link(folder_)) throw DataError(folder_ + " is a symbolic link: name the folder itself, or remove the link");
  const bool made = system::make_folder(folder_);
  if (!made && errno != EEXIST)
    throw FileError(
        folder_ + ": cannot create the folder: " + std::generic_category().message(errno) + "; name another as the block cache",
        errno);
  try {
    inspect();
  } catch (...) {  // there is no destructor yet
    if (made) system::remove_folder(folder_);
    throw;
  }
}

void BlockWriter::inspect() {
  system::Folder found(folder_);
  found.each([&](std::string_view name) {
    if (!is_ours(found, name))
      throw DataError(folder_ + " holds " + std::string(name) + ", which is not of a block cache; choose another folder");
    if (name == kIndexName) throw DataError(folder_ + " holds a finished block cache already");
  });
  take_up();
}

BlockWriter::~BlockWriter() {
  if (finished_ || keep_) return;
  remove_block_cache(folder_);
}

std::string BlockWriter::path_of(Index b) const { return block_path(folder_, b); }

void BlockWriter::take_up() {
  for (Index b = 0; has_regular_file(path_of(b)); ++b) {
    const std::string bytes = read_regular_file(path_of(b));
    const Head head = decode_head(bytes, path_of(b));
    if (!same_source(head.source, source_) || source_.size == 0 || head.span.begin != span_.end) {
      damaged(path_of(b), "the block is of another source, or of other options");
    }
    span_ = head.span;
    rows_.push_back(head.rows);
    cols_ = std::max<Index>(cols_, head.cols);
    sparse_ = head.sparse != 0;
  }
}

void BlockWriter::add(const DataView& x, const double* y, const BlockSpan& span) {
  const bool sparse = std::holds_alternative<CsrView>(x), text = source_.size > 0;
  if (!rows_.empty() && (sparse != sparse_ || (!text && cols_of(x) != cols_))) {
    throw DataError("batch " + std::to_string(rows_.size()) + " is not of the same storage and number of features (" +
                    std::to_string(cols_) + ") as those before");
  }
  Head head;
  head.rows = rows_of(x);
  head.cols = cols_of(x);
  head.source = source_;
  head.span = span;
  const std::string payload = encode_payload(x, y, head);
  head.payload_crc = crc32(payload);
  write_whole(path_of(blocks()), encode_head(head), payload);
  rows_.push_back(head.rows);
  cols_ = std::max(cols_, cols_of(x));
  sparse_ = sparse;
  span_ = span;
}

void BlockWriter::finish() {
  if (rows_.empty()) throw DataError("there are no rows");
  Head head;
  head.rows = blocks();
  head.cols = source_.n_features > 0 ? source_.n_features : cols_;
  head.source = source_;
  head.span = span_;
  ByteWriter out;
  for (const std::int64_t n : rows_) out.put(n);
  head.payload_crc = crc32(out.bytes());
  write_whole(folder_ + "/" + kIndexName, encode_head(head), out.bytes());
  finished_ = true;
}

BlockCache::BlockCache(const std::string& folder) : folder_(folder) {
  const std::string path = folder + "/" + kIndexName;
  const std::string bytes = read_regular_file(path);
  const Head head = decode_head(bytes, path);
  if (crc32(std::string_view(bytes).substr(kHeadBytes)) != head.payload_crc)
    damaged(path, "checksum mismatch: the index is damaged");
  source_ = head.source;
  cols_ = static_cast<Index>(head.cols);
  fingerprint_ = crc32(bytes);
  first_.push_back(0);
  ByteReader in(bytes, kHeadBytes, bytes.size(), "index");
  for (std::int64_t b = 0; b < head.rows; ++b) {
    const auto rows = in.get<std::int64_t>();
    if (rows < 1 || rows > std::numeric_limits<std::int64_t>::max() / 4 - first_.back()) damaged(path, "a block has no rows");
    first_.push_back(first_.back() + static_cast<Index>(rows));
    const std::string block = block_path(folder, static_cast<Index>(b));
    system::Status status;
    if (!has_regular_file(block) || !system::status_of(block, status)) damaged(block, "the block is missing");
    const std::uint64_t size = status.size;
    if (size < kHeadBytes || (size - kHeadBytes) / sizeof(double) < static_cast<std::uint64_t>(rows))
      damaged(path, "the index counts more rows than block " + std::to_string(b) + " can hold");
    largest_ = std::max(largest_, static_cast<std::size_t>(size));
  }
}

void BlockCache::visit_labelled(Index b, const std::function<void(const DataView&, const double*)>& use) const {
  const std::string path = block_path(folder_, b), bytes = read_regular_file(path);
  const Head head = decode_head(bytes, path);
  if (crc32(std::string_view(bytes).substr(kHeadBytes)) != head.payload_crc)
    damaged(path, "checksum mismatch: the block is damaged");
  if (head.rows != first_row(b + 1) - first_row(b) || head.cols > cols_ || !same_source(head.source, source_)) {
    damaged(path, "the block does not belong to the index");
  }
  const auto* y = array_at<double>(bytes, kHeadBytes);
  const std::size_t after = kHeadBytes + 8 * static_cast<std::size_t>(static_cast<Index>(head.rows));
  if (head.sparse == 0) {
    const auto n = static_cast<std::uint64_t>(head.rows);  // n x cols would overflow for a crafted head
    if (head.cols != cols_ || head.values % n != 0 || head.values / n != static_cast<std::uint64_t>(cols_)) {
      damaged(path, "the block does not belong to the index");
    }
    return use(dense(array_at<float>(bytes, after), static_cast<Index>(head.rows), cols_), y);
  }
  const auto* indptr = array_at<std::int64_t>(bytes, after);
  const std::size_t indices = after + 8 * (static_cast<std::size_t>(static_cast<Index>(head.rows)) + 1),
                    values = indices + 4 * head.values;
  if (!good_rows(head, indptr, array_at<std::int32_t>(bytes, indices)))
    damaged(path, "columns out of order: the block is damaged");
  use(CsrView{array_at<float>(bytes, values), ScalarType::float32, array_at<std::int32_t>(bytes, indices), indptr,
              IndexType::int32, IndexType::int64, static_cast<Index>(head.rows), cols_},
      y);
}

void BlockCache::visit(Index b, const std::function<void(const DataView&)>& use) const {
  visit_labelled(b, [&](const DataView& x, const double*) { use(x); });
}

std::vector<double> BlockCache::labels(base::ThreadPool& pool) const {
  std::vector<double> y(rows());
  for (Index b = 0; b < blocks(); ++b) {
    pool.poll();
    visit_labelled(b, [&](const DataView& x, const double* here) { std::copy_n(here, rows_of(x), y.begin() + first_row(b)); });
  }
  return y;
}

bool has_block_cache(const std::string& folder) { return has_regular_file(folder + "/" + kIndexName); }

void remove_block_cache(const std::string& folder) noexcept {
  {
    system::Folder cache(folder);
    for (bool removed = true; removed;) {  // some file systems pass over entries while others are removed
      removed = false;
      cache.each([&](std::string_view name) {
        if (is_ours(cache, name) && cache.remove(name.data())) removed = true;
      });
    }
  }
  if (!system::is_link(folder)) system::remove_folder(folder);
}

}  // namespace dcsvm::files
