#include "low_rank/journal.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "files/block_cache.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "files/system.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kPiece = std::size_t{1} << 16;  // elements: vectors as long as the data are written in parts
constexpr std::size_t kEntry = sizeof(std::int64_t) + sizeof(double);

std::string encode_head(std::uint32_t fingerprint) {
  files::ByteWriter out;
  out.append(files::kStateMagic);
  out.put(kVersion);
  out.put(fingerprint);
  return out.take();
}

std::vector<Index> nonzero(const std::vector<double>& alpha) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (alpha[i] != 0.0) rows.push_back(static_cast<Index>(i));
  }
  return rows;
}

/// One record: bytes of its body, the body, a checksum of both. rows_of(problem): whose dual variables it holds.
template <class File, class RowsOf>
void write_record(File& file, const BlockState& state, const RowsOf& rows_of) {
  std::uint32_t crc = 0;
  const auto write = [&](const files::ByteWriter& part) {
    crc = files::crc32(part.bytes(), crc);
    file.write(part.bytes());
  };
  const auto write_pieces = [&](std::size_t count, const auto& put) {
    for (std::size_t begin = 0; begin < count; begin += kPiece) {
      files::ByteWriter piece;
      for (std::size_t i = begin; i < std::min(count, begin + kPiece); ++i) put(i, piece);
      write(piece);
    }
  };
  std::uint64_t bytes = 3 * sizeof(std::int64_t) + sizeof(double) + state.kept.size() * sizeof(std::int64_t);
  for (const BinaryState& p : state.problems) bytes += 16 + p.w.size() * sizeof(double) + rows_of(p).size() * kEntry;
  files::ByteWriter head;
  head.put(bytes);
  head.put<std::int64_t>(state.pass);
  head.put<std::int64_t>(state.unit);
  head.put(state.worst);
  head.put<std::uint64_t>(state.kept.size());
  write(head);
  write_pieces(state.kept.size(), [&](std::size_t i, files::ByteWriter& piece) { piece.put<std::int64_t>(state.kept[i]); });
  for (const BinaryState& p : state.problems) {
    const std::vector<Index>& rows = rows_of(p);
    files::ByteWriter weights;
    weights.put_array(p.w);
    weights.put<std::uint64_t>(rows.size());
    write(weights);
    write_pieces(rows.size(), [&](std::size_t i, files::ByteWriter& piece) {
      piece.put<std::int64_t>(rows[i]);
      piece.put(p.alpha[rows[i]]);
    });
  }
  files::ByteWriter tail;
  tail.put(crc);
  file.write(tail.bytes());
}

/// The journal from its start; every read is checked against the size of the file, so that nothing is taken for longer than it
/// is.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(std::filesystem::u8path(path), std::ios::binary | std::ios::ate) {
    if (file_) left_ = static_cast<std::uint64_t>(file_.tellg());
    file_.seekg(0);
  }
  std::uint64_t left() const { return left_; }
  /// Empty: there are not as many.
  std::string take(std::uint64_t bytes) {
    if (bytes > left_) return {};
    std::string text(static_cast<std::size_t>(bytes), '\0');
    if (!file_.read(text.data(), static_cast<std::streamsize>(bytes))) return {};
    left_ -= bytes;
    return text;
  }
  template <class T>
  std::optional<T> get() {
    const std::string text = take(sizeof(T));
    if (text.empty()) return std::nullopt;
    return files::ByteReader(text, 0, sizeof(T), "state").get<T>();
  }

 private:
  std::ifstream file_;
  std::uint64_t left_ = 0;
};

/// Whether the next record is complete; skips it.
bool pass_over(Reader& in) {
  const std::string length = in.take(sizeof(std::uint64_t));
  if (length.empty()) return false;
  const auto bytes = files::ByteReader(length, 0, length.size(), "state").get<std::uint64_t>();
  if (bytes > in.left()) return false;
  std::uint32_t crc = files::crc32(length);
  for (std::uint64_t done = 0; done < bytes; done += kPiece) {
    const std::string piece = in.take(std::min<std::uint64_t>(kPiece, bytes - done));
    if (piece.empty()) return false;
    crc = files::crc32(piece, crc);
  }
  return in.get<std::uint32_t>() == crc;
}

