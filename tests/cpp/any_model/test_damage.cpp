// Damaged and hostile model files: ModelError, or a model that is safe to use; never a crash or a huge allocation.
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "any_model/model_bytes.hpp"
#include "any_model/sample_models.hpp"
#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/predict.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

using Change = std::function<void(svm::ModelData&)>;

std::string bytes_of(const svm::ModelData& data) { return model_to_bytes(Model(std::make_shared<const svm::ModelData>(data))); }

// What a user does with a model; any dcsvm::Error will do, a crash or a sanitizer's complaint will not.
void use(const Model& m) {
  if (m.n_features() > 5000 || m.n_train() > 5000) return;  // their arrays are the caller's own size
  m.alpha();
  m.rho();
  m.support_vectors();
  m.n_support_per_class();
  const std::vector<double> x(3 * m.n_features(), 0.25);
  std::vector<double> y(3), decisions(static_cast<std::size_t>(3 * decision_columns(m)));
  PredictOptions options;
  options.n_threads = 1;
  try {
    predict(m, dense(x.data(), 3, m.n_features()), y.data(), options);
    decision_function(m, dense(x.data(), 3, m.n_features()), decisions.data(), options);
  } catch (const Error&) {
  }
}

}  // namespace

TEST_CASE("damaged model: every byte changed, every length cut, bytes appended") {
  for (const auto& [its_name, data] : sample_models()) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    CAPTURE(name);
    const std::string good = bytes_of(data);
    int accepted = 0, unnamed = 0;
    const auto try_it = [&](const std::string& bytes) {
      const std::string what = error(bytes);
      accepted += what.empty();
      unnamed += what.find("byte ") == std::string::npos;
    };
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ mask);
        try_it(bad);
      }
      try_it(good.substr(0, i));
    }
    try_it(good + '\0');
    try_it(good + good);
    CHECK(accepted == 0);
    CHECK(unnamed == 0);
  }
}

TEST_CASE("hostile model: lengths beyond the file are refused before anything is allocated") {
  for (const auto& [name, data] : sample_models()) {
    const auto good = take_apart(bytes_of(data));
    for (std::size_t s = 0; s < good.size(); ++s) {
      for (std::size_t at = 0; at + 8 <= good[s].payload.size(); ++at) {
        for (const std::uint64_t count :
             {std::uint64_t{1} << 40, std::uint64_t{1} << 61, ~std::uint64_t{0}, ~std::uint64_t{0} >> 1}) {
          auto bad = good;
          bad[s].payload.replace(at, 8, raw(count));
          const std::string what = error(put_together(bad));  // std::bad_alloc and length_error would end the test
          if (what.empty()) use(model_from_bytes(put_together(bad)));
        }
      }
    }
    // A section's own length.
    std::string bad = bytes_of(data);
    bad.replace(32 + 8, 8, raw(std::numeric_limits<std::uint64_t>::max() - 3));
    CHECK(error(bad) == "model: section table, byte 40: section META is longer than the file");
  }
}

TEST_CASE("hostile model: a section that the header does not count") {
  auto sections = test::take_apart(bytes_of(dense_model()));
  sections.push_back({"note", 0, "not ours"});
  std::string file = test::put_together(sections);
  CHECK(error(file).empty());  // unknown and not required
  file.replace(12, 4, test::raw(static_cast<std::uint32_t>(sections.size() - 1)));
  file.replace(28, 4, test::raw(files::crc32(file.substr(0, 28))));
  CHECK(error(file).find("bytes behind the last section") != std::string::npos);
}

TEST_CASE("hostile model: random changes under a right checksum give ModelError or a usable model") {
  base::Random random(8);
  int refused = 0, loaded = 0;
  for (const auto& [name, data] : sample_models()) {
    const auto good = take_apart(bytes_of(data));
    for (int round = 0; round < 4000; ++round) {
      auto bad = good;
      for (Index changes = 1 + random.below(3); changes > 0; --changes) {
        std::string& p = bad[random.below(static_cast<Index>(bad.size()))].payload;
        const auto at = static_cast<std::size_t>(random.below(static_cast<Index>(p.size()) + 1));
        switch (random.below(6)) {
          case 0: p.insert(at, 1 + at % 9, static_cast<char>(random.below(256))); break;
          case 1: p.erase(at, static_cast<std::size_t>(1 + random.below(12))); break;
          case 2: p.append(p.substr(at)); break;
          default:
            if (at < p.size()) p[at] = static_cast<char>(random.below(2) == 0 ? random.below(256) : random.below(6));
        }
      }
      const std::string bytes = put_together(bad);
      if (!error(bytes).empty()) {
        ++refused;
        continue;
      }
      ++loaded;
      const Model m = model_from_bytes(bytes);
      CHECK(same(*model_from_bytes(model_to_bytes(m)).data(), *m.data()));
      use(m);
    }
  }
  CHECK(refused > 1000);
  CHECK(loaded > 1000);
}

