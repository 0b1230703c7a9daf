// dcsvm::LowRankModel: questions answered from LowRankData.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/array_size.hpp"
#include "base/require_model.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/kernel_cost.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm {

using base::require_model;

Index LowRankModel::n_features() const { return require_model(data_).n_features; }
const std::vector<double>& LowRankModel::classes() const { return require_model(data_).classes; }
const KernelParams& LowRankModel::kernel() const { return require_model(data_).kernel; }
LowRankFeatures LowRankModel::features() const { return require_model(data_).features; }
MultiClass LowRankModel::multi_class() const { return require_model(data_).multi_class; }
const LowRankReport& LowRankModel::report() const { return require_model(data_).report; }
Index LowRankModel::n_landmarks() const { return static_cast<Index>(require_model(data_).used.size()); }
double LowRankModel::cost() const {
  const low_rank::LowRankData& m = require_model(data_);
  const auto outputs = static_cast<Index>(m.intercept.size());
  if (m.kernel.type == KernelType::precomputed) return static_cast<double>(outputs);
  return kernels::landmarks_cost(n_landmarks(), m.n_features, outputs);
}
const std::vector<Index>& LowRankModel::used() const { return require_model(data_).used; }
const std::vector<double>& LowRankModel::coef() const { return require_model(data_).coef; }
const std::vector<double>& LowRankModel::intercept() const { return require_model(data_).intercept; }
const std::vector<double>& LowRankModel::alpha() const { return require_model(data_).alpha; }

LowRankModel LowRankModel::with_coefficients(std::vector<double> coef, std::vector<double> intercept) const {
  const low_rank::LowRankData& m = require_model(data_);
  if (coef.size() != m.coef.size() || intercept.size() != m.intercept.size()) {
    throw DataError("coef and intercept must have " + std::to_string(m.coef.size()) + " and " +
                    std::to_string(m.intercept.size()) + " entries, got " + std::to_string(coef.size()) + " and " +
                    std::to_string(intercept.size()));
  }
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::all_of(coef.begin(), coef.end(), finite) || !std::all_of(intercept.begin(), intercept.end(), finite))
    throw DataError("coef and intercept must be finite");
  auto copy = std::make_shared<low_rank::LowRankData>(m);
  copy->coef = std::move(coef);
  copy->intercept = std::move(intercept);
  copy->alpha.clear();
  return LowRankModel(std::move(copy));
}

std::vector<double> LowRankModel::landmarks() const {
  const data::PointStore& p = require_model(data_).points;
  std::vector<double> out(base::array_size(p.rows, p.cols));
  data::copy_rows(p.view(), nullptr, 0, p.rows, out.data(), p.cols);
  return out;
}

Index decision_columns(const LowRankModel& model) { return low_rank::n_problems(require_model(model.data())); }

}  // namespace dcsvm
