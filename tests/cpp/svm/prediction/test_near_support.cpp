// Exact prediction that leaves out far support vectors: the same decisions as with all of them.
#include <cmath>

#include "doctest/doctest.h"
#include "svm/model/model_data.hpp"
#include "svm/prediction/sums.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

// Labels at random: nearly every point becomes a support vector.
Data noise(Index n, int classes, std::uint64_t seed) {
  base::Random random(seed);
  Data data = training::checkerboard(n, seed);
  for (double& y : data.y) y = static_cast<double>(random.below(classes));
  return data;
}

}  // namespace

TEST_CASE("near support vectors: decisions of many queries at once are those of a few at a time") {
  const Data data = noise(5200, 3, 1), queries = noise(2500, 2, 2);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    TrainParams params = training::rbf(50.0, 1.0);
    params.precision = precision;
    const Model model = training::train(data, params);
    base::ThreadPool pool(2);
    CHECK(svm::near_support<float>(*model.data(), queries.n, pool) != nullptr);
    CHECK(svm::near_support<float>(*model.data(), 100, pool) == nullptr);  // would not pay

    const auto whole = training::decisions(model, queries.view());
    const Index columns = decision_columns(model), half = queries.n / 2;
    std::vector<double> parts;
    for (const Index first : {Index{0}, half}) {
      const auto part = training::decisions(model, dense(queries.x.data() + first * queries.d, half, queries.d));
      parts.insert(parts.end(), part.begin(), part.end());
    }
    CHECK(whole.size() == static_cast<std::size_t>(queries.n * columns));
    double worst = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) worst = std::max(worst, std::abs(whole[i] - parts[i]));
    CHECK(worst < (precision == Precision::single_ ? 1e-5 : 1e-10));
  }
}

// A one-class model with nu = 1 has every coefficient 1, so what a decision value misses adds up. Half of the points lie where
// one of them is worth 20 times what may be left out of a pair.
TEST_CASE("near support vectors: many values that are small but not negligible all count") {
  constexpr Index n = 4400;
  base::Random random(5);
  Data data;
  data.n = n;
  data.d = 2;
  for (Index i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k) data.x.push_back((i % 2 == 0 ? 0.0 : 500.0) + 1e-3 * random.uniform());
  }
  TrainParams params = training::rbf(1.0, 1.0);
  params.formulation = Formulation::one_class;
  params.nu = 1.0;
  const Model model = training::train(data, params);
  REQUIRE(model.report().n_support == n);
  const double away = std::sqrt(-std::log(20e-6 / static_cast<double>(n)));
  Data queries;
  queries.n = 2100;
  queries.d = 2;
  for (Index i = 0; i < queries.n; ++i) {
    const double angle = 6.28 * random.uniform();
    queries.x.push_back(away * std::cos(angle));
    queries.x.push_back(away * std::sin(angle));
  }
  base::ThreadPool pool(1);
  REQUIRE(svm::near_support<float>(*model.data(), queries.n, pool) != nullptr);
  const auto many = training::decisions(model, queries.view());
  const auto few = training::decisions(model, dense(queries.x.data(), 500, queries.d));
  double worst = 0;
  for (std::size_t i = 0; i < few.size(); ++i) worst = std::max(worst, std::abs(many[i] - few[i]));
  CHECK(worst < 1.1e-6);
}

TEST_CASE("near support vectors: a kernel that reaches everywhere leaves none out") {
  const Data data = noise(5200, 2, 3);
  TrainParams params = training::rbf(0.1, 1.0);
  params.max_iter = 20000;
  const Model model = training::train(data, params);
  base::ThreadPool pool(1);
  CHECK(svm::near_support<float>(*model.data(), 5000, pool) == nullptr);
}
