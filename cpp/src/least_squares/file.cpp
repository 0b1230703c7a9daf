// Files of LS-SVMs (docs/model-format.md).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/ls_svm.hpp"
#include "files/model_checks.hpp"
#include "files/model_store.hpp"
#include "files/sections.hpp"
#include "least_squares/file.hpp"
#include "least_squares/model_data.hpp"

namespace dcsvm::least_squares {

namespace {

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LsSvmData& m) {
  const char* const head = "LSSV";
  files::check_kernel(m.kernel, head);
  files::require(m.kernel.type != KernelType::precomputed, head, "a precomputed kernel has no points");
  files::require(m.n_features >= 1, head, "n_features must be positive");
  if (m.regression) {
    files::require(m.classes.empty(), "CLAS", "a regression has no classes");
  } else {
    files::check_classes(m.classes);
  }
  const Index outputs = files::size_of(m.intercept.size());
  files::require(outputs >= 1 && (m.regression || m.classes.size() == m.intercept.size()), "LSCF",
                 "one intercept for each output expected");
  files::check_points(m.points, "PNTS");
  files::require(m.points.rows >= 1 && m.points.cols == m.n_features, "PNTS", "points of n_features expected");
  files::require(files::is_product(outputs, m.points.rows, files::size_of(m.coef.size())), "LSCF",
                 "outputs x points coefficients expected");
  files::require(files::finite(m.coef) && files::finite(m.intercept), "LSCF", "a coefficient is not finite");
}

const files::Known<LsSvmData> kKnown[] = {
    {"LSSV", true,
     [](files::ByteReader& in, LsSvmData& m) {
       m.kernel = files::get_kernel(in);
       m.normalise = files::get_flag(in, "normalise");
       m.regression = files::get_flag(in, "regression");
       m.n_features = static_cast<Index>(in.get<std::int64_t>());
     }},
    {"CLAS", true, [](files::ByteReader& in, LsSvmData& m) { m.classes = in.get_array<double>(); }},
    {"LSCF", true,
     [](files::ByteReader& in, LsSvmData& m) {
       m.coef = in.get_array<double>();
       m.intercept = in.get_array<double>();
     }},
    {"PNTS", true, [](files::ByteReader& in, LsSvmData& m) { m.points = files::get_points(in); }},
    {"LSRP", false, [](files::ByteReader& in, LsSvmData& m) { m.report = decode_ls_svm_report(in); }},
};

}  // namespace

std::string encode_ls_svm(const LsSvmData& model) {
  check_model(model);
  files::SectionWriter file;
  file.section(kLsSvmTag, files::kRequired, [&](files::ByteWriter& out) {
    files::put_kernel(model.kernel, out);
    out.put<std::uint32_t>(model.normalise ? 1 : 0);
    out.put<std::uint32_t>(model.regression ? 1 : 0);
    out.put<std::int64_t>(model.n_features);
  });
  file.section("CLAS", files::kRequired, [&](files::ByteWriter& out) { out.put_array(model.classes); });
  file.section("LSCF", files::kRequired, [&](files::ByteWriter& out) {
    out.put_array(model.coef);
    out.put_array(model.intercept);
  });
  file.section("PNTS", files::kRequired, [&](files::ByteWriter& out) { files::put_points(model.points, out); });
  file.section("LSRP", 0, [&](files::ByteWriter& out) { files::encode_report(model.report, out); });
  return file.finish();
}

LsSvmData decode_ls_svm(std::string_view bytes) {
  LsSvmData model;
  files::read_known(bytes, kKnown, model);
  check_model(model);
  return model;
}

}  // namespace dcsvm::least_squares

namespace dcsvm {

std::string model_to_bytes(const LsSvmModel& model) { return files::encoded(model, least_squares::encode_ls_svm); }

LsSvmModel ls_svm_model_from_bytes(std::string_view bytes) {
  return LsSvmModel(std::make_shared<const least_squares::LsSvmData>(least_squares::decode_ls_svm(bytes)));
}

bool is_ls_svm_model(std::string_view bytes) noexcept { return files::starts_with_section(bytes, least_squares::kLsSvmTag); }

void save_model(const LsSvmModel& model, const std::string& path) { files::write_whole(path, model_to_bytes(model)); }

LsSvmModel load_ls_svm_model(const std::string& path) { return files::read_model(path, ls_svm_model_from_bytes); }

}  // namespace dcsvm
