// A clustered model from models that were trained elsewhere, one for each cluster.
#pragma once

#include <vector>

#include "dcsvm/model.hpp"

namespace dcsvm {

/// One cluster of rows and what was trained on them.
struct ClusterPart {
  Model model;  ///< trained on the cluster's rows, not clustered itself; empty for a classifier's cluster of one class
  double only_class = 0;  ///< of a cluster without a model: the class of its rows
  Index n_rows = 0;  ///< rows of the cluster
  std::vector<Index> support;  ///< rows of the whole training data that are Model::support, in its order
};

/// The early model of Hsieh, Si, Dhillon (2014), Eq. (6): a query is answered by the part whose centre is nearest.
/// n_train: rows of the whole training data. classes: labels of all of it, ascending; empty for one-class and regression.
/// centres: parts x n_features, row-major, in X's space. The report sums the parts' reports. Model::with_prediction gives the
/// other ways to predict. Throws DataError: parts that differ in kernel, features, storage or formulation, a class that is not in
/// `classes`, rows out of range, no part with a model.
Model merge_clusters(const std::vector<ClusterPart>& parts, Index n_train, const std::vector<double>& classes,
                     const std::vector<double>& centres);

}  // namespace dcsvm