/// Reads a count and as many entries of `width` bytes: entry(ByteReader&) takes one, false when it makes no sense.
template <class Entry>
bool read_entries(Reader& in, std::size_t width, const Entry& entry) {
  const auto count = in.get<std::uint64_t>();
  if (!count || *count > in.left() / width) return false;
  for (std::uint64_t begin = 0; begin < *count; begin += kPiece) {
    const std::string piece = in.take(std::min<std::uint64_t>(kPiece, *count - begin) * width);
    files::ByteReader entries(piece, 0, piece.size(), "state");
    while (entries.left() > 0) {
      if (!entry(entries)) return false;
    }
  }
  return true;
}

/// Applies a complete record; false: it belongs to a state of other sizes.
bool apply(Reader& in, BlockState& state) {
  const std::uint64_t bytes = in.get<std::uint64_t>().value_or(0), behind = in.left() - std::min(bytes, in.left());
  state.pass = static_cast<Index>(in.get<std::int64_t>().value_or(0));
  state.unit = static_cast<Index>(in.get<std::int64_t>().value_or(0));
  state.worst = in.get<double>().value_or(0);
  if (state.pass < 0 || state.unit < 0 || state.problems.empty()) return false;
  const auto n = static_cast<std::int64_t>(state.problems.front().alpha.size());
  state.kept.clear();
  const bool kept = read_entries(in, sizeof(std::int64_t), [&](files::ByteReader& entry) {
    state.kept.push_back(static_cast<Index>(entry.get<std::int64_t>()));
    return state.kept.back() >= 0 && state.kept.back() < n;
  });
  if (!kept) return false;
  for (BinaryState& p : state.problems) {
    if (in.get<std::uint64_t>() != p.w.size()) return false;
    const std::string weights = in.take(p.w.size() * sizeof(double));
    files::ByteReader values(weights, 0, weights.size(), "state");
    for (double& w : p.w) w = values.get<double>();
    const bool changed = read_entries(in, kEntry, [&](files::ByteReader& entry) {
      const auto row = entry.get<std::int64_t>();
      if (row < 0 || row >= static_cast<std::int64_t>(p.alpha.size())) return false;
      p.alpha[row] = entry.get<double>();
      return true;
    });
    if (!changed) return false;
  }
  return in.left() == behind && in.get<std::uint32_t>().has_value();
}

/// Where the last complete record ends; 0: there is none with this fingerprint and these sizes, and `state` is unchanged.
std::uint64_t read_journal(const std::string& path, std::uint32_t fingerprint, BlockState& state) {
  const std::string head = encode_head(fingerprint);
  Reader scan(path);
  const std::uint64_t size = scan.left();
  if (scan.take(head.size()) != head) return 0;
  int records = 0;
  std::uint64_t end = 0;
  while (pass_over(scan)) {
    ++records;
    end = size - scan.left();
  }
  if (records == 0) return 0;
  BlockState found = state;
  Reader in(path);
  in.take(head.size());
  try {
    for (int r = 0; r < records; ++r) {
      if (!apply(in, found)) return 0;
    }
  } catch (const ModelError&) {  // ByteReader: shorter than it says
    return 0;
  }
  state = std::move(found);
  return end;
}

}  // namespace

BlockJournal::BlockJournal(const std::string& folder, std::uint32_t fingerprint, BlockState& state)
    : path_(folder + "/state"), fingerprint_(fingerprint) {
  if (!files::has_regular_file(path_) || !files::system::may_read(path_)) return;
  const std::uint64_t end = read_journal(path_, fingerprint, state);
  if (end > 0) growing_ = std::make_unique<files::GrowingFile>(path_, end);
}

void BlockJournal::rewrite(const BlockState& state) {
  growing_.reset();
  files::AtomicFile file(path_);
  file.write(encode_head(fingerprint_));
  std::vector<std::vector<Index>> rows;
  rows.reserve(state.problems.size());
  for (const BinaryState& p : state.problems) rows.push_back(nonzero(p.alpha));
  write_record(file, state, [&](const BinaryState& p) -> const std::vector<Index>& { return rows[&p - state.problems.data()]; });
  file.commit();
  growing_ = std::make_unique<files::GrowingFile>(path_);
}

void BlockJournal::save(const BlockState& state) {
  std::uint64_t whole = kPiece + state.kept.size() * sizeof(std::int64_t);
  for (const BinaryState& p : state.problems) whole += p.w.size() * sizeof(double) + p.alpha.size() * kEntry;
  if (growing_ == nullptr || growing_->size() > 2 * whole) return rewrite(state);
  write_record(*growing_, state, [](const BinaryState& p) -> const std::vector<Index>& { return p.changed; });
  growing_->commit();
}

void BlockJournal::remove() noexcept {
  growing_.reset();
  files::system::remove(path_);
}

}  // namespace dcsvm::low_rank
