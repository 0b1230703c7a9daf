// What predictions by every kind of model have in common: checks, threads, cancellation.
#pragma once

#include <string>

#include "base/call.hpp"
#include "base/require_model.hpp"
#include "data/check.hpp"
#include "dcsvm/call.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::data {

/// The model's data. ParameterError for a default-constructed model, DataError when X has another number of columns or no array.
template <class M>
const auto& data_for(const M& model, const DataView& x) {
  const auto& m = base::require_model(model.data());
  if (cols_of(x) != m.n_features) {
    throw DataError("X has " + std::to_string(cols_of(x)) + " features, but the model was trained with " +
                    std::to_string(m.n_features));
  }
  check_given(x);
  return m;
}

/// Checks the rows of x and calls decide(pool), whose results must not depend on the number of threads. `work`: kernel values
/// that the prediction needs; one thread does few.
template <class Decide>
void run_prediction(const DataView& x, double work, const PredictOptions& options, Decide&& decide) {
  constexpr double kLeastWork = 1e5;  // kernel values from which starting threads pays
  const int n_threads = base::resolve_threads(options.n_threads);
  if (rows_of(x) == 0) return;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Call call(work < kLeastWork ? 1 : n_threads, 0, 0.0, hooks);
  check_data(x, call.pool);
  decide(call.pool);
}

}  // namespace dcsvm::data
