#include "files/sections.hpp"

namespace dcsvm::files {

using data::PointStore;

namespace {

// The tag as text for errors: it may be anything in a damaged file.
std::string printable(std::string_view tag) {
  std::string text(tag);
  for (char& c : text) c = c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

std::uint32_t read_header(std::string_view bytes) {
  ByteReader in(bytes, 0, bytes.size(), "header");
  if (bytes.substr(0, kMagic.size()) != kMagic) in.fail("not a dcsvm model file");
  if (bytes.size() < kHeaderBytes) in.fail_at(bytes.size(), "the file is truncated");
  in.sub(kMagic.size());
  const auto version = in.get<std::uint32_t>();
  const auto sections = in.get<std::uint32_t>();
  const auto size = in.get<std::uint64_t>();
  const auto reserved = in.get<std::uint32_t>();
  // Before the version is believed: a damaged header must not pass for a newer one.
  if (in.get<std::uint32_t>() != crc32(bytes.substr(0, kHeaderBytes - 4)))
    in.fail_at(0, "checksum mismatch: the file is damaged");
  if (version == 0 || version > kFormatVersion) {
    in.fail_at(kMagic.size(),
               "format version " + std::to_string(version) + "; this dcsvm reads up to " + std::to_string(kFormatVersion));
  }
  if (reserved != 0) in.fail_at(kHeaderBytes - 8, "reserved field is not 0");
  if (size != bytes.size()) {
    in.fail_at(bytes.size(), "the file has " + std::to_string(bytes.size()) + " bytes instead of " + std::to_string(size));
  }
  return sections;
}

Section read_section(std::string_view bytes, std::size_t start) {
  ByteReader head(bytes, start, bytes.size(), "section table");
  if (head.left() < kSectionHead + kSectionTail) head.fail("the file is truncated");
  Section s;
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

void put_kernel(const KernelParams& kernel, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(kernel.type));
  out.put(static_cast<std::int32_t>(kernel.degree));
  out.put(kernel.gamma);
  out.put(kernel.coef0);
}

void put_points(const data::PointStore& points, ByteWriter& out) {
  out.put<std::uint32_t>(points.scalar == ScalarType::float32 ? 0 : 1);
  out.put<std::uint32_t>(points.sparse ? 1 : 0);
  out.put<std::int64_t>(points.rows);
  out.put<std::int64_t>(points.cols);
  if (points.scalar == ScalarType::float32) {
    out.put_array(points.values32);
  } else {
    out.put_array(points.values64);
  }
  if (!points.sparse) return;
  out.put_array(points.indptr);
  out.put_array(points.indices);
}

std::vector<Section> read_sections(std::string_view bytes) {
  std::vector<Section> sections;
  std::size_t at = kHeaderBytes;
  for (std::uint32_t left = read_header(bytes); left > 0; --left) {
    sections.push_back(read_section(bytes, at));
    at = sections.back().end + kSectionTail;
  }
  if (at != bytes.size()) ByteReader(bytes, at, bytes.size(), "section table").fail("bytes behind the last section");
  return sections;
}

ByteReader payload_of(std::string_view bytes, const Section& section) {
  return {bytes, section.begin, section.end, "section " + printable(section.tag)};
}

void refuse_if_required(const Section& section, const ByteReader& in) {
  if ((section.flags & kRequired) != 0) in.fail_at(section.begin - kSectionHead, "unknown; written by a newer dcsvm?");
}

KernelParams get_kernel(ByteReader& in) {
  KernelParams kernel;
  kernel.type = get_enum<KernelType>(in, 4, "kernel");
  kernel.degree = in.get<std::int32_t>();
  kernel.gamma = in.get<double>();
  kernel.coef0 = in.get<double>();
  return kernel;
}

data::PointStore get_points(ByteReader& in) {
  data::PointStore points;
  points.scalar = get_enum<int>(in, 1, "scalar type") == 0 ? ScalarType::float32 : ScalarType::float64;
  points.sparse = get_flag(in, "storage");
  points.rows = static_cast<Index>(in.get<std::int64_t>());
  points.cols = static_cast<Index>(in.get<std::int64_t>());
  if (points.scalar == ScalarType::float32) {
    points.values32 = in.get_array<float>();
  } else {
    points.values64 = in.get_array<double>();
  }
  if (points.sparse) {
    points.indptr = in.get_array<std::int64_t>();
    points.indices = in.get_array<std::int64_t>();
  }
  return points;
}

}  // namespace dcsvm::files
