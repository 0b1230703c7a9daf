// Taking model files apart and putting them together again, with checksums that are right.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "files/crc32.hpp"

namespace dcsvm::test {

struct RawSection {
  std::string tag;
  std::uint32_t flags = 0;
  std::string payload;
};

template <class T>
std::string raw(T value) {  // little-endian hosts only, as the tests are
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
T field(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

inline std::vector<RawSection> take_apart(const std::string& file) {
  std::vector<RawSection> sections;
  for (std::size_t at = 32; at < file.size();) {
    const auto length = field<std::uint64_t>(file, at + 8);
    sections.push_back({file.substr(at, 4), field<std::uint32_t>(file, at + 4), file.substr(at + 16, length)});
    at += 16 + length + 4;
  }
  return sections;
}

inline std::string put_together(const std::vector<RawSection>& sections, std::uint32_t version = 1) {
  std::string body;
  for (const RawSection& s : sections) {
    const std::string all = s.tag + raw(s.flags) + raw(static_cast<std::uint64_t>(s.payload.size())) + s.payload;
    body += all + raw(files::crc32(all));
  }
  const std::string head = std::string(
                               "\x89"
                               "DCSVM\r\n") +
                           raw(version) + raw(static_cast<std::uint32_t>(sections.size())) +
                           raw(static_cast<std::uint64_t>(32 + body.size())) + raw(std::uint32_t{0});
  return head + raw(files::crc32(head)) + body;
}

/// The section of that name; the tests know that it is there.
inline RawSection& section(std::vector<RawSection>& sections, const std::string& tag) {
  for (RawSection& s : sections) {
    if (s.tag == tag) return s;
  }
  return sections.front();
}

/// What reading the bytes throws as ModelError; empty when they can be read.
inline std::string error(const std::string& bytes) {
  try {
    model_from_bytes(bytes);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

}  // namespace dcsvm::test
