#include "io/model_check.hpp"
#include "io/model_format.hpp"
#include "io/sections.hpp"

namespace dcsvm::io {

namespace {

using models::ModelData;

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
  ByteWriter out;
  put_kernel(m.kernel, out);
  out.put<std::uint32_t>(m.precision == Precision::single_ ? 0 : 1);
  out.put<std::uint32_t>(m.fit_intercept ? 1 : 0);
  out.put(static_cast<std::uint32_t>(m.prediction));
  out.put(m.C);
  out.put<std::int64_t>(m.n_features);
  out.put<std::int64_t>(m.n_train);
  return out.take();
}

std::string formulation(const ModelData& m) {
  ByteWriter out;
  out.put(static_cast<std::uint32_t>(m.formulation));
  out.put(m.nu);
  out.put(m.epsilon);
  return out.take();
}

std::string support(const ModelData& m) {
  ByteWriter out;
  out.put_array_as<std::int64_t>(m.support);
  out.put_array_as<std::int32_t>(m.sv_class);
  return out.take();
}

std::string expansions(const ModelData& m) {
  ByteWriter out;
  out.put<std::uint64_t>(m.expansions.size());
  for (const models::Expansion& e : m.expansions) {
    out.put<std::int64_t>(e.first_sv);
    out.put_array_as<std::int32_t>(e.classes);
    out.put_array_as<std::int64_t>(e.n_sv);
    out.put_array(e.rho);
  }
  return out.take();
}

template <class T>
std::string array(const std::vector<T>& values) {
  ByteWriter out;
  out.put_array(values);
  return out.take();
}

void put_router(const ModelData& m, SectionWriter& file) {
  ByteWriter out;
  if (const auto* kernel = std::get_if<models::KernelRouter>(&m.router)) {
    put_kernel(kernel->kernel, out);
    put_points(kernel->sample, out);
    out.put_array_as<std::int64_t>(kernel->first);
    out.put_array(kernel->constant);
    file.section("RTRK", kRequired, out.bytes());
  } else if (const auto* centre = std::get_if<models::CentreRouter>(&m.router)) {
    out.put<std::int64_t>(centre->clusters);
    out.put<std::int64_t>(centre->cols);
    out.put_array(centre->centres);
    file.section("RTRC", kRequired, out.bytes());
  } else {
    return;
  }
  ByteWriter sizes;
  sizes.put_array_as<std::int64_t>(m.cluster_sizes);
  file.section("CLSZ", kRequired, sizes.bytes());
}

// Optional: without it a model predicts as before.
void put_calibration(const Calibration& calibration, SectionWriter& file) {
  if (calibration.empty()) return;
  ByteWriter out;
  out.put_array(calibration.a);
  out.put_array(calibration.b);
  out.put_array(calibration.density_marks);
  file.section("PROB", 0, out.bytes());
}

}  // namespace

std::string encode_model(const ModelData& model) {
  check_model(model);
  SectionWriter file;
  file.section("META", kRequired, meta(model));
  // Readers from before there were others take a model without it for C-SVC.
  if (model.formulation != Formulation::c_svc) file.section("FORM", kRequired, formulation(model));
  file.section("CLAS", kRequired, array(model.classes));
  file.section("SUPP", kRequired, support(model));
  file.section("COEF", kRequired, array(model.sv_coef));
  file.section("EXPN", kRequired, expansions(model));
  put_router(model, file);
  put_calibration(model.calibration, file);
  {
    ByteWriter points;
    put_points(model.points, points);
    file.section("PNTS", kRequired, points.bytes());
  }
  ByteWriter report;
  encode_report(model.report, report);
  file.section("REPT", 0, report.bytes());
  return file.finish();
}

}  // namespace dcsvm::io
