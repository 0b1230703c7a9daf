// dcsvm::LowRankModel: questions answered from LowRankData.
#include <numeric>

#include "base/require_model.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm {

using base::need;

Index LowRankModel::n_features() const { return need(data_).n_features; }
const std::vector<double>& LowRankModel::classes() const { return need(data_).classes; }
const KernelParams& LowRankModel::kernel() const { return need(data_).kernel; }
LowRankFeatures LowRankModel::features() const { return need(data_).features; }
MultiClass LowRankModel::multi_class() const { return need(data_).multi_class; }
const LowRankReport& LowRankModel::report() const { return need(data_).report; }
Index LowRankModel::n_landmarks() const { return static_cast<Index>(need(data_).used.size()); }
const std::vector<Index>& LowRankModel::used() const { return need(data_).used; }
const std::vector<double>& LowRankModel::coef() const { return need(data_).coef; }
const std::vector<double>& LowRankModel::intercept() const { return need(data_).intercept; }
const std::vector<double>& LowRankModel::alpha() const { return need(data_).alpha; }

std::vector<double> LowRankModel::landmarks() const {
  const data::PointStore& p = need(data_).points;
  std::vector<double> out(p.rows * p.cols);
  data::copy_rows(p.view(), nullptr, 0, p.rows, out.data(), p.cols);
  return out;
}

Index decision_columns(const LowRankModel& model) { return low_rank::n_problems(need(model.data())); }

}  // namespace dcsvm
