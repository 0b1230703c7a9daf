// Files of linear models: the goldens, damage, what cannot be.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/linear.hpp"
#include "doctest/doctest.h"
#include "linear/model_data.hpp"

using namespace dcsvm;

namespace {

using linear::LinearData;

LinearModel model(LinearData data) { return LinearModel(std::make_shared<const LinearData>(std::move(data))); }

// The goldens hold these very values.
LinearData three_classes() {
  LinearData m;
  m.solver = LinearSolver::l1_logistic;
  m.n_features = 2;
  m.bias = 0.5;
  m.classes = {-3, 1, 7};
  m.w = {0.25, -1, 0, 3, 1e-300, -0.125, 2, 4, -8};
  m.report.stop_reason = StopReason::max_iter;
  m.report.primal_objective = 12.5;
  m.report.dual_objective = std::numeric_limits<double>::quiet_NaN();
  m.report.n_iter = 41;
  m.report.method = "l1_newton";
  m.report.tol = 0.01;
  m.report.problems.resize(3);
  m.report.problems[1].violation = 0.75;
  m.report.seconds = {{"solve", 0.5}};
  return m;
}
LinearData outliers() {
  LinearData m;
  m.solver = LinearSolver::one_class;
  m.n_features = 3;
  m.rho = 0.75;
  m.w = {1, 0, -2};
  m.report.method = "greedy_pairs";
  return m;
}
const std::vector<std::pair<std::string, LinearData>> kGoldens{{"linear", three_classes()}, {"linear-one-class", outliers()}};

void check_same(const LinearModel& read, const LinearData& m) {
  CHECK(read.solver() == m.solver);
  CHECK(read.n_features() == m.n_features);
  CHECK(read.bias() == m.bias);
  CHECK(read.rho() == m.rho);
  CHECK(read.classes() == m.classes);
  CHECK(read.w() == m.w);
  CHECK(read.report().stop_reason == m.report.stop_reason);
  CHECK(read.report().primal_objective == m.report.primal_objective);
  CHECK(read.report().n_iter == m.report.n_iter);
  CHECK(read.report().method == m.report.method);
  CHECK(read.report().tol == m.report.tol);
  CHECK(read.report().seconds == m.report.seconds);
}

}  // namespace

// DCSVM_WRITE_GOLDEN=1 writes the files that are missing.
TEST_CASE("linear files: the goldens load for ever; a round trip keeps everything") {
  for (const auto& [name, data] : kGoldens) {
    const auto path = std::filesystem::path(DCSVM_SOURCE_DIR) / "tests" / "golden" / ("v1-" + name + ".dcsvm");
    CAPTURE(path.string());
    if (std::getenv("DCSVM_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) save_model(model(data), path.string());
    REQUIRE(std::filesystem::exists(path));
    check_same(load_as<LinearModel>(path.string()), data);
    check_same(bytes_as<LinearModel>(model_to_bytes(model(data))), data);
  }
}

TEST_CASE("linear files: every cut and every changed byte is refused") {
  const std::string bytes = model_to_bytes(model(three_classes()));
  for (std::size_t n = 0; n < bytes.size(); n += 3) CHECK_THROWS_AS(bytes_as<LinearModel>(bytes.substr(0, n)), ModelError);
  for (std::size_t i = 0; i < bytes.size(); i += 5) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 0x20);
    CHECK_THROWS_AS(bytes_as<LinearModel>(other), ModelError);
  }
  CHECK_THROWS_AS(load_as<LinearModel>("/absent/file"), FileError);
  CHECK_THROWS_AS(model_to_bytes(LinearModel()), ModelError);
}

TEST_CASE("linear models that cannot be are neither written nor read") {
  const std::vector<std::function<void(LinearData&)>> wrong{
      [](auto& m) { m.n_features = 0; },
      [](auto& m) { m.n_features = 3; },
      [](auto& m) { m.bias = -1; },
      [](auto& m) { m.bias = std::numeric_limits<double>::infinity(); },
      [](auto& m) { m.rho = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& m) { m.classes.clear(); },
      [](auto& m) { m.classes.pop_back(); },
      [](auto& m) { m.classes[0] = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& m) { m.solver = LinearSolver::svr_dual; },
      [](auto& m) { m.w.pop_back(); },
      [](auto& m) { m.w[4] = std::numeric_limits<double>::infinity(); }};
  for (const auto& change : wrong) {
    LinearData data = three_classes();
    change(data);
    CHECK_THROWS_AS(model_to_bytes(model(data)), ModelError);
  }
}
