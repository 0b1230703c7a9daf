#include "doctest/doctest.h"

#include <memory>
#include <set>

#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/model.hpp"
#include "svm/model/build_model.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using svm::ModelData;
using twin::Fake;
using twin::Layout;
using twin::Stored;

namespace {

Model wrap(ModelData data) { return Model(std::make_shared<const ModelData>(std::move(data))); }

}  // namespace

TEST_CASE("models: pairs are numbered as LIBSVM does") {
  for (Index k = 2; k < 7; ++k) {
    Index next = 0;
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j) CHECK(data::pair_index(i, j, k) == next++);
    }
    CHECK(next == k * (k - 1) / 2);
  }
  CHECK(data::coef_row(0, 2) == 1);
  CHECK(data::coef_row(2, 0) == 0);
}

TEST_CASE("models: an empty model says so, whatever it is asked") {
  const Model empty;
  CHECK(empty.empty());
  CHECK_THROWS_WITH_AS(empty.classes(), doctest::Contains("model is empty"), ParameterError);
  CHECK_THROWS_AS(empty.n_features(), ParameterError);
  CHECK_THROWS_AS(empty.alpha(), ParameterError);
  CHECK_THROWS_AS(empty.rho(), ParameterError);
  CHECK_THROWS_AS(empty.support_vectors(), ParameterError);
  CHECK_THROWS_AS(empty.with_prediction(LevelPrediction::naive), ParameterError);
}

TEST_CASE("models: an expansion keeps the support vectors, grouped by class, and gives back the alphas") {
  for (const Index k : {2, 3, 5}) {
    for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
      for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
        const Index n = 60, d = 7;
        const auto x = twin::random_matrix(n, d, 3, 0.5);
        const Stored stored(x, d, layout, scalar);
        const Fake fake(n, k, 11);
        const Model model = wrap(svm::build_expansion(fake.solution(stored.view()), fake.rho));

        CHECK(model.n_train() == n);
        CHECK(model.n_features() == d);
        CHECK_FALSE(model.clustered());
        CHECK(model.rho() == fake.rho);
        CHECK(model.report().n_support == static_cast<Index>(model.support().size()));

        std::set<Index> expected;
        for (const auto& a : fake.alpha) {
          for (Index i = 0; i < n; ++i) {
            if (a[i] != 0) expected.insert(i);
          }
        }
        CHECK(std::set<Index>(model.support().begin(), model.support().end()) == expected);
        CHECK(model.support().size() == expected.size());
        Index total = 0;
        for (const Index c : model.n_support_per_class()) total += c;
        CHECK(total == static_cast<Index>(expected.size()));
        const auto& support = model.support();
        for (std::size_t s = 1; s < support.size(); ++s) {
          const int before = fake.class_of[support[s - 1]], here = fake.class_of[support[s]];
          CHECK((before < here || (before == here && support[s - 1] < support[s])));
        }

        const std::vector<double> alpha = model.alpha();
        REQUIRE(alpha.size() == static_cast<std::size_t>(fake.pairs() * n));
        for (Index p = 0; p < fake.pairs(); ++p) {
          for (Index i = 0; i < n; ++i) CHECK(alpha[p * n + i] == fake.alpha[p][i]);
        }
        const std::vector<double> vectors = model.support_vectors();
        REQUIRE(vectors.size() == support.size() * static_cast<std::size_t>(d));
        for (std::size_t s = 0; s < support.size(); ++s) {
          for (Index j = 0; j < d; ++j)
            CHECK(vectors[s * static_cast<std::size_t>(d) + static_cast<std::size_t>(j)] == x[support[s]][j]);
        }
      }
    }
  }
}

TEST_CASE("models: rows that took no part and precomputed kernels") {
  const Index n = 20;
  Fake fake(n, 2, 5);
  for (const Index out : {4, 9}) {
    fake.class_of[out] = -1;
    fake.coef[out] = 0;
  }
  const Stored gram(twin::random_matrix(n, n, 8), n, Layout::c, ScalarType::float64);
  const ModelData data = svm::build_expansion(fake.solution(gram.view(), true), fake.rho);
  CHECK(data.points.rows == 0);
  CHECK(wrap(data).support_vectors().empty());
  for (const Index i : data.support) CHECK((i != 4 && i != 9));
  CHECK_THROWS_AS(wrap(data).with_prediction(LevelPrediction::naive), DataError);
}

