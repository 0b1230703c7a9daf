// Prediction of one expansion against the twin's double loops.
#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"
#include "svm/model/build_model.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using svm::ModelData;
using twin::decisions;
using twin::Fake;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

Model make(const Fake& fake, const DataView& x, const KernelParams& kernel, Precision precision) {
  ModelData data = svm::build_expansion(fake.solution(x, kernel.type == KernelType::precomputed), fake.rho);
  data.kernel = kernel;
  data.precision = precision;
  return Model(std::make_shared<const ModelData>(std::move(data)));
}

/// dec[row][pair] = sum_i y_i alpha_i K(x_i, query) - rho.
Matrix expected_decisions(const Fake& fake, const Matrix& train, const Matrix& queries, const KernelParams& kernel) {
  Matrix dec;
  for (const auto& q : queries) {
    std::vector<double> row;
    std::size_t p = 0;
    for (Index i = 0; i < fake.k; ++i) {
      for (Index j = i + 1; j < fake.k; ++j, ++p) {
        double sum = -fake.rho[p];
        for (Index r = 0; r < fake.n; ++r) {
          if (fake.alpha[p][r] != 0) sum += fake.y(i, r) * fake.alpha[p][r] * twin::kernel(kernel, train[r], q);
        }
        row.push_back(sum);
      }
    }
    dec.push_back(row);
  }
  return dec;
}

std::vector<double> labels(const Model& model, const DataView& x) {
  std::vector<double> out(rows_of(x), -77.0);
  predict(model, x, out.data());
  return out;
}

/// Both functions against the twin; labels where no decision is within rounding of zero.
void check(const Model& model, const DataView& x, const Matrix& expected, double tol) {
  const std::vector<double> got = decisions(model, x), label = labels(model, x);
  const std::size_t pairs = expected.front().size();
  double worst = 0;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    bool clear = true;
    for (std::size_t p = 0; p < pairs; ++p) {
      worst = std::max(worst, std::abs(got[r * pairs + p] - expected[r][p]));
      clear = clear && std::abs(expected[r][p]) > tol;
    }
    if (clear) CHECK(label[r] == twin::vote(expected[r], model.classes()));
  }
  CHECK(worst < tol);
}

KernelParams kernel_of(KernelType type) {
  KernelParams kernel;
  kernel.type = type;
  kernel.gamma = 0.3;
  kernel.coef0 = type == KernelType::rbf ? 0.0 : 0.2;
  return kernel;
}

constexpr KernelType kComputed[] = {KernelType::linear, KernelType::poly, KernelType::rbf, KernelType::sigmoid};

}  // namespace

TEST_CASE("predict: every kernel, storage and precision agrees with double loops") {
  const Index n = 150, d = 9, n_queries = 75;
  const Matrix train = twin::random_matrix(n, d, 1, 0.85), queries = twin::random_matrix(n_queries, d, 2, 0.85);
  for (const Index k : {2, 4}) {
    const Fake fake(n, k, 7);
    for (const KernelType type : kComputed) {
      const KernelParams kernel = kernel_of(type);
      const Matrix expected = expected_decisions(fake, train, queries, kernel);
      for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
        for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
          const Stored x(train, d, layout, scalar), q(queries, d, layout, scalar, true);
          check(make(fake, x.view(), kernel, Precision::single_), q.view(), expected, 1e-4);
          check(make(fake, x.view(), kernel, Precision::double_), q.view(), expected, 1e-11);
        }
      }
    }
  }
}

TEST_CASE("predict: queries need not be stored as the training data was") {
  const Index n = 130, d = 40;
  const Matrix train = twin::random_matrix(n, d, 4, 0.9), queries = twin::random_matrix(67, d, 5, 0.9);
  const Fake fake(n, 3, 9);
  const KernelParams kernel = kernel_of(KernelType::rbf);
  const Matrix expected = expected_decisions(fake, train, queries, kernel);
  for (const Layout from : {Layout::c, Layout::csr}) {
    for (const Layout to : {Layout::c, Layout::fortran, Layout::csr}) {
      const Stored x(train, d, from, ScalarType::float32), q(queries, d, to, ScalarType::float64);
      check(make(fake, x.view(), kernel, Precision::double_), q.view(), expected, 1e-11);
    }
  }
}

