#include "files/model_format.hpp"
#include "files/sections.hpp"
#include "svm/model/check.hpp"
#include "svm/model/file.hpp"

namespace dcsvm::svm {

namespace {

// Enumerators are stored as these numbers for ever: a new one goes to the end, and the reader's limits with it.
static_assert(static_cast<int>(KernelType::linear) == 0 && static_cast<int>(KernelType::poly) == 1 &&
              static_cast<int>(KernelType::rbf) == 2 && static_cast<int>(KernelType::sigmoid) == 3 &&
              static_cast<int>(KernelType::precomputed) == 4);
static_assert(static_cast<int>(Formulation::c_svc) == 0 && static_cast<int>(Formulation::nu_svc) == 1 &&
              static_cast<int>(Formulation::one_class) == 2 && static_cast<int>(Formulation::epsilon_svr) == 3 &&
              static_cast<int>(Formulation::nu_svr) == 4 && static_cast<int>(Formulation::kernel_ridge) == 5);
static_assert(static_cast<int>(LevelPrediction::early) == 0 && static_cast<int>(LevelPrediction::naive) == 1 &&
              static_cast<int>(LevelPrediction::bcm) == 2);
static_assert(static_cast<int>(StopReason::converged) == 0 && static_cast<int>(StopReason::max_iter) == 1 &&
              static_cast<int>(StopReason::cancelled) == 2 && static_cast<int>(StopReason::stagnated) == 3 &&
              static_cast<int>(StopReason::support_limit) == 4);

std::string meta(const ModelData& m) {
  files::ByteWriter out;
  files::put_kernel(m.kernel, out);
  out.put<std::uint32_t>(m.precision == Precision::single_ ? 0 : 1);
  out.put<std::uint32_t>(m.fit_intercept ? 1 : 0);
  out.put(static_cast<std::uint32_t>(m.prediction));
  out.put(m.C);
  out.put<std::int64_t>(m.n_features);
  out.put<std::int64_t>(m.n_train);
  return out.take();
}

std::string formulation(const ModelData& m) {
  files::ByteWriter out;
  out.put(static_cast<std::uint32_t>(m.formulation));
  out.put(m.nu);
  out.put(m.epsilon);
  return out.take();
}

std::string support(const ModelData& m) {
  files::ByteWriter out;
  out.put_array_as<std::int64_t>(m.support);
  out.put_array_as<std::int32_t>(m.sv_class);
  return out.take();
}

std::string expansions(const ModelData& m) {
  files::ByteWriter out;
  out.put<std::uint64_t>(m.expansions.size());
  for (const Expansion& e : m.expansions) {
    out.put<std::int64_t>(e.first_sv);
    out.put_array_as<std::int32_t>(e.classes);
    out.put_array_as<std::int64_t>(e.n_sv);
    out.put_array(e.rho);
  }
  return out.take();
}

template <class T>
std::string array(const std::vector<T>& values) {
  files::ByteWriter out;
  out.put_array(values);
  return out.take();
}

void put_router(const ModelData& m, files::SectionWriter& file) {
  files::ByteWriter out;
  if (const auto* kernel = std::get_if<KernelRouter>(&m.router)) {
    files::put_kernel(kernel->kernel, out);
    files::put_points(kernel->sample, out);
    out.put_array_as<std::int64_t>(kernel->first);
    out.put_array(kernel->constant);
    file.section("RTRK", files::kRequired, out.bytes());
  } else if (const auto* centre = std::get_if<CentreRouter>(&m.router)) {
    out.put<std::int64_t>(centre->clusters);
    out.put<std::int64_t>(centre->cols);
    out.put_array(centre->centres);
    file.section("RTRC", files::kRequired, out.bytes());
  } else {
    return;
  }
  files::ByteWriter sizes;
  sizes.put_array_as<std::int64_t>(m.cluster_sizes);
  file.section("CLSZ", files::kRequired, sizes.bytes());
}

// Optional: without it a model predicts as before.
void put_calibration(const Calibration& calibration, files::SectionWriter& file) {
  if (calibration.empty()) return;
  files::ByteWriter out;
  out.put_array(calibration.a);
  out.put_array(calibration.b);
  out.put_array(calibration.density_marks);
  file.section("PROB", 0, out.bytes());
}

}  // namespace

std::string encode_model(const ModelData& model) {
  check_model(model);
  files::SectionWriter file;
  file.section("META", files::kRequired, meta(model));
  // Readers from before there were others take a model without it for C-SVC.
  if (model.formulation != Formulation::c_svc) file.section("FORM", files::kRequired, formulation(model));
  file.section("CLAS", files::kRequired, array(model.classes));
  file.section("SUPP", files::kRequired, support(model));
  file.section("COEF", files::kRequired, array(model.sv_coef));
  file.section("EXPN", files::kRequired, expansions(model));
  put_router(model, file);
  put_calibration(model.calibration, file);
  {
    files::ByteWriter points;
    files::put_points(model.points, points);
    file.section("PNTS", files::kRequired, points.bytes());
  }
  files::ByteWriter report;
  files::encode_report(model.report, report);
  file.section("REPT", 0, report.bytes());
  return file.finish();
}

}  // namespace dcsvm::svm
