// Every parameter's bad values, one by one, and what gamma and weights are resolved to.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "simd/bytes.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using Change = std::function<void(TrainParams&)>;

std::string refusal(const Data& data, const Change& change, const TrainInputs& inputs = {}) {
  TrainParams params = training::rbf(1.0, 1.0);
  change(params);
  return training::message_of<ParameterError>([&] { training::train(data, params, inputs); });
}

}  // namespace

TEST_CASE("each bad value of each parameter is refused by a text that starts with its name") {
  const Data data = training::blobs(30, 3, 2, 1);
  const std::vector<std::pair<std::string, Change>> bad{
      {"C", [](auto& p) { p.C = 0; }},
      {"C", [](auto& p) { p.C = -1; }},
      {"C", [](auto& p) { p.C = kNan; }},
      {"C", [](auto& p) { p.C = kInf; }},
      {"tol", [](auto& p) { p.tol = 0; }},
      {"tol", [](auto& p) { p.tol = -1e-3; }},
      {"tol", [](auto& p) { p.tol = kNan; }},
      {"cache_size", [](auto& p) { p.cache_size = 0; }},
      {"cache_size", [](auto& p) { p.cache_size = -5; }},
      {"cache_size", [](auto& p) { p.cache_size = kInf; }},
      {"cache_size", [](auto& p) { p.cache_size = 1e-6; }},
      {"gamma", [](auto& p) { p.kernel.gamma = 0; }},
      {"gamma", [](auto& p) { p.kernel.gamma = -0.5; }},
      {"gamma", [](auto& p) { p.kernel.gamma = kNan; }},
      {"gamma", [](auto& p) { p.kernel.type = KernelType::poly, p.kernel.gamma = kInf; }},
      {"gamma", [](auto& p) { p.kernel.type = KernelType::sigmoid, p.kernel.gamma = 0; }},
      {"degree", [](auto& p) { p.kernel.type = KernelType::poly, p.kernel.degree = -1; }},
      {"coef0", [](auto& p) { p.kernel.type = KernelType::poly, p.kernel.coef0 = kNan; }},
      {"coef0", [](auto& p) { p.kernel.type = KernelType::sigmoid, p.kernel.coef0 = kInf; }},
      {"n_levels", [](auto& p) { p.n_levels = -1; }},
      {"branching", [](auto& p) { p.branching = 1; }},
      {"branching", [](auto& p) { p.branching = -4; }},
      {"sample_size", [](auto& p) { p.sample_size = 0; }},
      {"early_level", [](auto& p) { p.solver = SolverType::dc, p.early_level = 0; }},
      {"early_level", [](auto& p) { p.solver = SolverType::dc, p.n_levels = 2, p.early_level = 3; }},
      {"early_level", [](auto& p) { p.solver = SolverType::smo, p.early_level = 1; }},
      {"max_iter", [](auto& p) { p.max_iter = -2; }},
      {"early_level", [](auto& p) { p.solver = SolverType::rand, p.early_level = 1; }},
      {"solver", [](auto& p) { p.solver = SolverType::cascade, p.formulation = Formulation::epsilon_svr; }},
      {"n_support_estimate", [](auto& p) { p.n_support_estimate = 1; }},
      {"n_support_estimate", [](auto& p) { p.n_support_estimate = -3; }},
      {"rand_epsilon", [](auto& p) { p.rand_epsilon = 0; }},
      {"rand_epsilon", [](auto& p) { p.rand_epsilon = kNan; }},
      {"rand_delta", [](auto& p) { p.rand_delta = 1; }},
      {"sample_factor", [](auto& p) { p.sample_factor = 0.5; }},
      {"sample_factor", [](auto& p) { p.sample_factor = kInf; }},
      {"cascade_leaves", [](auto& p) { p.cascade_leaves = 6; }},
      {"cascade_leaves", [](auto& p) { p.cascade_leaves = 0; }},
      {"cascade_passes", [](auto& p) { p.cascade_passes = -1; }},
      {"n_threads", [](auto& p) { p.n_threads = -1; }},
      {"class_weight", [](auto& p) { p.class_weight = {{10, -1}}; }},
      {"class_weight", [](auto& p) { p.class_weight = {{10, kNan}}; }},
      {"class_weight", [](auto& p) { p.class_weight = {{99, 2}}; }},
      {"class_weight", [](auto& p) { p.class_weight = {{10, 2}, {11, 1}, {10, 2}}; }},
      {"class_weight", [](auto& p) { p.class_weight = {{10, 2}}, p.balanced = true; }},
  };
  for (const auto& [its_name, change] : bad) {
    const auto& name = its_name;  // lambdas may not capture bindings in C++17
    std::string text;
    if (name == "cache_size") {  // what cannot hold two rows is a CapError
      try {
        text = refusal(data, change);
      } catch (const CapError& e) {
        text = e.what();
      }
    } else {
      text = refusal(data, change);
    }
    CAPTURE(text);
    CHECK_MESSAGE(text.rfind(name, 0) == 0, name);
  }
  CHECK(refusal(data, [](auto& p) { p.kernel.type = KernelType::linear, p.kernel.gamma = -1; }) == "");  // not used: not refused
  CHECK(refusal(data, [](auto& p) { p.kernel.type = KernelType::poly, p.kernel.degree = 0; }) == "");
  CHECK(refusal(data, [](auto& p) { p.cache_size = 1e12; }) == "");
}

