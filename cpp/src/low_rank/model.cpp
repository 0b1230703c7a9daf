// dcsvm::LowRankModel: questions answered from LowRankData.
#include <numeric>

#include "base/require_model.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
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
const std::vector<Index>& LowRankModel::used() const { return require_model(data_).used; }
const std::vector<double>& LowRankModel::coef() const { return require_model(data_).coef; }
const std::vector<double>& LowRankModel::intercept() const { return require_model(data_).intercept; }
const std::vector<double>& LowRankModel::alpha() const { return require_model(data_).alpha; }

std::vector<double> LowRankModel::landmarks() const {
  const data::PointStore& p = require_model(data_).points;
  std::vector<double> out(p.rows * p.cols);
  data::copy_rows(p.view(), nullptr, 0, p.rows, out.data(), p.cols);
  return out;
}

Index decision_columns(const LowRankModel& model) { return low_rank::n_problems(require_model(model.data())); }

}  // namespace dcsvm