TEST_CASE("hostile model: every rule of the reader, one by one") {
  using svm::CentreRouter;
  using svm::KernelRouter;
  using svm::ModelData;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto kernel_router = [](ModelData& m) -> KernelRouter& { return std::get<KernelRouter>(m.router); };
  const auto centre_router = [](ModelData& m) -> CentreRouter& { return std::get<CentreRouter>(m.router); };
  const std::vector<std::pair<std::string, std::pair<ModelData, Change>>> cases = {
      {"META: unknown kernel",
       {dense_model(), [](ModelData& m) { m.kernel.type = static_cast<KernelType>(names_of(KernelType()).size()); }}},
      {"META: degree is negative", {dense_model(), [](ModelData& m) { m.kernel.degree = -1; }}},
      {"META: gamma is negative or not finite", {dense_model(), [](ModelData& m) { m.kernel.gamma = -1; }}},
      {"META: gamma is negative or not finite", {dense_model(), [](ModelData& m) { m.kernel.gamma = nan; }}},
      {"META: coef0 is not finite", {dense_model(), [](ModelData& m) { m.kernel.coef0 = nan; }}},
      {"META: unknown precision", {dense_model(), [](ModelData& m) { m.precision = static_cast<Precision>(2); }}},
      {"META: unknown prediction", {dense_model(), [](ModelData& m) { m.prediction = static_cast<LevelPrediction>(2); }}},
      {"META: C is not positive", {dense_model(), [](ModelData& m) { m.C = nan; }}},
      {"META: n_features must be from 1", {dense_model(), [](ModelData& m) { m.n_features = 0; }}},
      {"META: n_features must be from 1", {sparse_model(), [](ModelData& m) { m.n_features = Index{1} << 61; }}},
      {"META: n_train must be from 1", {sparse_model(), [](ModelData& m) { m.n_train = Index{1} << 60; }}},
      {"META: a precomputed kernel has as many features", {bare_model(), [](ModelData& m) { m.n_features = 3; }}},
      {"FORM: unknown formulation", {regression_model(), [](ModelData& m) { m.formulation = static_cast<Formulation>(6); }}},
      {"FORM: nu is not in", {one_class_routed_model(), [](ModelData& m) { m.nu = 0; }}},
      {"FORM: nu is not in", {one_class_routed_model(), [](ModelData& m) { m.nu = nan; }}},
      {"FORM: epsilon is negative", {regression_model(), [](ModelData& m) { m.epsilon = -1; }}},
      {"FORM: epsilon is negative", {regression_model(), [](ModelData& m) { m.epsilon = nan; }}},
      {"CLAS: the formulation has no classes", {regression_model(), [](ModelData& m) { m.classes = {0, 1}; }}},
      {"CLAS: at least two classes", {regression_model(), [](ModelData& m) { m.formulation = Formulation::nu_svc; }}},
      {"SUPP: a class is out of range", {regression_model(), [](ModelData& m) { m.sv_class[0] = 1; }}},
      {"EXPN: all classes expected", {regression_model(), [](ModelData& m) { m.expansions[0] = {0, {0}, {3}, {}}; }}},
      {"CLAS: at least two classes", {bare_model(), [](ModelData& m) { m.classes = {1}; }}},
      {"CLAS: more pairs of classes than",
       {one_class_routed_model(),
        [](ModelData& m) {
          m.formulation = Formulation::c_svc;
          for (int c = 0; c < 1500; ++c) m.classes.push_back(c);
        }}},
      {"CLAS: a class is not finite", {dense_model(), [](ModelData& m) { m.classes[1] = nan; }}},
      {"CLAS: classes do not ascend", {dense_model(), [](ModelData& m) { m.classes = {1, 1}; }}},
      {"SUPP: one class for each", {dense_model(), [](ModelData& m) { m.sv_class.pop_back(); }}},
      {"SUPP: a training row is out of range", {dense_model(), [](ModelData& m) { m.support[0] = -1; }}},
      {"SUPP: a class is out of range", {dense_model(), [](ModelData& m) { m.sv_class[2] = 2; }}},
      {"COEF: (classes - 1) x support vectors", {dense_model(), [](ModelData& m) { m.sv_coef.push_back(1); }}},
      {"COEF: a coefficient is not finite", {dense_model(), [](ModelData& m) { m.sv_coef[0] = nan; }}},
      {"PNTS: unknown scalar", {dense_model(), [](ModelData& m) { m.points.scalar = static_cast<ScalarType>(7); }}},
      {"PNTS: negative size", {dense_model(), [](ModelData& m) { m.points.cols = -3; }}},
      {"PNTS: values of two types", {dense_model(), [](ModelData& m) { m.points.values64 = {1}; }}},
      {"PNTS: rows x cols values", {dense_model(), [](ModelData& m) { m.points.values32.pop_back(); }}},
      {"PNTS: a dense store has no indices", {dense_model(), [](ModelData& m) { m.points.indptr = {0}; }}},
      {"PNTS: a value is not finite", {dense_model(), [](ModelData& m) { m.points.values32[0] = static_cast<float>(nan); }}},
      {"PNTS: one point for each", {dense_model(), [](ModelData& m) { m.points = data::PointStore(); }}},
      {"PNTS: points with n_features", {dense_model(), [](ModelData& m) { m.n_features = 4; }}},
      {"PNTS: a precomputed kernel has no points", {bare_model(), [](ModelData& m) { m.points = dense_model().points; }}},
      {"PNTS: indptr does not have rows + 1", {sparse_model(), [](ModelData& m) { m.points.indptr.pop_back(); }}},
      {"PNTS: indptr does not have rows + 1", {sparse_model(), [](ModelData& m) { m.points.indptr.clear(); }}},
      {"PNTS: as many indices as values", {sparse_model(), [](ModelData& m) { m.points.indices.pop_back(); }}},
      {"PNTS: indptr does not span", {sparse_model(), [](ModelData& m) { m.points.indptr[0] = 1; }}},
      {"PNTS: indptr does not span", {sparse_model(), [](ModelData& m) { m.points.indptr[4] = 4; }}},
      {"PNTS: indptr decreases at point 1", {sparse_model(), [](ModelData& m) { m.points.indptr[2] = 1; }}},
      {"PNTS: indptr decreases at point 0", {sparse_model(), [](ModelData& m) { m.points.indptr[1] = 1000; }}},
      {"PNTS: indptr decreases at point 0", {sparse_model(), [](ModelData& m) { m.points.indptr[1] = -1; }}},
      {"PNTS: columns of point 3 are out", {sparse_model(), [](ModelData& m) { m.points.indices[4] = 1000; }}},
      {"PNTS: columns of point 0 are out", {sparse_model(), [](ModelData& m) { m.points.indices[0] = -1; }}},
      {"PNTS: columns of point 2 are out", {sparse_model(), [](ModelData& m) { m.points.indices[3] = 3; }}},
      {"EXPN: one expansion expected", {dense_model(), [](ModelData& m) { m.expansions.push_back({3, {}, {}, {}}); }}},
      {"EXPN: all classes expected", {bare_model(), [](ModelData& m) { m.expansions[0] = {0, {0}, {0}, {}}; }}},
      {"EXPN: the expansions do not cover", {dense_model(), [](ModelData& m) { m.expansions[0].n_sv[1] = 0; }}},
      {"EXPN: expansion 0: its support vectors do not follow",
       {dense_model(), [](ModelData& m) { m.expansions[0].first_sv = 1; }}},
      {"EXPN: expansion 0: one n_sv for each", {dense_model(), [](ModelData& m) { m.expansions[0].n_sv = {3}; }}},
      {"EXPN: expansion 0: a class is out of range", {dense_model(), [](ModelData& m) { m.expansions[0].classes[1] = 2; }}},
      {"EXPN: expansion 3: classes do not ascend", {kernel_routed_model(), [](ModelData& m) { m.expansions[3].classes[1] = 0; }}},
      {"EXPN: expansion 0: n_sv is out of range", {dense_model(), [](ModelData& m) { m.expansions[0].n_sv[1] = 2; }}},
      {"EXPN: expansion 0: n_sv is out of range", {dense_model(), [](ModelData& m) { m.expansions[0].n_sv = {4, -1}; }}},
      {"EXPN: expansion 0: a support vector is of another", {dense_model(), [](ModelData& m) { m.expansions[0].n_sv = {1, 2}; }}},
      {"EXPN: expansion 0: one rho for each pair", {dense_model(), [](ModelData& m) { m.expansions[0].rho.clear(); }}},
      {"EXPN: expansion 0: a rho is not finite", {dense_model(), [](ModelData& m) { m.expansions[0].rho[0] = nan; }}},
      {"EXPN: one expansion for each cluster",
       {centre_routed_model(), [](ModelData& m) { m.expansions.push_back({3, {}, {}, {}}); }}},
      {"CLSZ: one size for each", {centre_routed_model(), [](ModelData& m) { m.cluster_sizes.pop_back(); }}},
      {"CLSZ: cluster sizes do not fit", {centre_routed_model(), [](ModelData& m) { m.cluster_sizes[0] = 8; }}},
      {"CLSZ: cluster sizes do not fit", {centre_routed_model(), [](ModelData& m) { m.cluster_sizes[0] = -1; }}},
      {"CLSZ: sizes of clusters in a model that has none", {dense_model(), [](ModelData& m) { m.cluster_sizes = {1}; }}},
      {"RTRC: no clusters", {centre_routed_model(), [&](ModelData& m) { centre_router(m).clusters = 0; }}},
      {"RTRC: centres with n_features", {centre_routed_model(), [&](ModelData& m) { centre_router(m).cols = 2; }}},
      {"RTRC: clusters x n_features", {centre_routed_model(), [&](ModelData& m) { centre_router(m).centres.pop_back(); }}},
      {"RTRC: clusters x n_features", {centre_routed_model(), [&](ModelData& m) { centre_router(m).clusters = Index{1} << 62; }}},
      {"RTRC: a centre is not finite", {centre_routed_model(), [&](ModelData& m) { centre_router(m).centres[0] = nan; }}},
      {"RTRK: gamma", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).kernel.gamma = nan; }}},
      {"RTRK: the clustering's kernel",
       {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).kernel.type = KernelType::poly; }}},
      {"RTRK: sample points with n_features",
       {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).sample = sparse_model().points; }}},
      {"RTRK: rows x cols", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).sample.rows = 6; }}},
      {"RTRK: the clusters do not span", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).first[4] = 4; }}},
      {"RTRK: the clusters do not span", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).first[0] = 1; }}},
      {"RTRK: the clusters do not span", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).first.clear(); }}},
      {"RTRK: the sample of a cluster", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).first[1] = 100; }}},
      {"RTRK: the sample of a cluster", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).first[1] = -1; }}},
      {"RTRK: one constant", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).constant.push_back(0); }}},
      {"RTRK: a constant", {kernel_routed_model(), [&](ModelData& m) { kernel_router(m).constant[0] = nan; }}},
      {"RTRK: a sample row", {precomputed_model(), [&](ModelData& m) { kernel_router(m).sample.values64[0] = 12; }}},
      {"RTRK: a sample row", {precomputed_model(), [&](ModelData& m) { kernel_router(m).sample.values64[0] = -1; }}},
      {"RTRK: a sample row", {precomputed_model(), [&](ModelData& m) { kernel_router(m).sample.values64[0] = 0.5; }}},
      {"RTRK: one column of rows",
       {precomputed_model(), [&](ModelData& m) { kernel_router(m).sample.cols = kernel_router(m).sample.rows = 2; }}},
  };
  for (const auto& [its_expected, change] : cases) {
    const auto& expected = its_expected;  // lambdas may not capture bindings in C++17
    CAPTURE(expected);
    svm::ModelData m = change.first;
    REQUIRE_NOTHROW(bytes_of(m));
    change.second(m);
    std::string what;
    try {
      bytes_of(m);
    } catch (const ModelError& e) {
      what = e.what();
    }
    CAPTURE(what);
    CHECK(what.find("model: section " + expected) == 0);
  }
}