TEST_CASE("bad data is refused by name, row and column") {
  Data data = training::blobs(20, 3, 2, 2);
  const auto refused = [](
                           const Data& d, const TrainInputs& inputs = {}, const Change& change = [](TrainParams&) {}) {
    TrainParams params = training::rbf(1.0, 1.0);
    change(params);
    return training::message_of<DataError>([&] { training::train(d, params, inputs); });
  };
  Data bad = data;
  bad.x[7] = kNan;
  CHECK(refused(bad) == "X has NaN at row 2, column 1");
  bad = data;
  bad.y[3] = kInf;
  CHECK(refused(bad) == "y has infinity at row 3");
  bad = data;
  bad.y.assign(20, 4.0);
  CHECK(refused(bad) == "y has one class only (4)");
  bad = data;
  bad.n = 0;
  CHECK(refused(bad).rfind("X is empty", 0) == 0);
  CHECK(refused(data, {}, [](auto& p) { p.kernel.type = KernelType::precomputed; }).find("square") != std::string::npos);
  std::vector<double> weight(20, 1.0);
  TrainInputs inputs;
  inputs.sample_weight = weight.data();
  weight[4] = -1;
  CHECK(refused(data, inputs).rfind("sample_weight is negative at row 4", 0) == 0);
  weight[4] = 1;
  for (Index i = 0; i < 20; ++i) weight[i] = data.y[i] == 11 ? 0 : 1;
  CHECK(refused(data, inputs).find("class 11") != std::string::npos);
  weight.assign(20, 1e300);
  TrainParams params = training::rbf(1.0, 1e300);
  CHECK(training::message_of<ParameterError>([&] { training::train(data, params, inputs); }).rfind("C times weights", 0) == 0);
}

TEST_CASE("kernel values that overflow are an error of the data, in every precision and solver") {
  Data data = training::blobs(60, 3, 2, 2);
  for (double& v : data.x) v *= 1e60;
  for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      TrainParams params = training::rbf(1.0, 1.0);
      params.solver = solver;
      params.n_levels = 1;
      params.precision = precision;
      params.kernel.type = KernelType::poly;
      params.kernel.degree = 6;
      CHECK(training::message_of<DataError>([&] { training::train(data, params); }).rfind("X", 0) == 0);
    }
  }
}

