// The data of a trained model: plain data that training fills, prediction reads and file.cpp stores.
#pragma once

#include <variant>
#include <vector>

#include "data/point_store.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"
#include "svm/model/packed_support.hpp"

namespace dcsvm::files {
template <class M>
struct ModelFile;
}  // namespace dcsvm::files

namespace dcsvm::svm {

/// One-vs-one expansion over a run of support vectors: the whole model, or one cluster of it.
struct Expansion {
  Index first_sv = 0;             ///< its support vectors are [first_sv, first_sv + sum n_sv) of the store
  std::vector<int> classes;       ///< the classes (positions in ModelData::classes) present in it, ascending
  std::vector<Index> n_sv;        ///< support vectors of each of `classes`; SVs are grouped by class in this order
  std::vector<double> rho;        ///< one per pair of `classes`, (0,1), (0,2), ...
};

/// Cluster centres in kernel space: ||phi(x) - mu_c||^2 = K(x,x) - 2/w_c sum_{j in c} K(x, s_j) + constant_c over the sample s.
struct KernelRouter {
  KernelParams kernel;  ///< of the clustering: a very local RBF is widened for it (clustering/clustering_kernel.hpp)
  data::PointStore sample;  ///< m points, grouped by cluster; precomputed kernel: one float64 column, their training rows
  std::vector<Index> first;  ///< clusters + 1: cluster c owns sample points [first[c], first[c+1])
  std::vector<double> constant;  ///< per cluster: 1/w_c^2 sum_{i,j in c} K(s_i, s_j)
};
/// Cluster centres in input space.
struct CentreRouter {
  Index clusters = 0, cols = 0;
  std::vector<double> centres;  ///< clusters x cols
};

/// Precomputed kernel: prediction gets K(test, train); only SV indices are kept, `points` stays empty.
struct ModelData {
  Formulation formulation = Formulation::c_svc;
  double nu = 0.5, epsilon = 0.1;  ///< as given
  KernelParams kernel;
  Precision precision = Precision::single_;
  bool fit_intercept = true;
  Index n_features = 0, n_train = 0;
  std::vector<double> classes;  ///< ascending; empty: one-class or regression, laid out as two classes of which all SVs are 0
  /// Of each class in the order of LIBSVM's file, which decides ties (data/one_vs_one.hpp); empty: that of `classes`.
  std::vector<int> places;
  data::PointStore points;  ///< the support vectors
  std::vector<Index> support;  ///< their rows in the training data
  std::vector<int> sv_class;  ///< position of each one's class in `classes`
  /// (n_classes - 1) x n_support row-major: LIBSVM's sv_coef = y alpha. For an SV of class i its coefficient in the pair with
  /// class j sits in row j - 1 when j > i, else in row j; positive in the pair's lower class.
  std::vector<double> sv_coef;
  std::vector<Expansion> expansions;  ///< one; clustered: one per cluster (trained with bias, a cluster of one class has no SVs)
  std::variant<std::monostate, KernelRouter, CentreRouter> router;  ///< monostate: not clustered
  LevelPrediction prediction = LevelPrediction::early;
  double C = 1.0;  ///< of the training
  std::vector<Index> cluster_sizes;  ///< training points per cluster
  Calibration calibration;
  Report report;
  PackedSupport packed;  ///< not part of the model: what predictions found

  /// LIBSVM's nr_class.
  Index n_classes() const { return classes.empty() ? 2 : static_cast<Index>(classes.size()); }
  Index n_pairs() const { return n_classes() * (n_classes() - 1) / 2; }
  bool clustered() const { return !std::holds_alternative<std::monostate>(router); }
};

/// Its file, defined in file.cpp.
const files::ModelFile<ModelData>& file_of(const ModelData* type);

}  // namespace dcsvm::svm
