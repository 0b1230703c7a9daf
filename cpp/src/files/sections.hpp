// What all model files share: sections, kernels and points as bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/errors.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "files/model_format.hpp"

namespace dcsvm::files {

/// Header and sections; finish() gives the file.
class SectionWriter {
 public:
  SectionWriter() { file_.append(std::string(kHeaderBytes, '\0')); }

  void section(std::string_view tag, std::uint32_t flags, std::string_view payload) {
    const std::size_t start = file_.bytes().size();
    file_.append(tag);
    file_.put(flags);
    file_.put<std::uint64_t>(payload.size());
    file_.append(payload);
    file_.put(crc32(std::string_view(file_.bytes()).substr(start)));
    ++sections_;
  }
  /// The payload is what fill(ByteWriter&) writes.
  template <class Fill, class = decltype(std::declval<Fill>()(std::declval<ByteWriter&>()))>
  void section(std::string_view tag, std::uint32_t flags, Fill&& fill) {
    ByteWriter out;
    fill(out);
    section(tag, flags, std::string_view(out.bytes()));
  }

  std::string finish() {
    ByteWriter head;
    head.append(kMagic);
    head.put(kFormatVersion);
    head.put(sections_);
    head.put<std::uint64_t>(file_.bytes().size());
    head.put<std::uint32_t>(0);
    head.put(crc32(head.bytes()));
    std::string bytes = file_.take();
    bytes.replace(0, kHeaderBytes, head.bytes());
    return bytes;
  }

 private:
  ByteWriter file_;
  std::uint32_t sections_ = 0;
};

void put_kernel(const KernelParams& kernel, ByteWriter& out);
void put_points(const data::PointStore& points, ByteWriter& out);

struct Section {
  std::string tag;
  std::uint32_t flags = 0;
  std::size_t begin = 0, end = 0;  // of the payload
};

/// Checks header, lengths and checksums; payloads lie where the sections say.
std::vector<Section> read_sections(std::string_view bytes);
/// Reads the payload.
ByteReader payload_of(std::string_view bytes, const Section& section);
/// For a section that the reader does not know; `in` at its payload.
void refuse_if_required(const Section& section, const ByteReader& in);

/// A section of a kind of model.
template <class M>
struct Known {
  const char* tag;
  bool always;  ///< no file is without
  void (*read)(ByteReader&, M&);
};

/// Reads the sections that `known` lists, none twice, in the file's order; others are skipped unless they are required. Returns
/// the tags that were there. Throws ModelError.
template <class M, std::size_t N>
std::vector<std::string> read_known(std::string_view bytes, const Known<M> (&known)[N], M& model) {
  std::vector<std::string> seen;
  for (const Section& s : read_sections(bytes)) {
    const auto* k = std::find_if(std::begin(known), std::end(known), [&](const Known<M>& each) { return s.tag == each.tag; });
    ByteReader in = payload_of(bytes, s);
    if (k == std::end(known)) {
      refuse_if_required(s, in);
      continue;
    }
    if (std::count(seen.begin(), seen.end(), s.tag) > 0) throw ModelError("model: section " + s.tag + ": present twice");
    k->read(in, model);
    in.finish();
    seen.push_back(s.tag);
  }
  for (const Known<M>& k : known) {
    if (k.always && std::count(seen.begin(), seen.end(), k.tag) == 0)
      throw ModelError(std::string("model: section ") + k.tag + ": missing");
  }
  return seen;
}

template <class E>
E get_enum(ByteReader& in, std::uint32_t last, const char* name) {
  const auto code = in.get<std::uint32_t>();
  if (code > last) in.fail_at(in.offset() - 4, std::string("unknown ") + name + " " + std::to_string(code));
  return static_cast<E>(code);
}

inline bool get_flag(ByteReader& in, const char* name) { return get_enum<int>(in, 1, name) != 0; }

template <class T, class Stored>
std::vector<T> get_array_from(ByteReader& in) {
  const auto stored = in.get_array<Stored>();
  return {stored.begin(), stored.end()};
}

KernelParams get_kernel(ByteReader& in);
data::PointStore get_points(ByteReader& in);

}  // namespace dcsvm::files
