// dcsvm/predict.hpp.
#include "dcsvm/predict.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/array_size.hpp"
#include "data/predict_call.hpp"
#include "dcsvm/errors.hpp"
#include "svm/model/model_data.hpp"
#include "svm/prediction/decide.hpp"
#include "svm/prediction/queries.hpp"
#include "svm/probability/pairwise_coupling.hpp"

namespace dcsvm {

namespace {

void run(const Model& model, const DataView& x, const PredictOptions& options, const data::Output& out) {
  const svm::ModelData& m = svm::data_for_queries(model, x);
  const double values = static_cast<double>(rows_of(x)) * static_cast<double>(m.support.size());
  data::run_prediction(x, values, options, [&](base::ThreadPool& pool) {
    data::check_domain(x, m.kernel.type, pool);
    svm::decide(m, x, pool, out);
  });
}

}  // namespace

Index decision_columns(const Model& model) { return base::require_model(model.data()).n_pairs(); }

void decision_function(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  data::Output output;
  output.decisions = out;
  run(model, x, options, output);
}

Index probability_columns(const Model& model) {
  return predicts_sides(model.formulation()) ? 2 : static_cast<Index>(model.classes().size());
}

void probabilities(const Model& model, const double* decisions, Index n, double* out) {
  if (is_regression(model.formulation()))
    throw DataError("model: a regression has no classes; Model::calibration has the scale of its error");
  if (model.calibration().empty()) {
    throw DataError(
        predicts_sides(model.formulation())
            ? "model has no probabilities: it was trained without probability=True (--probability), or on fewer than "
              "5 rows inside or outside"
        : model.report().stop_reason == StopReason::cancelled
            ? "model has no probabilities: its training was stopped before they were fitted, or they were not asked for "
              "(probability=True, --probability)"
            : "model has no probabilities: it was trained without probability=True (--probability), or given another "
              "prediction since");
  }
  svm::probabilities(model.calibration(), static_cast<Index>(model.classes().size()), decisions, n, out);
}

void predict_proba(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  svm::data_for_queries(model, x);
  probabilities(model, nullptr, 0, nullptr);  // throws before the work when there are none
  const Index columns = decision_columns(model);
  std::vector<double> decisions(base::array_size(rows_of(x), columns));
  decision_function(model, x, decisions.data(), options);
  probabilities(model, decisions.data(), rows_of(x), out);
}

void predict(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  data::Output output;
  output.labels = out;
  run(model, x, options, output);
}

}  // namespace dcsvm
