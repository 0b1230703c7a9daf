// F7: dcsvm/predict.hpp on top of predict/.
#include "dcsvm/predict.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "models/model_data.hpp"
#include "predict/decide.hpp"
#include "predict/probability.hpp"

namespace dcsvm {

namespace {

const models::ModelData& checked(const Model& model, const DataView& x) {
  if (model.empty()) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  const models::ModelData& m = *model.data();
  if (cols_of(x) != m.n_features) {
    const bool given = m.kernel.type == KernelType::precomputed;
    throw DataError("X has " + std::to_string(cols_of(x)) +
                    (given ? " columns, but the model was trained on " : " features, but the model was trained with ") +
                    std::to_string(m.n_features) + (given ? " rows (precomputed kernel: X is K(test, train))" : ""));
  }
  return m;
}

void run(const Model& model, const DataView& x, const PredictOptions& options, const prediction::Output& out) {
  const models::ModelData& m = checked(model, x);
  const int n_threads = base::resolve_threads(options.n_threads);
  if (rows_of(x) == 0) return;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Monitor monitor(hooks);
  // A few queries are answered before another thread has started. Results do not depend on the number of threads.
  const double values = static_cast<double>(rows_of(x)) * static_cast<double>(m.support.size());
  constexpr double kWorthAThread = 1e5;
  const int useful = values < kWorthAThread ? 1 : n_threads;
  base::ThreadPool pool(useful, [&] { monitor.poll(); });
  data::check_data(x, pool);
  prediction::decide(m, x, pool, out);
}

}  // namespace

Index decision_columns(const Model& model) {
  if (model.empty()) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  return model.data()->n_pairs();
}

void decision_function(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  prediction::Output output;
  output.decisions = out;
  run(model, x, options, output);
}

Index probability_columns(const Model& model) {
  return model.formulation() == Formulation::one_class ? 2 : static_cast<Index>(model.classes().size());
}

void probabilities(const Model& model, const double* decisions, Index n, double* out) {
  if (is_regression(model.formulation()))
    throw DataError("model: a regression has no classes; Model::calibration has the scale of its error");
  if (model.calibration().empty()) {
    throw DataError(
        model.formulation() == Formulation::one_class
            ? "model has no probabilities: it was trained without probability=True, or on fewer than 5 rows inside or outside"
            : "model has no probabilities: it was trained without probability=True, or given another prediction since");
  }
  prediction::probabilities(model.calibration(), static_cast<Index>(model.classes().size()), decisions, n, out);
}

void predict_proba(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  checked(model, x);
  probabilities(model, nullptr, 0, nullptr);  // refuses before the work
  const Index columns = decision_columns(model);
  std::vector<double> decisions(static_cast<std::size_t>(rows_of(x) * columns));
  decision_function(model, x, decisions.data(), options);
  probabilities(model, decisions.data(), rows_of(x), out);
}

void predict(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  prediction::Output output;
  output.labels = out;
  run(model, x, options, output);
}

}  // namespace dcsvm
