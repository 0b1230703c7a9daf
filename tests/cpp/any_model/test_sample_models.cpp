#include "any_model/sample_models.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "doctest/doctest.h"

namespace dcsvm::test {

using data::PointStore;
using svm::CentreRouter;
using svm::Expansion;
using svm::KernelRouter;
using svm::ModelData;

namespace {

PointStore dense64(Index rows, Index cols, std::vector<double> values) {
  PointStore p;
  p.rows = rows;
  p.cols = cols;
  p.values64 = std::move(values);
  return p;
}

// The clusters of both routed samples over three classes: {0, 1}, {2}, {}, {0, 1, 2}.
void four_clusters(ModelData& m) {
  m.classes = {-3, 0, 2.5};
  m.expansions = {{0, {0, 1}, {1, 2}, {0.25}}, {3, {2}, {0}, {}}, {3, {}, {}, {}}, {3, {0, 1, 2}, {1, 1, 1}, {-0.5, 0.125, 1}}};
  m.sv_class = {0, 1, 1, 0, 1, 2};
  m.support = {4, 1, 3, 7, 8, 11};
  m.sv_coef = {0.5, -0.25, -0.25, 0.75, -0.5, -0.5, 0, 0, 0, 0.25, 0.5, -0.75};
  m.cluster_sizes = {5, 2, 0, 5};
  m.n_train = 12;
}

}  // namespace

ModelData dense_model() {
  ModelData m;
  m.kernel.gamma = 0.5;
  m.n_features = 3;
  m.n_train = 10;
  m.classes = {-1, 1};
  m.points.scalar = ScalarType::float32;
  m.points.rows = 3;
  m.points.cols = 3;
  m.points.values32 = {0.1F, -2, 3, 0, 1e-40F, 6, 7, 8, -0.0F};
  m.support = {1, 8, 5};
  m.sv_class = {0, 0, 1};
  m.sv_coef = {0.3, 0.7, -1};
  m.expansions = {{0, {0, 1}, {2, 1}, {0.1}}};
  m.report.solver = "smo";
  m.report.n_support = 3;
  return m;
}

ModelData sparse_model() {
  ModelData m;
  m.kernel = {KernelType::poly, 2, 0.1, 1.5};
  m.precision = Precision::double_;
  m.fit_intercept = false;
  m.n_features = 1000;
  m.n_train = 77;
  m.classes = {0, 1, 2};
  m.points.sparse = true;
  m.points.rows = 4;
  m.points.cols = 1000;
  m.points.values64 = {0.1, 1.0 / 3, -5e-324, 0, 1e300};
  m.points.indptr = {0, 2, 2, 4, 5};
  m.points.indices = {0, 999, 3, 4, 500};
  m.support = {0, 76, 40, 41};
  m.sv_class = {0, 1, 2, 2};
  m.sv_coef = {1, -0.5, -0.25, 0.125, 0.5, 0.25, -0.5, 0};
  m.expansions = {{0, {0, 1, 2}, {1, 1, 2}, {0, 0, 0}}};
  m.C = 1e6;
  Report& r = m.report;
  r.objective = -33139.940000000002;
  r.violation = 9.9e-4;
  r.stop_reason = StopReason::max_iter;
  r.n_iter = 123456789012;
  r.n_kernel_values = 1234567890123456;
  r.n_support = 4;
  r.seconds = {{"rows", 0.1}, {"select", 0.25}, {"total", 1.75}};
  r.peak_cache_bytes = 5000000000;
  r.levels = {{3, 64, {10, 20, 0, 5}, 1.5, 0.5, 9, -1.25, 0.01, 1000, {}, {}, {}},
              {0, 1, {}, 2.5, 0, 8, -2, 0.001, 2000, {}, {}, {}}};
  r.solver = "dc";
  r.solver_reason = "77 rows \xe2\x89\xa5 10 & \"more\"";
  r.precision = "double";
  r.gamma = 0.1;
  r.isa = "avx2";
  r.n_threads = 2;
  return m;
}

ModelData kernel_routed_model() {
  ModelData m;
  four_clusters(m);
  m.kernel = {KernelType::rbf, 3, 2, 0};
  m.n_features = 2;
  m.points = dense64(6, 2, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  KernelRouter router;
  router.kernel = {KernelType::rbf, 3, 0.5, 0};
  router.sample = dense64(5, 2, {0, 0, 0, 1, 5, 5, 9, 9, 9, 8});
  router.first = {0, 2, 3, 3, 5};
  router.constant = {0.9, 1, 0, 0.8};
  m.router = std::move(router);
  return m;
}

ModelData centre_routed_model() {
  ModelData m;
  m.kernel = {KernelType::sigmoid, 3, 0.01, -1};
  m.n_features = 4;
  m.n_train = 9;
  m.classes = {1, 2};
  m.points.scalar = ScalarType::float32;
  m.points.sparse = true;
  m.points.rows = 3;
  m.points.cols = 4;
  m.points.values32 = {1.5F, 2.5F, -1};
  m.points.indptr = {0, 1, 2, 3};
  m.points.indices = {3, 0, 1};
  m.support = {2, 3, 7};
  m.sv_class = {0, 1, 1};
  m.sv_coef = {1, -1, -0.5};
  m.fit_intercept = false;  // so that a cluster of one class may have support vectors
  m.expansions = {{0, {0, 1}, {1, 1}, {0}}, {2, {1}, {1}, {}}};
  m.router = CentreRouter{2, 4, {0, 0.5, 1, 1.5, -1, -2, -3, -4}};
  m.prediction = LevelPrediction::naive;
  m.cluster_sizes = {6, 3};
  return m;
}

ModelData precomputed_model() {
  ModelData m;
  four_clusters(m);
  m.kernel.type = KernelType::precomputed;
  m.kernel.gamma = 1;  // not used, but in the golden file
  m.n_features = 12;
  m.prediction = LevelPrediction::naive;
  KernelRouter router;
  router.kernel.type = KernelType::precomputed;
  router.kernel.gamma = 1;
  router.sample = dense64(4, 1, {0, 11, 5, 6});
  router.first = {0, 1, 2, 3, 4};
  router.constant = {1, 2, 3, 4};
  m.router = std::move(router);
  return m;
}

ModelData bare_model() {
  ModelData m;
  m.kernel.type = KernelType::precomputed;
  m.kernel.gamma = 1;
  m.n_features = m.n_train = 2;
  m.classes = {-1, 1};
  m.expansions = {{0, {0, 1}, {0, 0}, {-0.0}}};
  return m;
}

ModelData calibrated_model() {
  ModelData m = sparse_model();
  m.calibration.a = {-1.5, -0.25, 1e-300};
  m.calibration.b = {0.125, -0.0, 3};
  return m;
}

ModelData marked_model() {
  ModelData m;
  m.formulation = Formulation::one_class;
  m.nu = 0.25;
  m.kernel.gamma = 0.5;
  m.n_features = 1;
  m.n_train = 12;
  m.points = dense64(2, 1, {0.5, -1});
  m.support = {3, 11};
  m.sv_class = {0, 0};
  m.sv_coef = {0.5, 1};
  m.expansions = {{0, {0, 1}, {2, 0}, {0.75}}};
  m.calibration.density_marks = {-0.5, -0.25, -0.125, -0.0625, -0.03125, 0.03125, 0.0625, 0.125, 0.25, 0.5};
  return m;
}

ModelData regression_model() {
  ModelData m;
  m.formulation = Formulation::epsilon_svr;
  m.epsilon = 0.25;
  m.kernel.gamma = 0.5;
  m.precision = Precision::double_;
  m.n_features = 2;
  m.n_train = 9;
  m.points = dense64(3, 2, {0, 1, 2, 3, 4, -5});
  m.support = {0, 4, 8};
  m.sv_class = {0, 0, 0};
  m.sv_coef = {1.5, -2, 0.5};
  m.expansions = {{0, {0, 1}, {3, 0}, {-0.75}}};
  m.C = 2;
  m.report.problems = {{-1.25, 1e-4, 0, StopReason::max_iter, 12345678901, 3, 1, -0.5}};
  return m;
}

ModelData one_class_routed_model() {
  ModelData m;
  m.formulation = Formulation::one_class;
  m.nu = 0.125;
  m.kernel.gamma = 2;
  m.n_features = 2;
  m.n_train = 16;
  m.points = dense64(2, 2, {0, 1, 2, 3});
  m.support = {3, 5};
  m.sv_class = {0, 0};
  m.sv_coef = {1, 0.5};
  m.expansions = {{0, {0, 1}, {2, 0}, {0.5}}, {2, {}, {}, {}}};
  m.router = CentreRouter{2, 2, {0, 0.5, 1, 1.5}};
  m.cluster_sizes = {16, 0};
  return m;
}

std::vector<std::pair<std::string, ModelData>> sample_models() {
  return {{"dense", dense_model()},
          {"sparse", sparse_model()},
          {"kernel-routed", kernel_routed_model()},
          {"centre-routed", centre_routed_model()},
          {"precomputed", precomputed_model()},
          {"bare", bare_model()},
          {"calibrated", calibrated_model()},
          {"marked", marked_model()},
          {"regression", regression_model()},
          {"one-class-routed", one_class_routed_model()}};
}

namespace {

// Bits, so that -0.0 differs from 0.0.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool same(const KernelParams& a, const KernelParams& b) {
  return a.type == b.type && a.degree == b.degree && same(a.gamma, b.gamma) && same(a.coef0, b.coef0);
}

bool same(const PointStore& a, const PointStore& b) {
  return a.scalar == b.scalar && a.sparse == b.sparse && a.rows == b.rows && a.cols == b.cols && same(a.values32, b.values32) &&
         same(a.values64, b.values64) && same(a.indptr, b.indptr) && same(a.indices, b.indices);
}

bool same(const std::monostate&, const std::monostate&) { return true; }
bool same(const KernelRouter& a, const KernelRouter& b) {
  return same(a.kernel, b.kernel) && same(a.sample, b.sample) && same(a.first, b.first) && same(a.constant, b.constant);
}
bool same(const CentreRouter& a, const CentreRouter& b) {
  return a.clusters == b.clusters && a.cols == b.cols && same(a.centres, b.centres);
}

bool same(const Expansion& a, const Expansion& b) {
  return a.first_sv == b.first_sv && a.classes == b.classes && a.n_sv == b.n_sv && same(a.rho, b.rho);
}

auto fields(const LevelReport& l) {
  return std::tie(l.level, l.clusters, l.sizes, l.seconds, l.seconds_clustering, l.n_support, l.objective, l.violation, l.n_iter);
}

auto fields(const ProblemReport& p) {
  return std::tie(p.objective, p.violation, p.stop_reason, p.n_iter, p.n_support, p.n_bounded, p.r);
}

template <class T>
bool same_groups(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return fields(x) == fields(y); });
}

