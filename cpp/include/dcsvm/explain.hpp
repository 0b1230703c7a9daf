// Why a model decides as it does: shares of features, gradients, support vectors. In double, whatever precision the model has.
//
// Decisions are those of decision_function, with its signs; "pairs" are its columns. A clustered model decides by one of several
// models, and these functions throw ParameterError for it. x: as for prediction.
#pragma once

#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

/// Exact Shapley values of the features, for kernels that are a product of one factor for each feature (rbf, laplacian): out,
/// rows x n_features x pairs, row-major. The game (Mohammadi et al., arXiv 2505.16516): the worth of a set S of features is
///   v(S) = sum_i coef_i prod_{j in S} k_j(x_j, x_ij) - rho,
/// the decision with the factors of other features put to 1: as if x agreed in them with every support vector. v(all) is the
/// decision, and a row's values add up to it less v(none), which explanation_base gives. A feature with factor 1 for all support
/// vectors gets 0.
/// Throws ParameterError (another kernel, a clustered model), DataError as decision_function, Interrupted.
void explain(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// v(none) = sum_i coef_i - rho of each pair.
std::vector<double> explanation_base(const Model& model);

/// Derivatives of the decisions by the features: out, rows x n_features x pairs, row-major.
/// For exponential, a support vector that equals the row adds 0: there that kernel has no derivative.
/// Throws ParameterError (kernels precomputed, laplacian, chi2, tanimoto; a clustered model), DataError as decision_function,
/// Interrupted.
void decision_gradient(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// The k support vectors of largest |coef K(x, support vector)|, in descending order, equal ones in ascending order of `indices`:
/// rows x k x pairs, row-major.
struct NearestSupport {
  Index* indices;  ///< positions among the support vectors; -1: the pair has fewer than k
  double* contributions;  ///< coef K: what the decision has from it; 0 where there is none
  double* shares;  ///< |coef K| over the sum of all of them
};
/// Any kernel. Throws ParameterError (k < 1, a clustered model), DataError as decision_function, Interrupted.
void nearest_support(const Model& model, const DataView& x, Index k, const NearestSupport& out,
                     const PredictOptions& options = {});

}  // namespace dcsvm
