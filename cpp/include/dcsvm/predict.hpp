// Prediction. x must have the model's number of features (precomputed kernel: n_train columns, K(test, train)).
#pragma once

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm {

struct PredictOptions {
  int n_threads = 0;          ///< as TrainParams::n_threads
  std::function<bool()> interrupted;  ///< as Hooks::interrupted
};

/// Columns that decision_function writes for each row: n_classes * (n_classes - 1) / 2.
Index decision_columns(const Model& model);

/// out: rows x decision_columns, row-major. LIBSVM's convention: column of pair (i, j), i < j, is positive for class i
/// (so for two classes positive means classes()[0]).
/// Throws DataError (wrong number of columns, NaN or infinity: names row and column), Interrupted.
void decision_function(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// out: one label per row: the class with most pairwise votes (dec > 0 votes i, else j), ties to the lower class.
void predict(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

}  // namespace dcsvm
