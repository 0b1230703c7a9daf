// Shapley values against the sum over all sets, gradients against differences; the rules that make them exact.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "svm/explanation/gauss_rules.hpp"
#include "svm/training.hpp"

using namespace dcsvm;

namespace {

Model explained_model(const training::Data& data, KernelType kernel, Formulation formulation = Formulation::c_svc) {
  TrainParams params;
  params.kernel.type = kernel;
  params.kernel.gamma = 0.3;
  params.kernel.coef0 = 0.5;
  params.precision = Precision::double_;
  params.formulation = formulation;
  return train(data.view(), data.y.data(), params);
}

std::vector<double> decisions_of(const Model& model, const std::vector<double>& x) {
  std::vector<double> out(static_cast<std::size_t>(decision_columns(model)));
  decision_function(model, dense(x.data(), 1, static_cast<Index>(x.size())), out.data());
  return out;
}

/// v(S) by decisions of points that agree with one support vector in the features outside of S, one model for each: slow.
std::vector<std::vector<double>> worths(const Model& model, const double* x) {
  const Index d = model.n_features(), k = std::max<Index>(2, static_cast<Index>(model.classes().size()));
  const auto points = model.support_vectors();
  const auto per_class = model.n_support_per_class();
  const auto n = static_cast<Index>(model.support().size());
  std::vector<int> own;
  for (std::size_t c = 0; c < per_class.size(); ++c) own.insert(own.end(), per_class[c], static_cast<int>(c));
  std::vector<std::vector<double>> v;
  for (Index set = 0; set < (Index{1} << d); ++set) {
    std::vector<double> of_pairs;
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j) {
        double sum = -model.rho()[of_pairs.size()];
        for (Index s = 0; s < n; ++s) {
          if (own[s] != i && own[s] != j) continue;
          double distance = 0;
          for (Index f = 0; f < d; ++f) {
            if ((set >> f & 1) != 0) distance += (x[f] - points[s * d + f]) * (x[f] - points[s * d + f]);
          }
          sum += model.sv_coef()[(own[s] == i ? j - 1 : i) * n + s] * std::exp(-model.kernel().gamma * distance);
        }
        of_pairs.push_back(sum);
      }
    }
    v.push_back(of_pairs);
  }
  return v;
}

}  // namespace

TEST_CASE("explain: Shapley's formula over all sets, in every kind of model") {
  const training::Data data = training::blobs(90, 7, 3, 1), two = training::blobs(90, 7, 2, 2);
  for (const Model& model : {explained_model(data, KernelType::rbf), explained_model(two, KernelType::rbf),
                             explained_model(two, KernelType::rbf, Formulation::epsilon_svr),
                             explained_model(two, KernelType::rbf, Formulation::one_class)}) {
    const Index d = 7, pairs = decision_columns(model), rows = 5;
    const DataView x = dense(data.x.data(), rows, d);
    std::vector<double> found(rows * d * pairs, 7.0);
    explain(model, x, found.data());
    std::vector<double> weight(d);  // |S|! (d - 1 - |S|)! / d!
    const auto factorial = [](Index m) { return std::tgamma(static_cast<double>(m + 1)); };
    for (Index m = 0; m < d; ++m) weight[m] = factorial(m) * factorial(d - 1 - m) / factorial(d);
    for (Index r = 0; r < rows; ++r) {
      const auto v = worths(model, data.x.data() + r * d);
      for (Index p = 0; p < pairs; ++p) {
        CHECK(explanation_base(model)[p] == doctest::Approx(v[0][p]));
        for (Index j = 0; j < d; ++j) {
          double phi = 0;
          for (Index set = 0; set < (Index{1} << d); ++set) {
            if ((set >> j & 1) != 0) continue;
            Index size = 0;
            for (Index f = 0; f < d; ++f) size += set >> f & 1;
            phi += weight[size] * (v[set | Index{1} << j][p] - v[set][p]);
          }
          CHECK(std::abs(found[(r * d + j) * pairs + p] - phi) < 1e-12);
        }
      }
    }
    // Threads and the rows beside it change nothing.
    std::vector<double> again(found.size());
    PredictOptions options;
    options.n_threads = 2;
    explain(model, x, again.data(), options);
    CHECK(again == found);
  }
}

