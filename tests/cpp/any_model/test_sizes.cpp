// Model files that declare more columns than their bytes could hold densely: sizes beyond 2^31 - 1 are refused, and with any
// other size predictions of sparse rows cost what the non-zeros cost and read nothing outside.
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "any_model/model_bytes.hpp"
#include "base/array_size.hpp"
#include "base/buffer.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/any_model.hpp"
#include "doctest/doctest.h"
#include "least_squares/model_data.hpp"
#include "low_rank/model_data.hpp"
#include "svm/model/model_data.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

constexpr Index kMost = 2147483647;

/// Two sparse points: 1 in the middle column, and 2 in the last.
data::PointStore wide_points(Index cols) {
  data::PointStore p;
  p.sparse = true;
  p.rows = 2;
  p.cols = cols;
  p.values64 = {1, 2};
  p.indptr = {0, 1, 2};
  p.indices = {cols / 2, cols - 1};
  return p;
}

LowRankModel low_rank_model(Index cols, LowRankFeatures features) {
  low_rank::LowRankData m;
  m.kernel.gamma = 0.25;
  m.features = features;
  m.n_features = cols;
  m.classes = {0, 1};
  m.used = {0, 1};
  m.coef = {1, -1};
  m.intercept = {0.5};
  m.points = wide_points(cols);
  if (features != LowRankFeatures::nystrom) m.phases = {0, 0};
  return LowRankModel(std::make_shared<const low_rank::LowRankData>(std::move(m)));
}

LsSvmModel ls_svm(Index cols) {
  least_squares::LsSvmData m;
  m.kernel.gamma = 0.25;
  m.regression = true;
  m.n_features = cols;
  m.points = wide_points(cols);
  m.coef = {1, -1};
  m.intercept = {0.5};
  return LsSvmModel(std::make_shared<const least_squares::LsSvmData>(std::move(m)));
}

Model routed(Index cols) {
  svm::ModelData m;
  m.kernel.gamma = 0.25;
  m.n_features = cols;
  m.n_train = 4;
  m.classes = {0, 1};
  m.fit_intercept = false;
  m.points = wide_points(cols);
  m.support = {0, 2};
  m.sv_class = {0, 1};
  m.sv_coef = {1, -1};
  m.expansions = {{0, {0, 1}, {1, 1}, {0}}, {2, {0}, {0}, {}}};
  svm::KernelRouter router;
  router.kernel = m.kernel;
  router.sample = wide_points(cols);
  router.first = {0, 1, 2};
  router.constant = {1, 1};
  m.router = std::move(router);
  m.cluster_sizes = {3, 1};
  return Model(std::make_shared<const svm::ModelData>(std::move(m)));
}

std::vector<std::pair<std::string, std::string>> wide_files(Index cols) {
  return {{"nystrom", model_to_bytes(low_rank_model(cols, LowRankFeatures::nystrom))},
          {"rks", model_to_bytes(low_rank_model(cols, LowRankFeatures::rks))},
          {"ls-svm", model_to_bytes(ls_svm(cols))},
          {"routed", model_to_bytes(routed(cols))}};
}

/// Every 8 bytes of every section that hold `from` hold `to`.
std::string with_size(const std::string& file, Index from, Index to) {
  auto sections = take_apart(file);
  for (RawSection& s : sections) {
    for (std::size_t at = s.payload.find(raw(from)); at != std::string::npos; at = s.payload.find(raw(from), at + 8))
      s.payload.replace(at, 8, raw(to));
  }
  return put_together(sections);
}

/// One row with `value` in `column`.
struct OneRow {
  OneRow(Index cols_, std::int64_t column, double value) : values{value}, indices{column}, cols(cols_) {}
  CsrView view() const {
    return {values.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int64, IndexType::int64, 1, cols};
  }
  std::vector<double> values;
  std::vector<std::int64_t> indices, indptr{0, 1};
  Index cols;
};

std::vector<double> decisions(const AnyModel& any, const DataView& x) {
  return std::visit(
      [&](const auto& m) {
        std::vector<double> out(static_cast<std::size_t>(rows_of(x) * decision_columns(m)));
        decision_function(m, x, out.data());
        return out;
      },
      any);
}

}  // namespace

TEST_CASE("wide model: sizes beyond 2^31 - 1 are refused by name") {
  for (const auto& [its_name, file] : wide_files(1000003)) {
    const auto& name = its_name;
    CAPTURE(name);
    for (const Index hostile : {Index{0}, Index{-1}, kMost + 1, Index{1} << 61, (Index{1} << 62) + 1}) {
      CAPTURE(hostile);
      std::string what;
      try {
        any_model_from_bytes(with_size(file, 1000003, hostile));
      } catch (const ModelError& e) {
        what = e.what();
      }
      CHECK(what.find("n_features must be from 1 to 2147483647") != std::string::npos);
    }
  }
}

TEST_CASE("wide model: the widest one predicts sparse rows in every mode") {
  for (const auto& [its_name, file] : wide_files(kMost)) {
    const auto& name = its_name;
    CAPTURE(name);
    const AnyModel model = any_model_from_bytes(file);
    const OneRow middle(kMost, kMost / 2, 1.0), elsewhere(kMost, 5, 1.0);
    const double far = std::exp(-0.25 * 2.0), farther = std::exp(-0.25 * 5.0);  // from (middle, 1) and (last, 2)
    const double bias = name == "routed" ? 0.0 : 0.5;
    double expected = bias + 1.0 - farther, expected_elsewhere = bias + far - farther;
    if (name == "rks") expected = 0.5 + std::cos(1.0) - 1.0, expected_elsewhere = 0.5;
    CHECK(decisions(model, middle.view())[0] == doctest::Approx(expected).epsilon(1e-6));
    CHECK(decisions(model, elsewhere.view())[0] == doctest::Approx(expected_elsewhere).epsilon(1e-6));
    if (const auto* clustered = std::get_if<Model>(&model)) {
      CHECK(decisions(clustered->with_prediction(LevelPrediction::naive), middle.view())[0] ==
            doctest::Approx(expected).epsilon(1e-6));
    }
    CHECK(model_to_bytes(model) == file);
  }
}

TEST_CASE("array_size: a product that would wrap around is out of memory") {
  CHECK(base::array_size(0, Index{1} << 62) == 0);
  CHECK(base::array_size(Index{1} << 29, Index{1} << 30) == std::size_t{1} << 59);
  CHECK_THROWS_AS(base::array_size(Index{1} << 31, Index{1} << 31), std::bad_alloc);
  CHECK_THROWS_AS(base::array_size(Index{1} << 62, 4), std::bad_alloc);
  CHECK_THROWS_AS(base::Buffer<double>(Index{1} << 61), std::bad_alloc);
}
