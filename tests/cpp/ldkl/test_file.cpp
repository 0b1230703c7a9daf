// Files of local deep kernel models: the golden, damage, what cannot be.
#include <cmath>
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
#include "dcsvm/ldkl.hpp"
#include "doctest/doctest.h"
#include "ldkl/model_data.hpp"

using namespace dcsvm;

namespace {

using ldkl::LdklData;

LdklModel model(LdklData data) { return LdklModel(std::make_shared<const LdklData>(std::move(data))); }

// Two classes, one feature, a tree of depth 1. The golden holds these very values.
LdklData pair() {
  LdklData m;
  m.n_features = 1;
  m.depth = 1;
  m.sigma = 0.5;
  m.classes = {-3, 7};
  m.w = {1, 0.25, -2, 0, 4, 1e-300};
  m.v = {0, 1, 2, -0.125, 0.5, 3};
  m.theta = {1, -2};
  m.report.stop_reason = StopReason::max_iter;
  m.report.objective = 0.75;
  m.report.gradient_norm = std::numeric_limits<double>::infinity();
  m.report.n_iter = 41;
  m.report.depth = 1;
  m.report.seconds = {{"tree", 0.5}};
  return m;
}

void check_same(const LdklModel& read, const LdklData& m) {
  CHECK(read.n_features() == m.n_features);
  CHECK(read.depth() == m.depth);
  CHECK(read.sigma() == m.sigma);
  CHECK(read.classes() == m.classes);
  CHECK(read.w() == m.w);
  CHECK(read.v() == m.v);
  CHECK(read.theta() == m.theta);
  CHECK(read.report().stop_reason == m.report.stop_reason);
  CHECK(read.report().objective == m.report.objective);
  CHECK(read.report().gradient_norm == m.report.gradient_norm);
  CHECK(read.report().n_iter == m.report.n_iter);
  CHECK(read.report().seconds == m.report.seconds);
}

}  // namespace

// DCSVM_WRITE_GOLDEN=1 writes the file if it is missing.
TEST_CASE("LDKL files: the golden loads for ever; a round trip keeps everything") {
  const auto path = std::filesystem::path(DCSVM_SOURCE_DIR) / "tests" / "golden" / "v1-ldkl.dcsvm";
  if (std::getenv("DCSVM_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) save_model(model(pair()), path.string());
  REQUIRE(std::filesystem::exists(path));
  check_same(load_as<LdklModel>(path.string()), pair());
  check_same(bytes_as<LdklModel>(model_to_bytes(model(pair()))), pair());
}

TEST_CASE("LDKL: decisions computed by hand") {
  const LdklModel m = model(pair());
  const std::vector<double> x{3, 2};  // theta'z is 1 and 0: the right leaf and the left one
  std::vector<double> out(2);
  decision_function(m, dense(x.data(), 2, 1), out.data());
  CHECK(out[0] == doctest::Approx(3.25 * std::tanh(0.5) + 12 * std::tanh(2.25)));
  CHECK(out[1] == doctest::Approx(2.25 * std::tanh(0.5) - 4 * std::tanh(1.9375)));
  predict(m, dense(x.data(), 2, 1), out.data());
  CHECK(out == std::vector<double>{-3, 7});
  CHECK(m.cost() == 5 + 22);
}

TEST_CASE("LDKL files: every cut and every changed byte is refused") {
  const std::string bytes = model_to_bytes(model(pair()));
  for (std::size_t n = 0; n < bytes.size(); n += 3) CHECK_THROWS_AS(bytes_as<LdklModel>(bytes.substr(0, n)), ModelError);
  for (std::size_t i = 0; i < bytes.size(); i += 5) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 0x20);
    CHECK_THROWS_AS(bytes_as<LdklModel>(other), ModelError);
  }
  CHECK_THROWS_AS(load_as<LdklModel>("/absent/file"), FileError);
  CHECK_THROWS_AS(model_to_bytes(LdklModel()), ModelError);
}

TEST_CASE("LDKL models that cannot be are neither written nor read") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(LdklData&)>> wrong{[](auto& m) { m.n_features = 0; },
                                                          [](auto& m) { m.n_features = 2; },
                                                          [](auto& m) { m.n_features = Index{1} << 62; },
                                                          [](auto& m) { m.depth = 0; },
                                                          [](auto& m) { m.depth = 2; },
                                                          [](auto& m) { m.depth = -1; },
                                                          [](auto& m) { m.depth = 62; },
                                                          [](auto& m) { m.sigma = 0; },
                                                          [](auto& m) { m.sigma = kNan; },
                                                          [](auto& m) { m.classes.pop_back(); },
                                                          [](auto& m) { m.classes.push_back(9); },
                                                          [](auto& m) { m.classes[1] = -4; },
                                                          [](auto& m) { m.w.pop_back(); },
                                                          [](auto& m) { m.v.push_back(0); },
                                                          [](auto& m) { m.theta.clear(); },
                                                          [](auto& m) { m.w[4] = kNan; },
                                                          [](auto& m) { m.v[0] = std::numeric_limits<double>::infinity(); },
                                                          [](auto& m) { m.theta[1] = kNan; }};
  for (const auto& change : wrong) {
    LdklData data = pair();
    change(data);
    CHECK_THROWS_AS(model_to_bytes(model(data)), ModelError);
  }
}
