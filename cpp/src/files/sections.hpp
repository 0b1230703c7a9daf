// The frame of dcsvm's model files (docs/model-format.md): header, sections, checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/bytes.hpp"
#include "files/fields.hpp"

namespace dcsvm::files {

/// Whether `bytes` begin a model file whose first section is `tag`.
bool starts_with_section(std::string_view bytes, std::string_view tag) noexcept;

/// Flag of a section that a reader must understand.
inline constexpr std::uint32_t kRequired = 1;

/// Header and sections; finish() gives the file.
class SectionWriter {
 public:
  SectionWriter();
  void section(std::string_view tag, std::uint32_t flags, std::string_view payload);
  std::string finish();

 private:
  ByteWriter file_;
  std::uint32_t sections_ = 0;
};

struct StoredSection {
  std::string tag;
  std::uint32_t flags = 0;
  std::size_t begin = 0, end = 0;  // of the payload
};

/// Checks header, lengths and checksums; payloads lie where the sections say.
std::vector<StoredSection> stored_sections(std::string_view bytes);
/// Reads the payload.
ByteReader payload_of(std::string_view bytes, const StoredSection& section);
/// For a section that the reader does not know; `in` at its payload.
void refuse_if_required(const StoredSection& section, const ByteReader& in);

/// always: every file has it. required: a reader that does not know it refuses the file. optional: such a reader skips it.
enum class Presence { always, required, optional };

/// A section of one kind of model.
template <class M>
struct Section {
  /// fields: [](auto& f, auto& model), which lists the fields for both directions: it is called with (ReadFields, M) and with
  /// (WriteFields, const M). present: whether a model's file has the section; null: yes.
  template <class Fields>
  constexpr Section(const char* tag_, Presence presence_, Fields fields, bool (*present_)(const M&) = nullptr)
      : tag(tag_), presence(presence_), read(fields), write(fields), present(present_) {}

  const char* tag;
  Presence presence;
  void (*read)(ReadFields&, M&);
  void (*write)(WriteFields&, const M&);
  bool (*present)(const M&);
};

/// The file format of one kind of model: its own sections; that of its report is in files of every kind.
template <class M>
struct ModelFile {
  template <std::size_t N>
  constexpr ModelFile(const char* name_, const Section<M> (&sections)[N], void (*check_)(const M&))
      : name(name_), begin(sections), end(sections + N), check(check_) {}

  const char* tag() const { return begin->tag; }  ///< of the first section, which tells the kind

  const char* name;  ///< of the kind, for messages
  const Section<M>* begin;
  const Section<M>* end;
  void (*check)(const M&);  ///< throws ModelError; encode and decode call it
};

}  // namespace dcsvm::files
