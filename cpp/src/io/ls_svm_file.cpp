// Files of LS-SVMs (docs/model-format.md).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/ls_svm.hpp"
#include "io/file.hpp"
#include "io/model_check.hpp"
#include "io/sections.hpp"
#include "models/ls_svm_data.hpp"

namespace dcsvm::io {

namespace {

using models::LsSvmData;

struct Known {
  const char* tag;
  void (*read)(ByteReader&, LsSvmData&);
};

const Known kKnown[] = {
    {"LSSV",
     [](ByteReader& in, LsSvmData& m) {
       m.kernel = get_kernel(in);
       m.normalise = get_flag(in, "normalise");
       m.regression = get_flag(in, "regression");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
     }},
    {"CLAS", [](ByteReader& in, LsSvmData& m) { m.classes = in.get_array<double>(); }},
    {"LSCF",
     [](ByteReader& in, LsSvmData& m) {
       m.coef = in.get_array<double>();
       m.intercept = in.get_array<double>();
     }},
    {"PNTS", [](ByteReader& in, LsSvmData& m) { m.points = get_points(in); }},
    {"LSRP", [](ByteReader& in, LsSvmData& m) { m.report = decode_ls_svm_report(in); }},
};

}  // namespace

std::string encode_ls_svm(const LsSvmData& model) {
  check_model(model);
  SectionWriter file;
  const auto section = [&](std::string_view tag, std::uint32_t flags, auto&& fill) {
    ByteWriter out;
    fill(out);
    file.section(tag, flags, out.bytes());
  };
  section(kLsSvmTag, kRequired, [&](ByteWriter& out) {
    put_kernel(model.kernel, out);
    out.put<std::uint32_t>(model.normalise ? 1 : 0);
    out.put<std::uint32_t>(model.regression ? 1 : 0);
    out.put<std::int64_t>(model.n_features);
  });
  section("CLAS", kRequired, [&](ByteWriter& out) { out.put_array(model.classes); });
  section("LSCF", kRequired, [&](ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  section("PNTS", kRequired, [&](ByteWriter& out) { put_points(model.points, out); });
  section("LSRP", 0, [&](ByteWriter& out) { encode_report(model.report, out); });
  return file.finish();
}

LsSvmData decode_ls_svm(std::string_view bytes) {
  LsSvmData model;
  std::vector<std::string> seen;
  for (const Section& s : read_sections(bytes)) {
    const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return s.tag == k.tag; });
    ByteReader in = payload_of(bytes, s);
    if (known == std::end(kKnown)) {
      refuse_if_required(s, in);
      continue;
    }
    known->read(in, model);
    in.finish();
    seen.push_back(s.tag);
  }
  for (const Known& known : kKnown) {
    const auto count = std::count(seen.begin(), seen.end(), known.tag);
    if (count > 1) throw ModelError(std::string("model: section ") + known.tag + ": present twice");
    if (count == 0 && std::string_view(known.tag) != "LSRP")
      throw ModelError(std::string("model: section ") + known.tag + ": missing");
  }
  check_model(model);
  return model;
}

}  // namespace dcsvm::io

namespace dcsvm {

std::string model_to_bytes(const LsSvmModel& model) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  return io::encode_ls_svm(*model.data());
}

LsSvmModel ls_svm_model_from_bytes(std::string_view bytes) {
  return LsSvmModel(std::make_shared<const models::LsSvmData>(io::decode_ls_svm(bytes)));
}

bool is_ls_svm_model(std::string_view bytes) noexcept {
  return bytes.size() > io::kHeaderBytes + io::kLsSvmTag.size() && bytes.compare(0, io::kMagic.size(), io::kMagic) == 0 &&
         bytes.compare(io::kHeaderBytes, io::kLsSvmTag.size(), io::kLsSvmTag) == 0;
}

void save_model(const LsSvmModel& model, const std::string& path) {
  const std::string bytes = model_to_bytes(model);
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

LsSvmModel load_ls_svm_model(const std::string& path) {
  const std::string bytes = io::read_file(path);
  try {
    return ls_svm_model_from_bytes(bytes);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