TEST_CASE("gamma: scale and auto follow their formulas, for every storage") {
  const Data data = training::blobs(500, 4, 2, 3);
  long double mean = 0, square = 0;
  for (const double v : data.x) mean += v / 2000.0L;
  for (const double v : data.x) square += (v - mean) * (v - mean) / 2000.0L;
  TrainParams params = training::rbf(77.0, 1.0);
  CHECK(training::train(data, params).report().gamma == 77.0);
  for (const KernelType type : {KernelType::rbf, KernelType::poly, KernelType::sigmoid}) {
    params.kernel.type = type;
    params.gamma_rule = GammaRule::scale;
    CHECK(training::train(data, params).report().gamma == doctest::Approx(static_cast<double>(1 / (4 * square))).epsilon(1e-12));
    params.gamma_rule = GammaRule::automatic;
    CHECK(training::train(data, params).kernel().gamma == 0.25);
  }
  params = TrainParams();
  CHECK(training::train(data, params).report().gamma == doctest::Approx(static_cast<double>(1 / (4 * square))).epsilon(1e-12));
  params.kernel.gamma = 3.0;  // set, and no rule: it is used
  CHECK(training::train(data, params).report().gamma == 3.0);
  for (const double bad : {-1.0, HUGE_VAL, std::nan("")}) {
    params.kernel.gamma = bad;
    CHECK(training::message_of<ParameterError>([&] { training::train(data, params); }).rfind("gamma must be", 0) == 0);
  }
  params.kernel.gamma = 0.0;
  params.gamma_rule = GammaRule::value;
  CHECK(training::message_of<ParameterError>([&] { training::train(data, params); }).rfind("gamma must be", 0) == 0);
  Data constant = data;
  std::fill(constant.x.begin(), constant.x.end(), 3.0);
  params = training::rbf(1.0, 1.0);
  params.gamma_rule = GammaRule::scale;
  CHECK(training::train(constant, params).report().gamma == 1.0);
}

TEST_CASE("large norms are computed in double, and the report says so") {
  Data data = training::blobs(200, 3, 2, 4);
  TrainParams params = training::rbf(0.5, 1.0);
  CHECK(training::train(data, params).report().precision == "single");
  params.precision = Precision::double_;
  CHECK(training::train(data, params).report().precision == "double");
  params.precision = Precision::single_;
  for (double& v : data.x) v += 1e6;  // the shift takes an offset out: dense data stays single
  CHECK(training::train(data, params).report().precision == "single");
  data = training::blobs(200, 3, 2, 4);
  params.kernel.gamma = 1e6;
  CHECK(training::train(data, params).report().precision == "double");
  params.kernel.gamma = 1e-3;
  data.x[0] = 1e5;
  CHECK(training::train(data, params).report().precision == "double");
  data = training::blobs(200, 3, 2, 4);
  for (double& v : data.x) v = std::round(std::min(255.0, std::max(0.0, 128 + 20 * v)));
  params.kernel.gamma = 100;  // integers of 8 bits: products are exact where the CPU has them, and double elsewhere
  CHECK(training::train(data, params).report().precision == (simd::byte_ops() != nullptr ? "single" : "double"));
  std::fill(data.x.begin(), data.x.end(), 0.5);
  for (const double gamma : {1.6e38, 3e38, 1e300}) {  // the last beyond float; so is the second by the log2(e) of its exponent
    params.kernel.gamma = gamma;
    const Model model = training::train(data, params);
    CHECK(std::isfinite(model.report().objective));
  }
}

TEST_CASE("a steep sigmoid is computed in double: tanh passes on its argument's rounding") {
  const Data data = training::checkerboard(300, 4);
  TrainParams params = training::rbf(1e-3, 1.0);
  params.kernel.type = KernelType::sigmoid;
  CHECK(training::train(data, params).report().precision == "single");
  params.kernel.gamma = 10.0;
  params.C = 100.0;
  CHECK(training::train(data, params).report().precision == "double");
}

TEST_CASE("a way to predict that needs an early model is refused without early_level") {
  const Data data = training::blobs(60, 3, 2, 5);
  TrainParams params = training::rbf(1.0, 1.0);
  params.prediction = LevelPrediction::naive;
  const std::string text = training::message_of<ParameterError>([&] { training::train(data, params); });
  CHECK(text.rfind("prediction \"naive\"", 0) == 0);
  CHECK(text.find("early_level") != std::string::npos);
  params.solver = SolverType::dc;
  params.early_level = 1;
  CHECK(training::train(data, params).prediction() == LevelPrediction::naive);
}

TEST_CASE("a cap beyond any memory") {
  const Data data = training::blobs(60, 3, 2, 5);
  TrainParams params = training::rbf(1.0, 1.0);
  const auto expected = training::train(data, params).alpha();
  params.cache_size = 1e300;
  CHECK(training::train(data, params).alpha() == expected);
}
