#include "io/block_state.hpp"

#include <unistd.h>

#include <algorithm>

#include "dcsvm/errors.hpp"
#include "io/bytes.hpp"
#include "io/crc32.hpp"
#include "io/file.hpp"

namespace dcsvm::io {

namespace {

constexpr std::string_view kMagic{
    "\x89"
    "DCSVS\r\n",
    8};
constexpr std::uint32_t kVersion = 1;

std::string path_in(const std::string& folder) { return folder + "/state"; }

/// An array for every row is written in pieces: a copy of it may not fit.
class CheckedFile {
 public:
  explicit CheckedFile(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) {
    crc_ = crc32(bytes, crc_);
    file_.write(bytes);
  }
  void write_array(const std::vector<double>& values) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    ByteWriter count;
    count.put<std::uint64_t>(values.size());
    write(count.bytes());
    for (std::size_t begin = 0; begin < values.size(); begin += kPiece) {
      ByteWriter piece;
      for (std::size_t i = begin; i < std::min(values.size(), begin + kPiece); ++i) piece.put(values[i]);
      write(piece.bytes());
    }
  }
  void commit() {
    ByteWriter tail;
    tail.put(crc_);
    file_.write(tail.bytes());
    file_.commit();
  }

 private:
  AtomicFile file_;
  std::uint32_t crc_ = 0;
};

bool decode(const std::string& bytes, std::uint32_t fingerprint, approx::BlockState& state) {
  if (bytes.size() < kMagic.size() + 4 || bytes.compare(0, kMagic.size(), kMagic) != 0) return false;
  ByteReader tail(bytes, bytes.size() - 4, bytes.size(), "state");
  if (tail.get<std::uint32_t>() != crc32(std::string_view(bytes).substr(0, bytes.size() - 4))) return false;
  ByteReader in(bytes, kMagic.size(), bytes.size() - 4, "state");
  if (in.get<std::uint32_t>() != kVersion || in.get<std::uint32_t>() != fingerprint) return false;
  approx::BlockState found;
  found.pass = static_cast<Index>(in.get<std::int64_t>());
  found.unit = static_cast<Index>(in.get<std::int64_t>());
  found.worst = in.get<double>();
  for (const approx::BinaryState& expected : state.problems) {
    approx::BinaryState p{expected.problem, in.get_array<double>(), in.get_array<double>()};
    if (p.w.size() != expected.w.size() || p.alpha.size() != expected.alpha.size()) return false;
    found.problems.push_back(std::move(p));
  }
  in.finish();
  state = std::move(found);
  return true;
}

}  // namespace

void save_state(const std::string& folder, std::uint32_t fingerprint, const approx::BlockState& state) {
  CheckedFile file(path_in(folder));
  ByteWriter head;
  head.append(kMagic);
  head.put(kVersion);
  head.put(fingerprint);
  head.put<std::int64_t>(state.pass);
  head.put<std::int64_t>(state.unit);
  head.put(state.worst);
  file.write(head.bytes());
  for (const approx::BinaryState& p : state.problems) {
    file.write_array(p.w);
    file.write_array(p.alpha);
  }
  file.commit();
}

bool load_state(const std::string& folder, std::uint32_t fingerprint, approx::BlockState& state) {
  if (::access(path_in(folder).c_str(), R_OK) != 0) return false;
  try {
    return decode(read_file(path_in(folder)), fingerprint, state);
  } catch (const ModelError&) {  // ByteReader: shorter than it says
    return false;
  }
}

void remove_state(const std::string& folder) noexcept {
  try {
    ::unlink(path_in(folder).c_str());
  } catch (const std::bad_alloc&) {  // it would be found and not fit
  }
}

}  // namespace dcsvm::io
