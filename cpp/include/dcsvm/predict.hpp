// Prediction. x must have the model's number of features (precomputed kernel: n_train columns, K(test, train)).
#pragma once

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

/// Columns that decision_function writes for each row: n_classes * (n_classes - 1) / 2; 1 for one-class and regression.
Index decision_columns(const Model& model);

/// out: rows x decision_columns, row-major. LIBSVM's convention: column of pair (i, j), i < j, is positive for class i
/// (so for two classes positive means classes()[0]). one_class: positive inside; regression: the predicted value.
/// Throws DataError (wrong number of columns, NaN or infinity: names row and column), Interrupted.
void decision_function(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// out: one number per row. Classifiers: the class with most pairwise votes (dec > 0 votes i, else j), ties to the lower class.
/// one_class: +1 for a decision value > 0, else -1. Regression: the predicted value.
void predict(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// Columns that predict_proba writes for each row: n_classes (2 for one-class: inside, outside).
Index probability_columns(const Model& model);

/// out: rows x probability_columns, row-major: the probability of each class, in the order of classes(). Platt's sigmoid on each
/// pair's decision value (Platt 2000; Lin, Lin, Weng 2007), pairs joined by the second method of Wu, Lin, Weng (JMLR 5, 2004);
/// one_class: LIBSVM's density marks. The class of highest probability need not be the one that predict votes for.
/// Throws DataError as predict, and when the model has no probabilities (see Model::calibration).
void predict_proba(const Model& model, const DataView& x, double* out, const PredictOptions& options = {});

/// The same from decision values: decisions as decision_function wrote them for n rows.
void probabilities(const Model& model, const double* decisions, Index n, double* out);

}  // namespace dcsvm
