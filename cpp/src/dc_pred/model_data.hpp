// The data of a DC-Pred++ model: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <vector>

#include "dc_pred/leaf_features.hpp"
#include "dc_pred/split_tree.hpp"
#include "dcsvm/dc_pred.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

namespace dcsvm::dc_pred {

struct DcPredLeaf {
  LeafBasis basis;       ///< m = 0: the intercepts alone
  std::vector<float> coef;       ///< outputs x basis.width(), padding 0
  std::vector<float> intercept;  ///< outputs
};

struct DcPredData {
  KernelParams kernel;
  FeatureKind kind;  ///< of kernel and pseudo
  PseudoLandmarks pseudo = PseudoLandmarks::none;
  Index n_features = 0;
  std::vector<double> classes;  ///< ascending; empty: a regression
  std::vector<float> shift;     ///< padded(n_features): subtracted from a row before all else
  SplitTree tree;
  std::vector<DcPredLeaf> leaves;
  DcPredReport report;

  Index outputs() const { return classes.size() <= 2 ? 1 : static_cast<Index>(classes.size()); }
  Index stride() const { return data::padded(n_features); }
};

/// Inner products of d features that a row costs in a leaf of m landmarks and p pseudo landmarks, besides the tree.
double leaf_cost(Index m, Index p, Index d, Index outputs, PseudoLandmarks pseudo);

/// Its file, defined in file.cpp.
const files::ModelFile<DcPredData>& file_of(const DcPredData* type);

}  // namespace dcsvm::dc_pred
