// Files of LS-SVMs: the golden, what a stranger's file may say wrongly, sections.
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
#include "dcsvm/ls_svm.hpp"
#include "doctest/doctest.h"
#include "least_squares/model_data.hpp"

using namespace dcsvm;

namespace {

/// Three classes, cosine-normalised polynomial, two float32 rows. The golden holds these very values.
least_squares::LsSvmData by_hand() {
  least_squares::LsSvmData m;
  m.kernel.type = KernelType::poly;
  m.kernel.degree = 4;
  m.kernel.gamma = 1.0;
  m.kernel.coef0 = 0.5;
  m.normalise = true;
  m.n_features = 2;
  m.classes = {-1.0, 0.5, 7.0};
  m.points.rows = 2;
  m.points.cols = 2;
  m.points.scalar = ScalarType::float32;
  m.points.values32 = {0.6F, 0.8F, -1.0F, 0.0F};
  m.coef = {1.0, -2.0, 0.25, 3.5, 0.0, 1e-300};
  m.intercept = {0.125, -0.5, 2.0};
  m.report.stop_reason = StopReason::max_iter;
  m.report.residuals = {0.5, 0.25};
  m.report.residual = 0.25;
  m.report.n_iter = 2;
  m.report.block_size = 1;
  m.report.n_regularised = 1;
  m.report.n_kernel_values = 8;
  m.report.seconds = {{"solve", 0.5}, {"total", 1.5}};
  m.report.peak_bytes = 4096;
  m.report.gamma = 1.0;
  m.report.isa = "avx2";
  m.report.n_threads = 2;
  return m;
}

LsSvmModel model(least_squares::LsSvmData data) {
  return LsSvmModel(std::make_shared<const least_squares::LsSvmData>(std::move(data)));
}

void check_same(const LsSvmModel& model, const least_squares::LsSvmData& m) {
  CHECK(model.kernel().type == m.kernel.type);
  CHECK(model.kernel().degree == m.kernel.degree);
  CHECK(model.kernel().gamma == m.kernel.gamma);
  CHECK(model.kernel().coef0 == m.kernel.coef0);
  CHECK(model.normalise() == m.normalise);
  CHECK(model.regression() == m.regression);
  CHECK(model.n_features() == m.n_features);
  CHECK(model.classes() == m.classes);
  CHECK(model.data()->points.values32 == m.points.values32);
  CHECK(model.coef() == m.coef);
  CHECK(model.intercept() == m.intercept);
  const LsSvmReport &a = model.report(), &b = m.report;
  CHECK(a.stop_reason == b.stop_reason);
  CHECK(a.residuals == b.residuals);
  CHECK(a.residual == b.residual);
  CHECK(a.n_iter == b.n_iter);
  CHECK(a.block_size == b.block_size);
  CHECK(a.n_regularised == b.n_regularised);
  CHECK(a.n_kernel_values == b.n_kernel_values);
  CHECK(a.seconds == b.seconds);
  CHECK(a.peak_bytes == b.peak_bytes);
  CHECK(a.gamma == b.gamma);
  CHECK(a.isa == b.isa);
  CHECK(a.n_threads == b.n_threads);
}

}  // namespace

// DCSVM_WRITE_GOLDEN=1 writes the file when it is missing.
TEST_CASE("LS-SVM files: the golden loads for ever; a round trip keeps everything") {
  const std::filesystem::path path = std::filesystem::path(DCSVM_SOURCE_DIR) / "tests" / "golden" / "v1-ls-svm.dcsvm";
  if (std::getenv("DCSVM_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) {
    save_model(model(by_hand()), path.string());
  }
  REQUIRE(std::filesystem::exists(path));
  check_same(load_as<LsSvmModel>(path.string()), by_hand());
  check_same(bytes_as<LsSvmModel>(model_to_bytes(model(by_hand()))), by_hand());
}

TEST_CASE("LS-SVM files: every cut and every changed byte is refused") {
  const std::string bytes = model_to_bytes(model(by_hand()));
  for (std::size_t n = 0; n < bytes.size(); n += 3) CHECK_THROWS_AS(bytes_as<LsSvmModel>(bytes.substr(0, n)), ModelError);
  for (std::size_t i = 0; i < bytes.size(); i += 5) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 0x20);
    CHECK_THROWS_AS(bytes_as<LsSvmModel>(other), ModelError);
  }
  CHECK_THROWS_AS(load_as<LsSvmModel>("/absent/file"), FileError);
  CHECK_THROWS_AS(model_to_bytes(LsSvmModel()), ModelError);
}

TEST_CASE("LS-SVM models that cannot be are neither written nor read") {
  const std::vector<std::function<void(least_squares::LsSvmData&)>> wrong{
      [](auto& m) { m.kernel.type = KernelType::precomputed; },
      [](auto& m) { m.n_features = 3; },
      [](auto& m) { m.regression = true; },
      [](auto& m) { m.classes.pop_back(); },
      [](auto& m) { std::swap(m.classes[0], m.classes[1]); },
      [](auto& m) { m.coef.pop_back(); },
      [](auto& m) { m.coef[2] = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& m) { m.intercept[0] = std::numeric_limits<double>::infinity(); },
      [](auto& m) { m.intercept.clear(); },
      [](auto& m) { m.points.values32.pop_back(); }};
  for (const auto& change : wrong) {
    auto data = by_hand();
    change(data);
    CHECK_THROWS_AS(model_to_bytes(model(data)), ModelError);
  }
}