TEST_CASE("predict: more support vectors than a tile, data far from the origin, one query") {
  const Index n = 5300, d = 5;
  const Matrix train = twin::random_matrix(n, d, 6, 0.0, 300.0), queries = twin::random_matrix(9, d, 7, 0.0, 300.0);
  const Fake fake(n, 3, 10);
  const Stored x(train, d, Layout::c, ScalarType::float64);
  const KernelParams kernel = kernel_of(KernelType::rbf);
  const Matrix expected = expected_decisions(fake, train, queries, kernel);
  const Stored q(queries, d, Layout::c, ScalarType::float64);
  check(make(fake, x.view(), kernel, Precision::double_), q.view(), expected, 1e-8);
  check(make(fake, x.view(), kernel, Precision::single_), q.view(), expected, 1e-3);
  const Stored one({queries[4]}, d, Layout::c, ScalarType::float32);
  check(make(fake, x.view(), kernel, Precision::double_), one.view(), {expected[4]}, 1e-8);
}

TEST_CASE("predict: points that a prediction has packed serve the next one, a changed copy packs its own") {
  const Index n = 120, d = 6;
  const Matrix train = twin::random_matrix(n, d, 21), queries = twin::random_matrix(40, d, 22);
  const Fake fake(n, 3, 23);
  const Stored x(train, d, Layout::c, ScalarType::float64), q(queries, d, Layout::c, ScalarType::float64);
  const Model model = make(fake, x.view(), kernel_of(KernelType::rbf), Precision::double_);
  const std::vector<double> first = decisions(model, q.view());
  std::vector<std::vector<double>> again(4);
  std::vector<std::thread> threads;
  threads.reserve(again.size());
  for (auto& mine : again) threads.emplace_back([&] { mine = decisions(model, q.view()); });
  for (auto& thread : threads) thread.join();
  for (const auto& mine : again) CHECK(mine == first);
  std::vector<double> half = model.sv_coef(), rho = model.rho();
  for (auto* values : {&half, &rho})
    std::transform(values->begin(), values->end(), values->begin(), [](double v) { return v / 2; });
  const std::vector<double> smaller = decisions(model.with_coefficients(half, rho), q.view());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(smaller[i] == first[i] / 2);
}

TEST_CASE("predict: one sum for each query, whatever queries are beside it; large coefficients keep four digits") {
  const Index n = 1100, n_queries = 333;
  for (const Index d : {1, 22, 90}) {
    const Matrix train = twin::random_matrix(n, d, 31), queries = twin::random_matrix(n_queries, d, 32);
    Fake fake(n, 2, 33);
    for (double& c : fake.coef) c *= 40;
    for (auto& pair : fake.alpha) {
      for (double& a : pair) a *= 40;
    }
    KernelParams kernel = kernel_of(KernelType::rbf);
    kernel.gamma = 2.0 / static_cast<double>(d);
    const Stored x(train, d, Layout::c, ScalarType::float64), q(queries, d, Layout::c, ScalarType::float64);
    const Matrix expected = expected_decisions(fake, train, queries, kernel);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const Model model = make(fake, x.view(), kernel, precision);
      check(model, q.view(), expected, precision == Precision::single_ ? 1e-3 : 1e-9);
      const auto whole = decisions(model, q.view(), 2);
      for (const Index first : {1, 50, 200}) {  // at least 64 queries
        const Stored part(Matrix(queries.begin() + first, queries.begin() + first + 101), d, Layout::c, ScalarType::float64);
        const auto some = decisions(model, part.view(), 1);
        CHECK(std::equal(some.begin(), some.end(), whole.begin() + first));
      }
      const Stored few(Matrix(queries.begin(), queries.begin() + 9), d, Layout::c, ScalarType::float64);
      const auto stored = decisions(model, few.view());  // another order of summing
      for (std::size_t i = 0; i < stored.size(); ++i) CHECK(std::abs(stored[i] - whole[i]) < 1e-3);
    }
  }
}

TEST_CASE("predict: a precomputed kernel takes K(test, train), dense or sparse") {
  const Index n = 80, d = 6;
  const Matrix train = twin::random_matrix(n, d, 12), queries = twin::random_matrix(31, d, 13);
  const KernelParams rbf = kernel_of(KernelType::rbf);
  Matrix gram, cross;
  for (const auto& a : train) {
    gram.emplace_back();
    for (const auto& b : train) gram.back().push_back(twin::kernel(rbf, a, b));
  }
  for (const auto& a : queries) {
    cross.emplace_back();
    for (const auto& b : train) {
      cross.back().push_back(twin::kernel(rbf, a, b));
    }
  }
  const Fake fake(n, 3, 14);
  const Stored given(gram, n, Layout::c, ScalarType::float64);
  const Model model = make(fake, given.view(), kernel_of(KernelType::precomputed), Precision::double_);
  const Matrix expected = expected_decisions(fake, train, queries, rbf);
  for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
    const Stored q(cross, n, layout, ScalarType::float64);
    check(model, q.view(), expected, 1e-12);
  }
  const Stored narrow(cross, n - 1, Layout::c, ScalarType::float64);
  CHECK_THROWS_WITH_AS(decisions(model, narrow.view()), doctest::Contains("79"), DataError);
}

