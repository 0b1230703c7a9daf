// dcsvm::LdklModel: questions answered from LdklData.
#include "base/require_model.hpp"
#include "kernels/kernel_cost.hpp"
#include "ldkl/model_data.hpp"

namespace dcsvm {

using base::require_model;

namespace ldkl {

// On each level a row meets w, v and theta, on the last one w and v; a tanh and a sum come to each node.
double cost_of(Index depth, Index d, Index problems) {
  const double rest = static_cast<double>((kernels::kFunctionCost + 1) * (depth + 1)) / static_cast<double>(d);
  return static_cast<double>(problems) * (static_cast<double>(3 * depth + 2) + rest);
}

}  // namespace ldkl

Index LdklModel::n_features() const { return require_model(data_).n_features; }
const std::vector<double>& LdklModel::classes() const { return require_model(data_).classes; }
Index LdklModel::depth() const { return require_model(data_).depth; }
double LdklModel::sigma() const { return require_model(data_).sigma; }
const LdklReport& LdklModel::report() const { return require_model(data_).report; }
double LdklModel::cost() const {
  const ldkl::LdklData& m = require_model(data_);
  return ldkl::cost_of(m.depth, m.n_features, ldkl::n_problems(m));
}
const std::vector<double>& LdklModel::w() const { return require_model(data_).w; }
const std::vector<double>& LdklModel::v() const { return require_model(data_).v; }
const std::vector<double>& LdklModel::theta() const { return require_model(data_).theta; }

Index decision_columns(const LdklModel& model) { return ldkl::n_problems(require_model(model.data())); }

}  // namespace dcsvm