bool same(const Report& a, const Report& b) {
  const auto all = [](const Report& r) {
    return std::tie(r.objective, r.violation, r.stop_reason, r.n_iter, r.n_kernel_values, r.n_support, r.seconds,
                    r.peak_cache_bytes, r.solver, r.solver_reason, r.precision, r.gamma, r.isa, r.n_threads);
  };
  return all(a) == all(b) && same_groups(a.levels, b.levels) && same_groups(a.problems, b.problems);
}

}  // namespace

bool same(const ModelData& a, const ModelData& b) {
  if (a.router.index() != b.router.index() || a.expansions.size() != b.expansions.size()) return false;
  for (std::size_t i = 0; i < a.expansions.size(); ++i) {
    if (!same(a.expansions[i], b.expansions[i])) return false;
  }
  const bool routers =
      std::visit([&](const auto& r) { return same(r, std::get<std::decay_t<decltype(r)>>(b.router)); }, a.router);
  return a.formulation == b.formulation && same(a.nu, b.nu) && same(a.epsilon, b.epsilon) && routers &&
         same(a.kernel, b.kernel) && a.precision == b.precision && a.fit_intercept == b.fit_intercept &&
         a.n_features == b.n_features && a.n_train == b.n_train && same(a.classes, b.classes) && same(a.points, b.points) &&
         same(a.support, b.support) && same(a.sv_class, b.sv_class) && same(a.sv_coef, b.sv_coef) &&
         a.prediction == b.prediction && same(a.calibration.a, b.calibration.a) && same(a.calibration.b, b.calibration.b) &&
         same(a.calibration.density_marks, b.calibration.density_marks) && same(a.C, b.C) &&
         same(a.cluster_sizes, b.cluster_sizes) && same(a.report, b.report);
}

}  // namespace dcsvm::test