TEST_CASE("rules for factors: as few nodes as the error of (1 - t)^j allows, and no fewer") {
  svm::GaussRules rules;
  for (const Index factors : {0, 1, 2, 3, 5, 19, 99, 783, 5000}) {
    const svm::GaussRule& rule = rules.for_factors(factors);
    const auto n = static_cast<Index>(rule.nodes.size());
    CAPTURE(factors);
    CAPTURE(n);
    CHECK(2 * n <= factors + 2 + n / 4);
    CHECK(static_cast<double>(n) <= 3.0 * std::sqrt(static_cast<double>(factors)) + 12.0);
    CHECK(rule.degree >= factors);
    base::Random random(1);
    for (int trial = 0; trial < 20; ++trial) {
      // A product of 1 - c t with c in {0, 1} but one, whose integral is known: the error is affine in each c.
      const Index ones = trial == 0 ? factors : random.below(static_cast<std::uint32_t>(factors + 1));
      const double c = ones < factors ? random.uniform() : 0.0;
      long double sum = 0;
      for (Index q = 0; q < n; ++q) {
        sum += rule.weights[q] * std::pow(1.0L - rule.nodes[q], static_cast<long double>(ones)) * (1.0L - c * rule.nodes[q]);
      }
      // integral of (1 - t)^m (1 - c t) = (1 - c) / (m + 1) + c / (m + 2)
      const long double m = static_cast<long double>(ones);
      CHECK(std::abs(static_cast<double>(sum - ((1 - c) / (m + 1) + c / (m + 2)))) < 6e-16);
    }
  }
}

TEST_CASE("decision_gradient: differences of decisions, for each kernel") {
  const training::Data data = training::blobs(90, 5, 3, 3);
  for (const KernelType kernel : {KernelType::rbf, KernelType::linear, KernelType::poly, KernelType::sigmoid}) {
    const Model model = explained_model(data, kernel);
    std::vector<double> gradient(5 * 3), x(data.x.begin() + 5, data.x.begin() + 10);
    decision_gradient(model, dense(x.data(), 1, 5), gradient.data());
    for (Index j = 0; j < 5; ++j) {
      std::vector<double> up = x, down = x;
      up[j] += 1e-5;
      down[j] -= 1e-5;
      const auto above = decisions_of(model, up), below = decisions_of(model, down);
      for (Index p = 0; p < 3; ++p) {
        CHECK(gradient[j * 3 + p] == doctest::Approx((above[p] - below[p]) / 2e-5).epsilon(1e-5).scale(1.0));
      }
    }
  }
}

TEST_CASE("explanations: what is refused") {
  const training::Data data = training::blobs(60, 3, 2, 4);
  std::vector<double> out(60 * 3);
  CHECK_THROWS_AS(explain(explained_model(data, KernelType::poly), data.view(), out.data()), ParameterError);
  CHECK_THROWS_AS(explain(Model(), data.view(), out.data()), ParameterError);
  const Model model = explained_model(data, KernelType::rbf);
  CHECK_THROWS_AS(explain(model, dense(data.x.data(), 90, 2), out.data()), DataError);
  CHECK_THROWS_AS(nearest_support(model, data.view(), 0, {nullptr, nullptr, nullptr}), ParameterError);
  PredictOptions interrupting;
  interrupting.interrupted = [] { return true; };
  const training::Data wide = training::blobs(3000, 200, 2, 5);
  std::vector<double> many(3000 * 200);
  CHECK_THROWS_AS(explain(explained_model(wide, KernelType::rbf), wide.view(), many.data(), interrupting), Interrupted);
}