TEST_CASE("models: a clustered model groups support vectors by cluster, then class") {
  // Cluster 0: classes 0, 1, 2. Cluster 1: classes 0 and 2. Cluster 2: class 1 alone. Cluster 3: empty.
  const Index n = 90, d = 4, k = 3;
  Fake fake(n, k, 21);
  const std::vector<std::vector<int>> classes{{0, 1, 2}, {0, 2}, {1}, {}};
  const std::vector<std::vector<double>> rho{{0.1, 0.2, 0.3}, {0.4}, {}, {}};
  std::vector<int> cluster_of;
  for (Index i = 0; i < n; ++i) cluster_of.push_back(i % 2 == 0 ? 0 : (fake.class_of[i] == 1 ? 2 : 1));
  cluster_of[5] = -1;
  const Stored x(twin::random_matrix(n, d, 2), d, Layout::c, ScalarType::float32);
  svm::CentreRouter router;
  router.clusters = 4;
  router.cols = d;
  router.centres.assign(4 * d, 0.0);
  const Model model = wrap(svm::build_clustered(fake.solution(x.view()), {cluster_of, classes, rho, router}));
  const ModelData& data = *model.data();

  CHECK(model.clustered());
  CHECK(model.rho() == std::vector<double>{0.1, 0.2, 0.3, 0, 0.4, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(data.expansions.size() == 4);
  REQUIRE(data.expansions[2].n_sv.size() == 1);
  for (Index sv = data.expansions[2].first_sv; sv < data.expansions[2].first_sv + data.expansions[2].n_sv[0]; ++sv) {
    CHECK(cluster_of[data.support[sv]] == 2);
  }
  CHECK(data.expansions[3].classes.empty());
  CHECK(data.expansions[1].first_sv == data.expansions[0].n_sv[0] + data.expansions[0].n_sv[1] + data.expansions[0].n_sv[2]);
  Index sizes = 0;
  for (const Index s : data.cluster_sizes) sizes += s;
  CHECK(sizes == n - 1);
  CHECK(data.cluster_sizes[3] == 0);

  const std::vector<double> alpha = model.alpha();
  Index pair = 0;
  for (int i = 0; i < k; ++i) {
    for (int j = i + 1; j < k; ++j, ++pair) {
      for (Index r = 0; r < n; ++r) {
        // A problem of one class, without bias, has coefficients too.
        CHECK(alpha[pair * n + r] == (cluster_of[r] < 0 ? 0.0 : fake.alpha[pair][r]));
      }
    }
  }
  const Model other = model.with_prediction(LevelPrediction::naive);
  CHECK(other.prediction() == LevelPrediction::naive);
  CHECK(model.prediction() == LevelPrediction::early);
}

TEST_CASE("models: coefficients can be replaced, in the shapes that they are read in") {
  const Index n = 60, d = 3, k = 3;
  Fake fake(n, k, 4);
  const Stored x(twin::random_matrix(n, d, 3), d, Layout::c, ScalarType::float32);
  svm::CentreRouter router;
  router.clusters = 2;
  router.cols = d;
  router.centres.assign(2 * d, 0.0);
  std::vector<int> cluster_of(n);
  for (Index i = 0; i < n; ++i) cluster_of[i] = fake.class_of[i] == 1 ? 0 : 1;
  const Model plain = wrap(svm::build_expansion(fake.solution(x.view()), fake.rho));
  const Model clustered = wrap(svm::build_clustered(fake.solution(x.view()), {cluster_of, {{1}, {0, 2}}, {{}, {0.5}}, router}));
  for (const Model& model : {plain, clustered}) {
    auto coef = model.sv_coef();
    auto rho = model.rho();
    const auto before = coef;
    coef[1] = 17;
    rho[plain.rho().size() == rho.size() ? 2 : 4] = -3;  // clustered: cluster 1, pair (0, 2)
    const Model other = model.with_coefficients(coef, rho);
    CHECK(other.sv_coef() == coef);
    CHECK(other.rho() == rho);
    CHECK(other.support() == model.support());
    CHECK(model.sv_coef() == before);
    coef.push_back(0);
    CHECK_THROWS_AS(model.with_coefficients(coef, rho), DataError);
    coef.pop_back();
    CHECK_THROWS_AS(model.with_coefficients(coef, {}), DataError);
    coef[0] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(model.with_coefficients(coef, rho), DataError);
  }
}

TEST_CASE("models: support vectors are seen as they are stored") {
  const Index n = 20, d = 3;
  Fake fake(n, 2, 4);
  const auto values = twin::random_matrix(n, d, 3, 0.5);
  for (const Layout layout : {Layout::c, Layout::csr}) {
    for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
      const Stored x(values, d, layout, scalar);
      const Model model = wrap(svm::build_expansion(fake.solution(x.view()), fake.rho));
      const DataView view = model.support_view();
      CHECK(rows_of(view) == static_cast<Index>(model.support().size()));
      CHECK(cols_of(view) == d);
      CHECK(std::holds_alternative<CsrView>(view) == (layout == Layout::csr));
      CHECK(std::visit([](const auto& v) { return v.scalar; }, view) == scalar);
    }
  }
}

TEST_CASE("models: stop reasons have names") {
  CHECK(std::string(to_string(StopReason::converged)) == "converged");
  CHECK(std::string(to_string(StopReason::max_iter)) == "max_iter");
  CHECK(std::string(to_string(StopReason::cancelled)) == "cancelled");
  CHECK(std::string(to_string(StopReason::stagnated)) == "stagnated");
  CHECK(std::string(to_string(StopReason::support_limit)) == "support_limit");
  CHECK(std::string(to_string(StopReason::one_pass)) == "one_pass");
}
