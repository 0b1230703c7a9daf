// Prediction of clustered models against the formulas of svm/prediction/decide.hpp, written out densely.
#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"
#include "dcsvm/train.hpp"
#include "svm/model/build_model.hpp"
#include "svm/model/twin.hpp"
#include "svm/prediction/clustered_case.hpp"
#include "svm/prediction/route.hpp"

using namespace dcsvm;
using svm::ModelData;
using twin::Case;
using twin::decisions;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

int nearest_in_input_space(const Case& t, const std::vector<double>& q) {
  int best = -1;
  double least = 0;
  for (const int c : {0, 2, 3}) {
    double d2 = 0;
    for (Index j = 0; j < t.d; ++j) d2 += std::pow(q[j] - t.centres[c][j], 2);
    if (best < 0 || d2 < least) best = c, least = d2;
  }
  return best;
}

int nearest_in_kernel_space(const Case& t, const svm::KernelRouter& router, const std::vector<double>& q) {
  int best = -1;
  double least = 0;
  for (const int c : {0, 2, 3}) {
    double sum = 0, count = 0;
    for (Index i = 0; i < t.n && count < 20; ++i) {
      if (t.cluster_of[i] == c) sum += twin::kernel(t.kernel, t.train[i], q), ++count;
    }
    const double d2 = twin::kernel(t.kernel, q, q) - 2 * sum / count + router.constant[c];
    if (best < 0 || d2 < least) best = c, least = d2;
  }
  return best;
}

std::vector<double> early(const Case& t, int c, const std::vector<double>& q) {
  std::vector<double> dec;
  for (int a = 0; a < t.k; ++a) {
    for (int b = a + 1; b < t.k; ++b) {
      const bool both = t.has(c, a) && t.has(c, b);
      dec.push_back(both ? t.sum(c, a, b, q) - t.rho_of(c, a, b) : (t.has(c, a) ? 1.0 : t.has(c, b) ? -1.0 : 0.0));
    }
  }
  return dec;
}

/// rho of cluster c for a pair; a pair of which c has one class is decided +1 or -1 by it.
double bias(const Case& t, int c, int a, int b) {
  if (!t.fit_intercept) return 0.0;
  if (t.has(c, a) && t.has(c, b)) return t.rho_of(c, a, b);
  return t.has(c, a) ? -1.0 : t.has(c, b) ? 1.0 : 0.0;
}

std::vector<double> naive(const Case& t, int nearest, const std::vector<double>& q) {
  std::vector<double> dec;
  for (int a = 0; a < t.k; ++a) {
    for (int b = a + 1; b < t.k; ++b) {
      double sum = 0;
      for (int c = 0; c < 4; ++c) sum += t.sum(c, a, b, q);
      dec.push_back(sum - bias(t, nearest, a, b));
    }
  }
  return dec;
}