TEST_CASE("predict: ties go to the lower class and zero votes for the second of a pair") {
  // One support vector at the origin under a linear kernel: every decision is -rho.
  const Index k = 3;
  const Stored x({{0.0}, {0.0}, {0.0}}, 1, Layout::c, ScalarType::float64), q({{1.0}}, 1, Layout::c, ScalarType::float64);
  const auto label_of = [&](std::vector<double> rho) {
    Fake fake(3, k, 1);
    fake.rho = std::move(rho);
    return labels(make(fake, x.view(), kernel_of(KernelType::linear), Precision::double_), q.view())[0];
  };
  const Fake names(3, k, 1);
  CHECK(label_of({-1, 1, -1}) == names.classes[0]);  // 0 beats 1, 2 beats 0, 1 beats 2: one vote each
  CHECK(label_of({0, 0, 0}) == names.classes[2]);    // 1 over 0, 2 over 0, 2 over 1
  CHECK(label_of({0, -1, -1}) == names.classes[1]);
}

TEST_CASE("predict: a model without support vectors decides -rho") {
  const Index n = 12, d = 40;
  Fake fake(n, 3, 15);
  std::fill(fake.coef.begin(), fake.coef.end(), 0.0);
  for (auto& a : fake.alpha) std::fill(a.begin(), a.end(), 0.0);
  const Matrix train = twin::random_matrix(n, d, 15, 0.9);
  const Matrix expected = expected_decisions(fake, train, train, kernel_of(KernelType::rbf));
  for (const Layout layout : {Layout::c, Layout::csr}) {
    const Stored x(train, d, layout, ScalarType::float64);
    const Model model = make(fake, x.view(), kernel_of(KernelType::rbf), Precision::single_);
    CHECK(model.support().empty());
    CHECK(model.support_vectors().empty());
    check(model, x.view(), expected, 1e-15);
  }
}

TEST_CASE("predict: the number of threads changes nothing") {
  const Index n = 1500, d = 8, n_queries = 700;
  const Matrix train = twin::random_matrix(n, d, 16), queries = twin::random_matrix(n_queries, d, 17);
  const Stored x(train, d, Layout::c, ScalarType::float32), q(queries, d, Layout::c, ScalarType::float32);
  const Fake fake(n, 3, 18);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const Model model = make(fake, x.view(), kernel_of(KernelType::rbf), precision);
    const auto one = decisions(model, q.view(), 1);
    CHECK(one == decisions(model, q.view(), 2));
    CHECK(one == decisions(model, q.view(), 5));
  }
}

TEST_CASE("predict: bad queries are named") {
  const Index n = 30, d = 4;
  const Matrix train = twin::random_matrix(n, d, 19);
  const Stored x(train, d, Layout::c, ScalarType::float64);
  const Model model = make(Fake(n, 2, 20), x.view(), kernel_of(KernelType::rbf), Precision::single_);
  const Stored narrow(twin::random_matrix(3, 3, 1), 3, Layout::c, ScalarType::float64);
  CHECK_THROWS_WITH_AS(labels(model, narrow.view()), "X has 3 features, but the model was trained with 4", DataError);
  Matrix bad = twin::random_matrix(5, d, 21);
  bad[3][2] = std::numeric_limits<double>::quiet_NaN();
  const Stored nan(bad, d, Layout::c, ScalarType::float64);
  CHECK_THROWS_WITH_AS(labels(model, nan.view()), doctest::Contains("row 3"), DataError);
  CHECK_THROWS_AS(labels(Model(), x.view()), ParameterError);
  PredictOptions options;
  options.n_threads = -1;
  std::vector<double> out(n);
  CHECK_THROWS_AS(predict(model, x.view(), out.data(), options), ParameterError);
  predict(model, dense(static_cast<const double*>(nullptr), 0, d), nullptr);  // no queries: nothing to do
}

TEST_CASE("predict: a caller can interrupt") {
  const Index n = 3000, d = 30;
  const Stored x(twin::random_matrix(n, d, 22), d, Layout::c, ScalarType::float32);
  const Stored q(twin::random_matrix(200000, d, 23), d, Layout::c, ScalarType::float32);
  const Model model = make(Fake(n, 6, 24), x.view(), kernel_of(KernelType::rbf), Precision::double_);
  std::vector<double> out(200000);
  PredictOptions options;
  options.n_threads = 2;
  int asked = 0;
  options.interrupted = [&] { return ++asked > 0; };
  CHECK_THROWS_AS(predict(model, q.view(), out.data(), options), Interrupted);
  CHECK(asked == 1);
}
