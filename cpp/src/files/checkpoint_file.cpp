#include "files/checkpoint_file.hpp"

#include <algorithm>
#include <string_view>

#include "dcsvm/errors.hpp"
#include "files/bytes.hpp"
#include "files/crc32.hpp"
#include "files/file.hpp"
#include "files/printable.hpp"

namespace dcsvm::files {

namespace {

constexpr std::string_view kCheckpointMagic{
    "\x89"
    "DCSVC\r\n",
    8};
constexpr std::uint32_t kVersion = 1;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw DataError("checkpoint " + path + ": " + what);
}

void put_text(const std::string& text, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

/// `found` begins with what `identity` has, in order.
void check_identity(const std::string& path, const Identity& identity, const Identity& found) {
  const std::string remedy = "; continue that training with the same data and parameters, or delete the file";
  for (std::size_t i = 0; i < std::max(identity.size(), found.size()); ++i) {
    if (i < identity.size() && i < found.size() && identity[i] == found[i]) continue;
    const bool same_name = i < identity.size() && i < found.size() && identity[i].first == found[i].first;
    const std::string& name = i < identity.size() ? identity[i].first : found[i].first;
    if (!same_name) refuse(path, "it is of a training that differs in " + printable(name) + remedy);
    refuse(path, "it is of a training with " + name + " = " + printable(found[i].second) + ", and this one has " + name + " = " +
                     identity[i].second + remedy);
  }
}

}  // namespace

bool has_checkpoint(const std::string& path) { return has_regular_file(path); }

base::Checkpoint::Entries read_checkpoint(const std::string& path, const Identity& identity) {
  const std::string bytes = read_regular_file(path);
  const char* remedy = "; delete the file to train from the start";
  if (std::string_view(bytes).substr(0, kCheckpointMagic.size()) != kCheckpointMagic)
    refuse(path, "the file is no checkpoint of dcsvm: name another file");
  base::Checkpoint::Entries entries;
  try {
    const std::size_t end = bytes.size() - std::min<std::size_t>(bytes.size(), sizeof(std::uint32_t));
    ByteReader tail(bytes, end, bytes.size(), "checkpoint");
    if (tail.get<std::uint32_t>() != crc32(std::string_view(bytes).substr(0, end)))
      refuse(path, std::string("the checksum does not match: the file is damaged") + remedy);
    ByteReader in(bytes, kCheckpointMagic.size(), end, "checkpoint");
    if (const auto version = in.get<std::uint32_t>(); version != kVersion)
      refuse(path, "format version " + std::to_string(version) + ", and this dcsvm reads " + std::to_string(kVersion) + remedy);
    Identity found(in.get_count(2 * sizeof(std::uint32_t)));
    for (auto& [name, value] : found) {
      name = in.get_string();
      value = in.get_string();
    }
    check_identity(path, identity, found);
    for (std::size_t left = in.get_count(2 * sizeof(std::uint64_t)); left > 0; --left) {
      auto place = in.get_array<std::uint32_t>();
      entries[std::move(place)] = in.get_array<double>();
    }
    in.finish();
  } catch (const ModelError& error) {  // ByteReader's
    refuse(path, std::string("the file is damaged (") + error.what() + ")" + remedy);
  }
  return entries;
}

void write_checkpoint(const std::string& path, const Identity& identity, const base::Checkpoint::Entries& entries) {
  AtomicFile file(path);
  std::uint32_t crc = 0;
  const auto write = [&](const ByteWriter& part) {
    crc = crc32(part.bytes(), crc);
    file.write(part.bytes());
  };
  ByteWriter head;
  head.append(kCheckpointMagic);
  head.put(kVersion);
  head.put<std::uint64_t>(identity.size());
  for (const auto& [name, value] : identity) {
    put_text(name, head);
    put_text(value, head);
  }
  head.put<std::uint64_t>(entries.size());
  write(head);
  for (const auto& [place, values] : entries) {
    ByteWriter entry;
    entry.put_array(place);
    entry.put_array(values);
    write(entry);
  }
  ByteWriter tail;
  tail.put(crc);
  file.write(tail.bytes());
  file.commit();
}

}  // namespace dcsvm::files
