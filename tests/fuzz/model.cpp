// dcsvm's model files. The lengths and checksums of a mutated file are made right, so that what is behind them is reached.
#include <cstring>

#include "dcsvm/any_model.hpp"
#include "dcsvm/dc_pred.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "files/crc32.hpp"
#include "targets.hpp"
#include "use_model.hpp"

namespace dcsvm::fuzz {

namespace {

constexpr std::size_t kModelHead = 32, kSectionHead = 16, kSectionTail = 4;

/// The same sections, each cut at the end of the file, in a file that is sound outside.
std::string repaired(std::string_view given) {
  std::string bytes(given);
  if (bytes.size() < kModelHead) bytes.resize(kModelHead);
  std::size_t at = kModelHead;
  std::uint32_t sections = 0;
  while (bytes.size() - at >= kSectionHead + kSectionTail) {
    const std::uint64_t most = bytes.size() - at - kSectionHead - kSectionTail;
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 8, sizeof length);
    if (length > most || most - length < kSectionHead + kSectionTail) length = most;
    put(bytes, at + 8, length);
    const std::size_t end = at + kSectionHead + static_cast<std::size_t>(length);
    put(bytes, end, files::crc32(std::string_view(bytes).substr(at, end - at)));
    at = end + kSectionTail;
    ++sections;
  }
  bytes.resize(at);
  std::memcpy(bytes.data(),
              "\x89"
              "DCSVM\r\n",
              8);
  put(bytes, 8, std::uint32_t{1});
  put(bytes, 12, sections);
  put(bytes, 16, std::uint64_t{bytes.size()});
  put(bytes, 24, std::uint32_t{0});
  put(bytes, 28, files::crc32(std::string_view(bytes).substr(0, 28)));
  return bytes;
}

/// The readers of one kind give the model that the reader of every kind gives, or refuse.
template <class M>
void read_one_kind(std::string_view bytes, M (*read)(std::string_view), const std::string& expected) {
  try {
    expect(model_to_bytes(read(bytes)) == expected, "two readers give two models");
  } catch (const Error&) {
  }
}

void read_and_use(std::string_view bytes) {
  std::string saved;
  try {
    const AnyModel any = any_model_from_bytes(bytes);
    saved = model_to_bytes(any);
    use(any, saved);
  } catch (const Error&) {
  }
  if (saved.empty()) return;
  read_one_kind<Model>(bytes, model_from_bytes, saved);
  read_one_kind<LowRankModel>(bytes, bytes_as<LowRankModel>, saved);
  read_one_kind<DcPredModel>(bytes, bytes_as<DcPredModel>, saved);
  read_one_kind<LsSvmModel>(bytes, bytes_as<LsSvmModel>, saved);
  read_one_kind<LinearModel>(bytes, bytes_as<LinearModel>, saved);
  read_one_kind<LdklModel>(bytes, bytes_as<LdklModel>, saved);
}

}  // namespace

void model(std::string_view bytes) { read_and_use(repaired(bytes)); }

void from_bytes(std::string_view bytes) { read_and_use(bytes); }

}  // namespace dcsvm::fuzz
