#include <algorithm>
#include <iterator>

#include "files/model_format.hpp"
#include "files/model_store.hpp"
#include "files/sections.hpp"
#include "svm/model/check.hpp"
#include "svm/model/file.hpp"

namespace dcsvm::svm {

namespace {

void get_meta(files::ByteReader& in, ModelData& m) {
  m.kernel = files::get_kernel(in);
  m.precision = files::get_enum<int>(in, 1, "precision") == 0 ? Precision::single_ : Precision::double_;
  m.fit_intercept = files::get_flag(in, "fit_intercept");
  m.prediction = files::get_enum<LevelPrediction>(in, 2, "prediction");
  m.C = in.get<double>();
  m.n_features = static_cast<Index>(in.get<std::int64_t>());
  m.n_train = static_cast<Index>(in.get<std::int64_t>());
}

void get_expansions(files::ByteReader& in, ModelData& m) {
  for (auto count = in.get_count(32); count > 0; --count) {  // 32: a first_sv and three empty arrays
    Expansion e;
    e.first_sv = static_cast<Index>(in.get<std::int64_t>());
    e.classes = files::get_array_from<int, std::int32_t>(in);
    e.n_sv = files::get_array_from<Index, std::int64_t>(in);
    e.rho = in.get_array<double>();
    m.expansions.push_back(std::move(e));
  }
}

void get_kernel_router(files::ByteReader& in, ModelData& m) {
  KernelRouter router;
  router.kernel = files::get_kernel(in);
  router.sample = files::get_points(in);
  router.first = files::get_array_from<Index, std::int64_t>(in);
  router.constant = in.get_array<double>();
  m.router = std::move(router);
}

void get_centre_router(files::ByteReader& in, ModelData& m) {
  CentreRouter router;
  router.clusters = static_cast<Index>(in.get<std::int64_t>());
  router.cols = static_cast<Index>(in.get<std::int64_t>());
  router.centres = in.get_array<double>();
  m.router = std::move(router);
}

const files::Known<ModelData> kKnown[] = {
    {"META", true, get_meta},
    {"FORM", false,
     [](files::ByteReader& in, ModelData& m) {
       m.formulation = files::get_enum<Formulation>(in, 5, "formulation");
       m.nu = in.get<double>();
       m.epsilon = in.get<double>();
     }},
    {"CLAS", true, [](files::ByteReader& in, ModelData& m) { m.classes = in.get_array<double>(); }},
    {"SUPP", true,
     [](files::ByteReader& in, ModelData& m) {
       m.support = files::get_array_from<Index, std::int64_t>(in);
       m.sv_class = files::get_array_from<int, std::int32_t>(in);
     }},
    {"COEF", true, [](files::ByteReader& in, ModelData& m) { m.sv_coef = in.get_array<double>(); }},
    {"EXPN", true, get_expansions},
    {"RTRK", false, get_kernel_router},
    {"RTRC", false, get_centre_router},
    {"CLSZ", false,
     [](files::ByteReader& in, ModelData& m) { m.cluster_sizes = files::get_array_from<Index, std::int64_t>(in); }},
    {"PNTS", true, [](files::ByteReader& in, ModelData& m) { m.points = files::get_points(in); }},
    {"PROB", false,
     [](files::ByteReader& in, ModelData& m) {
       m.calibration.a = in.get_array<double>();
       m.calibration.b = in.get_array<double>();
       m.calibration.density_marks = in.get_array<double>();
     }},
    {"REPT", false, [](files::ByteReader& in, ModelData& m) { m.report = files::decode_report(in); }},
};

}  // namespace

ModelData decode_model(std::string_view bytes) {
  ModelData model;
  const std::vector<std::string> seen = files::read_known(bytes, kKnown, model);
  const auto has = [&](const char* tag) { return std::count(seen.begin(), seen.end(), tag) > 0; };
  if (has("RTRK") && has("RTRC")) throw ModelError("model: section RTRC: a model has one router");
  check_model(model);
  return model;
}

}  // namespace dcsvm::svm
