// Block caches and the journals of trainings in blocks. Input of block_cache: flags, u16 bytes of the index, u16 bytes of the
// first block, then the index, the first block, and the second one. Magic, source and checksums of each are made right.
#include "files/block_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cpp/files/temporary_folder.hpp"
#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/low_rank.hpp"
#include "files/crc32.hpp"
#include "low_rank/journal.hpp"
#include "targets.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr std::size_t kHead = 104;

/// The folder of this process, with a source text.
const test::TemporaryFolder& folder() {
  static const test::TemporaryFolder made;
  return made;
}
std::string source() {
  const std::string path = folder() / "text";
  if (!std::filesystem::exists(path)) test::write_text(path, "1 1:1\n");
  return path;
}

std::string sound_block(std::string_view given, const files::BlockSource& from) {
  std::string bytes(given);
  if (bytes.size() < kHead) bytes.resize(kHead, '\0');
  std::memcpy(bytes.data(),
              "\x89"
              "DCSVB\r\n",
              8);
  put(bytes, 8, files::kBlockVersion);
  put(bytes, 40, from.size);
  put(bytes, 48, from.modified);
  put(bytes, 56, std::uint64_t{0});
  put(bytes, 64, std::uint64_t{0});
  put(bytes, 96, files::crc32(std::string_view(bytes).substr(kHead)));
  put(bytes, 100, files::crc32(std::string_view(bytes).substr(0, 100)));
  return bytes;
}

std::string_view take(std::string_view& bytes, std::size_t n) {
  const std::string_view taken = bytes.substr(0, n);
  bytes.remove_prefix(taken.size());
  return taken;
}

std::size_t number(std::string_view two) {
  return static_cast<unsigned char>(two[0]) + 256U * static_cast<unsigned char>(two[1]);
}

LowRankParams params_of(unsigned char flags) {
  LowRankParams p;
  p.n_landmarks = 1 + (flags & 3);
  p.n_threads = 1;
  p.max_iter = 20;
  p.n_passes = 1;
  p.kernel.gamma = 0.5;
  if ((flags & 4) != 0) p.kernel.type = KernelType::linear;
  if ((flags & 8) != 0) p.gamma_rule = GammaRule::scale;
  if ((flags & 12) == 8) p.features = LowRankFeatures::rks;
  p.landmarks = (flags & 64) != 0 ? LandmarkChoice::kmeans_seeds : LandmarkChoice::uniform;
  return p;
}

}  // namespace

void block_cache(std::string_view bytes) {
  if (bytes.size() < 5) return;
  const auto flags = static_cast<unsigned char>(take(bytes, 1)[0]);
  const std::size_t index = number(take(bytes, 2)), first = number(take(bytes, 2));
  const std::string text = source(), cache = folder() / "cache";
  const files::BlockSource from = files::describe_source(text, {});
  std::filesystem::create_directory(cache);
  test::write_text(cache + "/index", sound_block(take(bytes, index), from));
  test::write_text(cache + "/block-00000000", sound_block(take(bytes, first), from));
  if (!bytes.empty()) test::write_text(cache + "/block-00000001", sound_block(bytes, from));
  BlockOptions options;
  options.cache = cache;
  options.memory_mb = (flags & 32) != 0 ? 0.125 : 0.5;  // which bounds the columns that an input may claim, and so its time
  try {
    model_to_bytes(train_low_rank_file(text, params_of(flags), options));
  } catch (const Error&) {
  }
  std::filesystem::remove_all(cache);
}

void journal(std::string_view given) {
  constexpr std::uint32_t kFingerprint = 7, kVersion = 3;
  constexpr std::size_t kRows = 5, kWeights = 3;
  std::string bytes(given);
  if (bytes.size() < 16) bytes.resize(16, '\0');
  std::memcpy(bytes.data(), files::kStateMagic.data(), files::kStateMagic.size());
  put(bytes, 8, kVersion);
  put(bytes, 12, kFingerprint);
  for (std::size_t at = 16; bytes.size() - at >= 12;) {  // records: bytes, body, checksum of both
    const std::uint64_t most = bytes.size() - at - 12;
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    if (length > most || most - length < 12) length = most;
    put(bytes, at, length);
    const std::size_t end = at + 8 + static_cast<std::size_t>(length);
    put(bytes, end, files::crc32(std::string_view(bytes).substr(at, end - at)));
    at = end + 4;
  }
  const std::string path = folder() / "state";
  test::write_text(path, bytes);
  const auto start = [] {
    low_rank::BlockState state;
    for (int p = 0; p < 2; ++p)
      state.problems.push_back({{0, 1}, std::vector<double>(kWeights, 0.0), std::vector<double>(kRows, 0.0)});
    return state;
  };
  low_rank::BlockState state = start();
  try {
    low_rank::BlockJournal read(folder() / ".", kFingerprint, state);
    expect(state.pass >= 0 && state.unit >= 0, "a pass or unit below 0");
    for (const auto& p : state.problems) expect(p.w.size() == kWeights && p.alpha.size() == kRows, "another size");
    for (const Index row : state.kept) expect(row >= 0 && row < static_cast<Index>(kRows), "a kept row is out of range");
    if (read.found()) {
      read.save(state);
      low_rank::BlockState again = start();
      expect(low_rank::BlockJournal(folder() / ".", kFingerprint, again).found(), "a checkpoint is lost");
      expect(again.pass == state.pass && again.unit == state.unit && again.kept == state.kept, "another checkpoint comes back");
    }
  } catch (const Error&) {
  }
  std::filesystem::remove(path);
}

}  // namespace dcsvm::fuzz
