// Files of LS-SVMs (docs/model-format.md).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/ls_svm.hpp"
#include "io/model_check.hpp"
#include "io/model_store.hpp"
#include "io/sections.hpp"
#include "models/ls_svm_data.hpp"

namespace dcsvm::io {

namespace {

using models::LsSvmData;

const Known<LsSvmData> kKnown[] = {
    {"LSSV", true,
     [](ByteReader& in, LsSvmData& m) {
       m.kernel = get_kernel(in);
       m.normalise = get_flag(in, "normalise");
       m.regression = get_flag(in, "regression");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
     }},
    {"CLAS", true, [](ByteReader& in, LsSvmData& m) { m.classes = in.get_array<double>(); }},
    {"LSCF", true,
     [](ByteReader& in, LsSvmData& m) {
       m.coef = in.get_array<double>();
       m.intercept = in.get_array<double>();
     }},
    {"PNTS", true, [](ByteReader& in, LsSvmData& m) { m.points = get_points(in); }},
    {"LSRP", false, [](ByteReader& in, LsSvmData& m) { m.report = decode_ls_svm_report(in); }},
};

}  // namespace

std::string encode_ls_svm(const LsSvmData& model) {
  check_model(model);
  SectionWriter file;
  file.section(kLsSvmTag, kRequired, [&](ByteWriter& out) {
    put_kernel(model.kernel, out);
    out.put<std::uint32_t>(model.normalise ? 1 : 0);
    out.put<std::uint32_t>(model.regression ? 1 : 0);
    out.put<std::int64_t>(model.n_features);
  });
  file.section("CLAS", kRequired, [&](ByteWriter& out) { out.put_array(model.classes); });
  file.section("LSCF", kRequired, [&](ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  file.section("PNTS", kRequired, [&](ByteWriter& out) { put_points(model.points, out); });
  file.section("LSRP", 0, [&](ByteWriter& out) { encode_report(model.report, out); });
  return file.finish();
}

LsSvmData decode_ls_svm(std::string_view bytes) {
  LsSvmData model;
  read_known(bytes, kKnown, model);
  check_model(model);
  return model;
}

}  // namespace dcsvm::io

namespace dcsvm {

std::string model_to_bytes(const LsSvmModel& model) { return io::encoded(model, io::encode_ls_svm); }

LsSvmModel ls_svm_model_from_bytes(std::string_view bytes) {
  return LsSvmModel(std::make_shared<const models::LsSvmData>(io::decode_ls_svm(bytes)));
}

bool is_ls_svm_model(std::string_view bytes) noexcept { return io::starts_with_section(bytes, io::kLsSvmTag); }

void save_model(const LsSvmModel& model, const std::string& path) { io::write_whole(path, model_to_bytes(model)); }

LsSvmModel load_ls_svm_model(const std::string& path) { return io::read_model(path, ls_svm_model_from_bytes); }

}  // namespace dcsvm