// The other tests believe same().
TEST_CASE("same() notices a change of any field") {
  using dcsvm::test::same;
  const auto differs = [](dcsvm::svm::ModelData m, void (*change)(dcsvm::svm::ModelData&)) {
    const dcsvm::svm::ModelData before = m;
    REQUIRE(same(before, m));
    change(m);
    return !same(before, m);
  };
  using M = dcsvm::svm::ModelData;
  const M m = dcsvm::test::sparse_model(), r = dcsvm::test::kernel_routed_model(), c = dcsvm::test::centre_routed_model();
  CHECK(differs(m, [](M& x) { x.formulation = dcsvm::Formulation::nu_svc; }));
  CHECK(differs(m, [](M& x) { x.nu = 0.25; }));
  CHECK(differs(m, [](M& x) { x.epsilon = -0.0; }));
  CHECK(differs(m, [](M& x) { x.kernel.coef0 = 2; }));
  CHECK(differs(m, [](M& x) { x.precision = dcsvm::Precision::single_; }));
  CHECK(differs(m, [](M& x) { x.fit_intercept = true; }));
  CHECK(differs(m, [](M& x) { x.n_features = 1; }));
  CHECK(differs(m, [](M& x) { x.n_train = 1; }));
  CHECK(differs(m, [](M& x) { x.classes[0] = -0.0; }));
  CHECK(differs(m, [](M& x) { x.points.values64[3] = -0.0; }));
  CHECK(differs(m, [](M& x) { x.points.indices[3] = 7; }));
  CHECK(differs(m, [](M& x) { x.points.indptr[1] = 1; }));
  CHECK(differs(m, [](M& x) { x.support[0] = 1; }));
  CHECK(differs(m, [](M& x) { x.sv_class[0] = 1; }));
  CHECK(differs(m, [](M& x) { x.sv_coef[7] = -0.0; }));
  CHECK(differs(m, [](M& x) { x.expansions[0].rho[0] = -0.0; }));
  CHECK(differs(m, [](M& x) { x.prediction = dcsvm::LevelPrediction::naive; }));
  CHECK(differs(m, [](M& x) { x.C = 1; }));
  CHECK(differs(m, [](M& x) { x.calibration.a = {1}; }));
  CHECK(differs(m, [](M& x) { x.calibration.b = {1}; }));
  CHECK(differs(m, [](M& x) { x.calibration.density_marks = {1}; }));
  CHECK(differs(m, [](M& x) { x.report.levels[1].n_iter = 1; }));
  CHECK(differs(m, [](M& x) { x.report.levels[0].sizes[2] = 1; }));
  CHECK(differs(dcsvm::test::regression_model(), [](M& x) { x.report.problems[0].r = 0; }));
  CHECK(differs(dcsvm::test::regression_model(), [](M& x) { x.report.problems.clear(); }));
  CHECK(differs(m, [](M& x) { x.report.seconds["total"] = 0; }));
  CHECK(differs(m, [](M& x) { x.report.isa = "avx512"; }));
  CHECK(differs(m, [](M& x) { x.report.n_threads = 3; }));
  CHECK(differs(m, [](M& x) { x.report.stop_reason = dcsvm::StopReason::cancelled; }));
  CHECK(differs(r, [](M& x) { x.cluster_sizes[0] = 4; }));
  CHECK(differs(r, [](M& x) { std::get<dcsvm::svm::KernelRouter>(x.router).kernel.gamma = 1; }));
  CHECK(differs(r, [](M& x) { std::get<dcsvm::svm::KernelRouter>(x.router).constant[2] = 1; }));
  CHECK(differs(c, [](M& x) { std::get<dcsvm::svm::CentreRouter>(x.router).centres[0] = -0.0; }));
  CHECK(differs(c, [](M& x) { x.router = std::monostate(); }));
}
