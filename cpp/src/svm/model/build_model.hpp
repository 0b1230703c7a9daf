// From the solution over all training rows to what prediction needs: the support vectors, grouped, with their coefficients.
#pragma once

#include <variant>
#include <vector>

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// A one-vs-one solution over the n training rows; one-class and regression: `classes` is empty, class_of 0, k = 2.
struct OneVsOneSolution {
  const DataView& x;                   ///< n x n_features; precomputed: n x n
  bool precomputed;                    ///< x is the kernel matrix: no points are kept
  const std::vector<double>& classes;  ///< k labels, ascending
  const std::vector<int>& class_of;    ///< n positions in `classes`; -1: row took no part
  /// (k - 1) x n row-major y_i alpha_i in LIBSVM's layout: row i, in class c, keeps its coefficient in the pair with class d
  /// at row d - 1 when d > c, else at row d; positive when c < d. Rows with any non-zero become support vectors.
  const std::vector<double>& coef;
};

/// What a clustered solution adds to it. The clusters are the router's.
struct Clustering {
  const std::vector<int>& cluster_of;                      ///< n, -1: row took no part
  const std::vector<std::vector<int>>& classes;  ///< per cluster: the classes present, ascending; empty: an empty cluster
  const std::vector<std::vector<double>>& rho;  ///< per cluster: one per pair of those
  std::variant<std::monostate, KernelRouter, CentreRouter> router;  ///< not monostate
};

/// One expansion over all support vectors, grouped by class, in the order of the training rows within a class. rho: one per
/// pair. Fills n_features, n_train, classes, points, support, sv_class, sv_coef, expansions, report.n_support; the caller the
/// rest.
ModelData build_expansion(const OneVsOneSolution& solution, std::vector<double> rho);

/// One expansion per cluster; support vectors grouped by cluster, then class, then training row. Trained without bias a row can
/// have a coefficient in a pair whose other class its cluster lacks: Eq. (5) sums them, so they are kept; with bias they are 0
/// and a cluster of one class has no support vectors. Also fills cluster_sizes and router.
ModelData build_clustered(const OneVsOneSolution& solution, Clustering clustering);

}  // namespace dcsvm::svm
