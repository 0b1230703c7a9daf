// dcsvm::DcPredModel: questions answered from DcPredData.
#include <string>

#include "base/require_model.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/kernel_cost.hpp"

namespace dcsvm {

namespace dc_pred {

double leaf_cost(Index m, Index p, Index d, Index outputs, PseudoLandmarks pseudo) {
  // In multiply-adds: a bound is a subtraction and a comparison for each landmark, and a kernel's function; a pair is one.
  Index made = 0;
  switch (pseudo) {
    case PseudoLandmarks::none: break;
    case PseudoLandmarks::polynomial: made = p; break;
    case PseudoLandmarks::triangle_lower:
    case PseudoLandmarks::triangle_upper: made = p * (m + kernels::kFunctionCost); break;
  }
  return kernels::landmarks_cost(m, d, outputs) + static_cast<double>(made + outputs * p) / static_cast<double>(d);
}

}  // namespace dc_pred

using base::require_model;

Index DcPredModel::n_features() const { return require_model(data_).n_features; }
const std::vector<double>& DcPredModel::classes() const { return require_model(data_).classes; }
const KernelParams& DcPredModel::kernel() const { return require_model(data_).kernel; }
PseudoLandmarks DcPredModel::pseudo() const { return require_model(data_).pseudo; }
Index DcPredModel::n_leaves() const { return static_cast<Index>(require_model(data_).leaves.size()); }
const DcPredReport& DcPredModel::report() const { return require_model(data_).report; }
double DcPredModel::cost() const { return require_model(data_).report.cost; }

std::vector<double> DcPredModel::landmarks(Index leaf) const {
  const dc_pred::DcPredData& m = require_model(data_);
  if (leaf < 0 || leaf >= n_leaves()) throw ParameterError("leaf must be in [0, " + std::to_string(n_leaves()) + ")");
  const dc_pred::LeafBasis& basis = m.leaves[leaf].basis;
  std::vector<double> out;
  for (Index j = 0; j < basis.m; ++j) {
    for (Index k = 0; k < m.n_features; ++k) {
      const auto i = static_cast<std::size_t>(j * basis.stride + k);
      out.push_back(double{basis.landmarks[i]} + double{m.shift[k]});
    }
  }
  return out;
}

Index decision_columns(const DcPredModel& model) { return require_model(model.data()).outputs(); }

}  // namespace dcsvm
