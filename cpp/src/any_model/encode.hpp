// A model of any kind as the bytes of its file: the sections of its kind, and that of its training's report.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "any_model/report_json.hpp"
#include "dcsvm/errors.hpp"
#include "files/sections.hpp"

namespace dcsvm::any_model {

/// The section of the training's report, in files of every kind.
inline constexpr const char* kReportTag = "REPJ";

template <class M>
std::string encode(const files::ModelFile<M>& format, const M& model) {
  format.check(model);
  files::SectionWriter file;
  for (const files::Section<M>* s = format.begin; s != format.end; ++s) {
    if (s->present != nullptr && !s->present(model)) continue;
    files::ByteWriter payload;
    files::WriteFields fields(payload);
    s->write(fields, model);
    file.section(s->tag, s->presence == files::Presence::optional ? 0 : files::kRequired, payload.bytes());
  }
  file.section(kReportTag, 0, report_to_json(model.report));
  return file.finish();
}

/// Reads the sections in the file's order and skips unknown ones unless they are required. Throws ModelError.
template <class M>
M decode(const files::ModelFile<M>& format, std::string_view bytes) {
  M model;
  std::vector<std::string> seen;
  for (const files::StoredSection& stored : files::stored_sections(bytes)) {
    const auto* s = std::find_if(format.begin, format.end, [&](const auto& each) { return stored.tag == each.tag; });
    files::ByteReader in = files::payload_of(bytes, stored);
    const bool report = stored.tag == kReportTag;
    if (s == format.end && !report) {
      files::refuse_if_required(stored, in);
      continue;
    }
    if (std::count(seen.begin(), seen.end(), stored.tag) > 0)
      throw ModelError("model: section " + stored.tag + ": present twice");
    if (report) {
      model.report = report_from_json<decltype(model.report)>(in);
    } else {
      files::ReadFields fields(in);
      s->read(fields, model);
    }
    in.finish();
    seen.push_back(stored.tag);
  }
  for (const files::Section<M>* s = format.begin; s != format.end; ++s) {
    if (s->presence == files::Presence::always && std::count(seen.begin(), seen.end(), s->tag) == 0)
      throw ModelError(std::string("model: section ") + s->tag + ": missing");
  }
  format.check(model);
  return model;
}

}  // namespace dcsvm::any_model