void check_clustered(const Model& model, const DataView& x, const Matrix& expected, double tol) {
  const std::vector<double> got = decisions(model, x);
  std::vector<double> label(expected.size());
  predict(model, x, label.data());
  double worst = 0;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    bool clear = true;
    for (std::size_t p = 0; p < expected[r].size(); ++p) {
      const double error = std::abs(got[r * expected[r].size() + p] - expected[r][p]);
      worst = std::max(worst, error / std::max(1.0, std::abs(expected[r][p])));
      clear = clear && (std::abs(expected[r][p]) > tol || expected[r][p] == 0);
    }
    if (clear) CHECK(label[r] == twin::vote(expected[r], model.classes()));
  }
  CHECK(worst < tol);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const KernelType type : {KernelType::rbf, KernelType::poly, KernelType::linear}) {
    for (const bool with_bias : {true, false}) {
      for (const Index k : {2, 4}) all.emplace_back(k, type, with_bias);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("predict early: routes to the nearest centre and asks that cluster alone") {
  for (const Case& t : cases()) {
    for (const Layout layout : {Layout::c, Layout::csr}) {
      const Stored x(t.train, t.d, layout, ScalarType::float64), q(t.queries, t.d, layout, ScalarType::float64);
      const svm::KernelRouter router = t.kernel_router(x.view());
      Matrix by_kernel, by_centre;
      std::set<int> seen;
      for (const auto& row : t.queries) {
        by_kernel.push_back(early(t, nearest_in_kernel_space(t, router, row), row));
        by_centre.push_back(early(t, nearest_in_input_space(t, row), row));
        seen.insert(nearest_in_kernel_space(t, router, row));
      }
      if (t.kernel.type == KernelType::rbf) CHECK(seen.size() == 3);
      check_clustered(t.make(x.view(), router, LevelPrediction::early, Precision::double_), q.view(), by_kernel, 1e-10);
      check_clustered(t.make(x.view(), router, LevelPrediction::early, Precision::single_), q.view(), by_kernel, 2e-4);
      check_clustered(t.make(x.view(), t.centre_router(), LevelPrediction::early, Precision::double_), q.view(), by_centre,
                      1e-10);
    }
  }
}

TEST_CASE("predict early: the label is a class of the query's cluster") {
  const Case t(4, KernelType::rbf);
  const Stored x(t.train, t.d, Layout::c, ScalarType::float64), q(t.queries, t.d, Layout::c, ScalarType::float64);
  const Model model = t.make(x.view(), t.centre_router(), LevelPrediction::early, Precision::single_);
  std::vector<double> label(t.queries.size());
  predict(model, q.view(), label.data());
  for (std::size_t r = 0; r < label.size(); ++r) {
    const auto position = std::find(t.fake.classes.begin(), t.fake.classes.end(), label[r]) - t.fake.classes.begin();
    CHECK(t.has(nearest_in_input_space(t, t.queries[r]), static_cast<int>(position)));
  }
}

TEST_CASE("predict early: equal centres, the lower cluster answers; a model without clusters is refused") {
  const Case t(2, KernelType::rbf);
  const Stored x(t.train, t.d, Layout::c, ScalarType::float64), q(t.queries, t.d, Layout::c, ScalarType::float64);
  svm::CentreRouter router = t.centre_router();
  router.centres.assign(router.centres.size(), 0.7);
  const Model model = t.make(x.view(), router, LevelPrediction::early, Precision::single_);
  base::ThreadPool pool(2);
  for (const int c : svm::route(*model.data(), q.view(), pool)) CHECK(c == 0);

  ModelData hollow = *model.data();
  for (auto& e : hollow.expansions) e.classes.clear(), e.n_sv.clear(), e.rho.clear();
  CHECK_THROWS_AS(decisions(Model(std::make_shared<const ModelData>(hollow)), q.view()), ModelError);
}

TEST_CASE("predict clustered: a query whose distances overflow is refused by its row, whichever way the model predicts") {
  const Case t(2, KernelType::rbf);
  Matrix queries = t.queries;
  queries[7].assign(3, 1e39);  // beyond float
  const Stored x(t.train, t.d, Layout::c, ScalarType::float64), q(queries, t.d, Layout::c, ScalarType::float64);
  for (const LevelPrediction how : {LevelPrediction::early, LevelPrediction::naive}) {
    const Model model = t.make(x.view(), t.kernel_router(x.view()), how, Precision::single_);
    CHECK_THROWS_WITH_AS(decisions(model, q.view()), doctest::Contains("at row 7"), DataError);
  }
  for (auto& e : queries) e.assign(3, 1e39);
  const Stored all(queries, t.d, Layout::c, ScalarType::float64);
  base::ThreadPool pool(1);
  const Model model = t.make(x.view(), t.kernel_router(x.view()), LevelPrediction::early, Precision::single_);
  CHECK_THROWS_AS(svm::route(*model.data(), all.view(), pool), DataError);
}

TEST_CASE("predict early: the router's kernel is its own") {
  const Case t(2, KernelType::rbf);
  Case wide = t;
  wide.kernel.gamma = 0.05;
  const Stored x(t.train, t.d, Layout::c, ScalarType::float64), q(t.queries, t.d, Layout::c, ScalarType::float64);
  const svm::KernelRouter router = wide.kernel_router(x.view());
  Matrix expected;
  for (const auto& row : t.queries) expected.push_back(early(t, nearest_in_kernel_space(wide, router, row), row));
  check_clustered(t.make(x.view(), router, LevelPrediction::early, Precision::double_), q.view(), expected, 1e-10);
}

TEST_CASE("predict early and naive: a precomputed kernel") {
  const Case t(2, KernelType::rbf);
  Matrix gram, cross;
  for (const auto& a : t.train) {
    gram.emplace_back();
    for (const auto& b : t.train) gram.back().push_back(twin::kernel(t.kernel, a, b));
  }
  Matrix by_kernel, summed;
  const Stored points(t.train, t.d, Layout::c, ScalarType::float64);
  const svm::KernelRouter computed = t.kernel_router(points.view());
  for (const auto& a : t.queries) {
    cross.emplace_back();
    for (const auto& b : t.train) cross.back().push_back(twin::kernel(t.kernel, a, b));
    by_kernel.push_back(early(t, nearest_in_kernel_space(t, computed, a), a));
    summed.push_back(naive(t, nearest_in_kernel_space(t, computed, a), a));
  }
  svm::KernelRouter router = computed;
  router.kernel.type = KernelType::precomputed;
  router.sample = {};
  for (const int c : {0, 2, 3}) {
    for (Index i = 0, count = 0; i < t.n && count < 20; ++i) {
      if (t.cluster_of[i] == c) router.sample.values64.push_back(static_cast<double>(i)), ++count;
    }
  }
  router.sample.rows = static_cast<Index>(router.sample.values64.size());
  router.sample.cols = 1;
  const Stored x(gram, t.n, Layout::c, ScalarType::float64), q(cross, t.n, Layout::c, ScalarType::float64);
  ModelData data = svm::build_clustered(t.fake.solution(x.view(), true), {t.cluster_of, t.classes, t.rho, router});
  data.kernel.type = KernelType::precomputed;
  data.precision = Precision::double_;
  const Model model(std::make_shared<const ModelData>(data));
  check_clustered(model, q.view(), by_kernel, 1e-11);
  check_clustered(model.with_prediction(LevelPrediction::naive), q.view(), summed, 1e-11);

  std::get<svm::KernelRouter>(data.router).sample.values64[2] = static_cast<double>(t.n);
  CHECK_THROWS_AS(decisions(Model(std::make_shared<const ModelData>(data)), q.view()), ModelError);
}

TEST_CASE("predict naive: all clusters' support vectors, the nearest cluster's rho") {
  for (const Case& t : cases()) {
    const Stored x(t.train, t.d, Layout::c, ScalarType::float64), q(t.queries, t.d, Layout::c, ScalarType::float64);
    Matrix expected;
    for (const auto& row : t.queries) expected.push_back(naive(t, nearest_in_input_space(t, row), row));
    check_clustered(t.make(x.view(), t.centre_router(), LevelPrediction::naive, Precision::double_), q.view(), expected, 1e-10);
    check_clustered(t.make(x.view(), t.centre_router(), LevelPrediction::naive, Precision::single_), q.view(), expected, 2e-4);
  }
}

TEST_CASE("predict clustered: the number of threads changes nothing") {
  const Case t(4, KernelType::rbf);
  Matrix many;
  for (Index copy = 0; copy < 8; ++copy) {
    for (auto row : t.queries) {
      row[0] += 0.01 * static_cast<double>(copy);
      many.push_back(row);
    }
  }
  const Stored x(t.train, t.d, Layout::c, ScalarType::float32), q(many, t.d, Layout::c, ScalarType::float32);
  for (const LevelPrediction how : {LevelPrediction::early, LevelPrediction::naive}) {
    const Model model = t.make(x.view(), t.kernel_router(x.view()), how, Precision::single_);
    const auto one = decisions(model, q.view(), 1);
    CHECK(one == decisions(model, q.view(), 2));
    CHECK(one == decisions(model, q.view(), 5));
  }
}

// A router that sent training points elsewhere would ask models that never saw their neighbourhood. Most points are duplicates,
// which no balancing can divide.
TEST_CASE("predict early: support vectors are routed to the cluster that they support") {
  base::Random random(8);
  Matrix x;
  std::vector<double> y;
  for (Index i = 0; i < 1500; ++i) {
    const double spread = i % 10 < 6 ? 0.0 : 1.0;
    x.push_back({spread * static_cast<double>(i % 10) + spread * random.uniform(), spread * random.uniform(), 0.5});
    y.push_back(random.uniform() < 0.3 ? 1.0 : -1.0);
  }
  const Stored stored(x, 3, Layout::c, ScalarType::float64);
  TrainParams params;
  params.gamma_rule = GammaRule::value;
  params.kernel.gamma = 2.0;
  params.n_levels = params.early_level.emplace(2);
  params.precision = Precision::double_;
  params.sample_size = 150;
  for (const bool balance : {true, false}) {
    params.balance_clusters = balance;
    const Model model = train(stored.view(), y.data(), params);
    const ModelData& data = *model.data();
    base::ThreadPool pool(1);
    const std::vector<int> cluster_of = svm::route(data, data.points.view(), pool);
    int wrong = 0;
    for (std::size_t e = 0; e < data.expansions.size(); ++e) {
      const svm::Expansion& expansion = data.expansions[e];
      const Index n = std::accumulate(expansion.n_sv.begin(), expansion.n_sv.end(), Index{0});
      for (Index s = 0; s < n; ++s) wrong += cluster_of[expansion.first_sv + s] == static_cast<int>(e) ? 0 : 1;
    }
    CHECK(cluster_of.size() > 500);
    CHECK(wrong == 0);
  }
}
