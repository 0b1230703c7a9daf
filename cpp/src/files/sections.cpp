#include "files/sections.hpp"

#include "files/crc32.hpp"
#include "files/printable.hpp"

namespace dcsvm::files {

namespace {

/// A first byte that is no text and a line end, so that a transfer as text is noticed.
constexpr std::string_view kModelMagic{
    "\x89"
    "DCSVM\r\n",
    8};
/// Raised when an older reader could misread; what it may skip becomes an optional section instead.
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kHeaderBytes = 32;
/// tag, flags, payload length before the payload; CRC-32 behind it.
constexpr std::size_t kSectionHead = 16, kSectionTail = 4;

std::uint32_t read_header(std::string_view bytes) {
  ByteReader in(bytes, 0, bytes.size(), "header");
  if (bytes.substr(0, kModelMagic.size()) != kModelMagic) in.fail("not a dcsvm model file");
  if (bytes.size() < kHeaderBytes) in.fail_at(bytes.size(), "the file is truncated");
  in.sub(kModelMagic.size());
  const auto version = in.get<std::uint32_t>();
  const auto sections = in.get<std::uint32_t>();
  const auto size = in.get<std::uint64_t>();
  const auto reserved = in.get<std::uint32_t>();
  // Before the version is believed: a damaged header must not pass for a newer one.
  if (in.get<std::uint32_t>() != crc32(bytes.substr(0, kHeaderBytes - 4)))
    in.fail_at(0, "checksum mismatch: the file is damaged");
  if (version == 0 || version > kFormatVersion) {
    in.fail_at(kModelMagic.size(),
               "format version " + std::to_string(version) + "; this dcsvm reads up to " + std::to_string(kFormatVersion));
  }
  if (reserved != 0) in.fail_at(kHeaderBytes - 8, "reserved field is not 0");
  if (size != bytes.size()) {
    in.fail_at(bytes.size(), "the file has " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(size));
  }
  return sections;
}

StoredSection read_section(std::string_view bytes, std::size_t start) {
  ByteReader head(bytes, start, bytes.size(), "section table");
  if (head.left() < kSectionHead + kSectionTail) head.fail("the file is truncated");
  StoredSection s;
  s.tag = bytes.substr(start, 4);
  head.sub(4);
  s.flags = head.get<std::uint32_t>();
  const auto length = head.get<std::uint64_t>();
  if (length > head.left() - kSectionTail) head.fail_at(start + 8, "section " + printable(s.tag) + " is longer than the file");
  s.begin = head.offset();
  s.end = s.begin + static_cast<std::size_t>(length);
  ByteReader tail(bytes, s.end, bytes.size(), "section " + printable(s.tag));
  if (tail.get<std::uint32_t>() != crc32(bytes.substr(start, s.end - start))) {
    tail.fail_at(start, "checksum mismatch: the file is damaged");
  }
  return s;
}

}  // namespace

bool starts_with_section(std::string_view bytes, std::string_view tag) noexcept {
  return bytes.size() > kHeaderBytes + tag.size() && bytes.compare(0, kModelMagic.size(), kModelMagic) == 0 &&
         bytes.compare(kHeaderBytes, tag.size(), tag) == 0;
}

SectionWriter::SectionWriter() { file_.append(std::string(kHeaderBytes, '\0')); }

void SectionWriter::section(std::string_view tag, std::uint32_t flags, std::string_view payload) {
  const std::size_t start = file_.bytes().size();
  file_.append(tag);
  file_.put(flags);
  file_.put<std::uint64_t>(payload.size());
  file_.append(payload);
  file_.put(crc32(std::string_view(file_.bytes()).substr(start)));
  ++sections_;
}

std::string SectionWriter::finish() {
  ByteWriter head;
  head.append(kModelMagic);
  head.put(kFormatVersion);
  head.put(sections_);
  head.put<std::uint64_t>(file_.bytes().size());
  head.put<std::uint32_t>(0);
  head.put(crc32(head.bytes()));
  std::string bytes = file_.take();
  bytes.replace(0, kHeaderBytes, head.bytes());
  return bytes;
}

std::vector<StoredSection> stored_sections(std::string_view bytes) {
  std::vector<StoredSection> sections;
  std::size_t at = kHeaderBytes;
  for (std::uint32_t left = read_header(bytes); left > 0; --left) {
    sections.push_back(read_section(bytes, at));
    at = sections.back().end + kSectionTail;
  }
  if (at != bytes.size()) ByteReader(bytes, at, bytes.size(), "section table").fail("bytes behind the last section");
  return sections;
}

ByteReader payload_of(std::string_view bytes, const StoredSection& section) {
  return {bytes, section.begin, section.end, "section " + printable(section.tag)};
}

void refuse_if_required(const StoredSection& section, const ByteReader& in) {
  if ((section.flags & kRequired) != 0) in.fail_at(section.begin - kSectionHead, "unknown; written by a newer dcsvm?");
}

}  // namespace dcsvm::files
