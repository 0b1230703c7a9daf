// Very many classes: what would fill the memory is counted and refused, what fits is exact.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/predict.hpp"
#include "dcsvm/train.hpp"
#include "doctest/doctest.h"
#include "svm/model/model_data.hpp"

using namespace dcsvm;

namespace {

/// What fn throws as CapError; empty: nothing.
template <class Fn>
std::string cap_error(Fn&& fn) {
  try {
    fn();
  } catch (const CapError& e) {
    return e.what();
  }
  return "";
}

/// k classes of one support vector each, with random coefficients, one number as the only feature.
svm::ModelData random_model(Index k) {
  base::Random random(5);
  svm::ModelData m;
  m.kernel.gamma = 0.01;
  m.precision = Precision::double_;
  m.n_features = 1;
  m.n_train = k;
  m.points.rows = k;
  m.points.cols = 1;
  svm::Expansion e;
  for (Index c = 0; c < k; ++c) {
    m.classes.push_back(static_cast<double>(c));
    m.points.values64.push_back(100.0 * random.uniform());
    m.support.push_back(c);
    m.sv_class.push_back(static_cast<int>(c));
    e.classes.push_back(static_cast<int>(c));
    e.n_sv.push_back(1);
  }
  for (Index i = 0; i < (k - 1) * k; ++i) m.sv_coef.push_back(random.uniform() - 0.5);
  for (Index p = 0; p < k * (k - 1) / 2; ++p) e.rho.push_back(random.uniform() - 0.5);
  m.expansions.push_back(std::move(e));
  return m;
}

}  // namespace

TEST_CASE("many classes: numbers taken for classes are refused before anything is allocated") {
  constexpr Index n = 20000;
  std::vector<double> x(n), y(n);
  for (Index i = 0; i < n; ++i) x[i] = y[i] = static_cast<double>(i);
  TrainParams params;
  const std::string what = cap_error([&] { train(dense(x.data(), n, 1), y.data(), params); });
  CHECK(what.find("cache_size: the coefficients of 20000 classes, one against one, need ") == 0);
  CHECK(what.find("train a regression") != std::string::npos);

  LowRankParams low_rank;
  low_rank.kernel.gamma = 1.0;
  low_rank.n_landmarks = 3;
  low_rank.multi_class = MultiClass::one_vs_one;
  constexpr Index few = 2000;
  const std::string pairs = cap_error([&] { train_low_rank(dense(x.data(), few, 1), y.data(), low_rank); });
  CHECK(pairs.find("cache_size: the weights and dual variables of 1999000 problems need ") == 0);
}

TEST_CASE("many classes: decisions are those of the formula, whatever the number of queries at a time") {
  constexpr Index k = 1200, n = 25, n_pairs = k * (k - 1) / 2;
  const svm::ModelData data = random_model(k);
  const Model model(std::make_shared<const svm::ModelData>(data));
  std::vector<double> x, all(n * n_pairs), labels(n);
  for (Index r = 0; r < n; ++r) x.push_back(4.0 * static_cast<double>(r));
  decision_function(model, dense(x.data(), n, 1), all.data());
  predict(model, dense(x.data(), n, 1), labels.data());
  base::Random random(6);
  for (int t = 0; t < 200; ++t) {
    const Index r = random.below(n), i = random.below(k - 1), j = i + 1 + random.below(k - 1 - i);
    const auto kernel = [&](Index s) {
      return std::exp(-0.01 * (x[r] - data.points.values64[s]) * (x[r] - data.points.values64[s]));
    };
    const double expected = data.sv_coef[data::coef_row(i, j) * k + i] * kernel(i) +
                            data.sv_coef[data::coef_row(j, i) * k + j] * kernel(j) -
                            data.expansions[0].rho[data::pair_index(i, j, k)];
    CHECK(all[r * n_pairs + data::pair_index(i, j, k)] == doctest::Approx(expected).epsilon(1e-9));
  }
  std::vector<int> votes;
  for (Index r = 0; r < n; ++r)
    CHECK(labels[r] == data.classes[data::vote(all.data() + r * n_pairs, k, votes, data::ZeroVotes::later)]);
}
