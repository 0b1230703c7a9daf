// What predictions of every kind of model do around the decisions.
#pragma once

#include <string>

#include "base/context.hpp"
#include "base/require_model.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"

namespace dcsvm::data {

/// The model's data. ParameterError for a default-constructed model, DataError when X has another number of columns.
template <class M>
const auto& data_for(const M& model, const DataView& x) {
  const auto& m = base::require_model(model.data());
  if (cols_of(x) != m.n_features) {
    throw DataError("X has " + std::to_string(cols_of(x)) + " features, but the model was trained with " +
                    std::to_string(m.n_features));
  }
  return m;
}

/// decide(pool) on checked rows; on one thread when they cost `work` kernel values or less than starting another takes. Results
/// do not depend on the number of threads.
template <class Decide>
void answer(const DataView& x, double work, const PredictOptions& options, Decide&& decide) {
  constexpr double kWorthAThread = 1e5;  // kernel values
  const int n_threads = base::resolve_threads(options.n_threads);
  if (rows_of(x) == 0) return;
  Hooks hooks;
  hooks.interrupted = options.interrupted;
  base::Monitor monitor(hooks);
  base::ThreadPool pool(work < kWorthAThread ? 1 : n_threads, [&] { monitor.poll(); });
  check_data(x, pool);
  decide(pool);
}

}  // namespace dcsvm::data
