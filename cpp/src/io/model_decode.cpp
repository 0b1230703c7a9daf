#include <algorithm>
#include <iterator>

#include "io/model_check.hpp"
#include "io/model_format.hpp"
#include "io/model_store.hpp"
#include "io/sections.hpp"

namespace dcsvm::io {

namespace {

using models::ModelData;

void get_meta(ByteReader& in, ModelData& m) {
  m.kernel = get_kernel(in);
  m.precision = get_enum<int>(in, 1, "precision") == 0 ? Precision::single_ : Precision::double_;
  m.fit_intercept = get_flag(in, "fit_intercept");
  m.prediction = get_enum<LevelPrediction>(in, 2, "prediction");
  m.C = in.get<double>();
  m.n_features = static_cast<Index>(in.get<std::int64_t>());
  m.n_train = static_cast<Index>(in.get<std::int64_t>());
}

void get_expansions(ByteReader& in, ModelData& m) {
  for (auto count = in.get_count(32); count > 0; --count) {  // 32: a first_sv and three empty arrays
    models::Expansion e;
    e.first_sv = static_cast<Index>(in.get<std::int64_t>());
    e.classes = get_array_from<int, std::int32_t>(in);
    e.n_sv = get_array_from<Index, std::int64_t>(in);
    e.rho = in.get_array<double>();
    m.expansions.push_back(std::move(e));
  }
}

void get_kernel_router(ByteReader& in, ModelData& m) {
  models::KernelRouter router;
  router.kernel = get_kernel(in);
  router.sample = get_points(in);
  router.first = get_array_from<Index, std::int64_t>(in);
  router.constant = in.get_array<double>();
  m.router = std::move(router);
}

void get_centre_router(ByteReader& in, ModelData& m) {
  models::CentreRouter router;
  router.clusters = static_cast<Index>(in.get<std::int64_t>());
  router.cols = static_cast<Index>(in.get<std::int64_t>());
  router.centres = in.get_array<double>();
  m.router = std::move(router);
}

const Known<ModelData> kKnown[] = {
    {"META", true, get_meta},
    {"FORM", false,
     [](ByteReader& in, ModelData& m) {
       m.formulation = get_enum<Formulation>(in, 5, "formulation");
       m.nu = in.get<double>();
       m.epsilon = in.get<double>();
     }},
    {"CLAS", true, [](ByteReader& in, ModelData& m) { m.classes = in.get_array<double>(); }},
    {"SUPP", true,
     [](ByteReader& in, ModelData& m) {
       m.support = get_array_from<Index, std::int64_t>(in);
       m.sv_class = get_array_from<int, std::int32_t>(in);
     }},
    {"COEF", true, [](ByteReader& in, ModelData& m) { m.sv_coef = in.get_array<double>(); }},
    {"EXPN", true, get_expansions},
    {"RTRK", false, get_kernel_router},
    {"RTRC", false, get_centre_router},
    {"CLSZ", false, [](ByteReader& in, ModelData& m) { m.cluster_sizes = get_array_from<Index, std::int64_t>(in); }},
    {"PNTS", true, [](ByteReader& in, ModelData& m) { m.points = get_points(in); }},
    {"PROB", false,
     [](ByteReader& in, ModelData& m) {
       m.calibration.a = in.get_array<double>();
       m.calibration.b = in.get_array<double>();
       m.calibration.density_marks = in.get_array<double>();
     }},
    {"REPT", false, [](ByteReader& in, ModelData& m) { m.report = decode_report(in); }},
};

/// Another kind's file is told apart before its sections are strange.
void refuse_other_kinds(std::string_view bytes) {
  const auto is = [&](std::string_view tag) { return starts_with_section(bytes, tag); };
  if (is(kDcPredTag)) throw ModelError("model: this file holds a DC-Pred++ model; load_dc_pred_model reads it");
  if (is(kLsSvmTag)) throw ModelError("model: this file holds an LS-SVM; load_ls_svm_model reads it");
  if (is(kLowRankTag)) throw ModelError("model: this file holds a low-rank model; load_low_rank_model reads it");
}

}  // namespace

ModelData decode_model(std::string_view bytes) {
  refuse_other_kinds(bytes);
  ModelData model;
  const std::vector<std::string> seen = read_known(bytes, kKnown, model);
  const auto has = [&](const char* tag) { return std::count(seen.begin(), seen.end(), tag) > 0; };
  if (has("RTRK") && has("RTRC")) throw ModelError("model: section RTRC: a model has one router");
  check_model(model);
  return model;
}

}  // namespace dcsvm::io
