#include "dcsvm/cross_validate.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/call.hpp"
#include "base/param_checks.hpp"
#include "cross_validation/fold_grid.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/resolve_kernel.hpp"
#include "svm/checkpoint.hpp"
#include "svm/fold_trainings.hpp"
#include "svm/folds/folds.hpp"
#include "svm/params.hpp"
#include "svm/train_sampled.hpp"
#include "svm/warnings.hpp"

namespace dcsvm {

namespace {

constexpr Index kApartFrom = 25000;  // rows from which folds are trained one by one

void check_grid(const char* name, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && std::isfinite(values[i])) continue;
    std::ostringstream text;
    text << name << " must hold finite numbers > 0, got " << values[i] << " at position " << i;
    throw ParameterError(text.str());
  }
}

/// What tells a cross-validation from others.
files::Identity identity_of(const DataView& x, const double* y, const TrainParams& params, const Grid& grid,
                            const std::vector<Fold>& folds, HeldOut what, const TrainInputs& inputs, base::ThreadPool& pool) {
  auto identity = svm::identity_of(x, y, params, inputs, 0, pool);
  identity.emplace_back("function", "cross_validate");
  identity.emplace_back("values of C", svm::checksum_text(grid.C.data(), grid.C.size() * sizeof(double)));
  identity.emplace_back("values of gamma", svm::checksum_text(grid.gamma.data(), grid.gamma.size() * sizeof(double)));
  std::vector<Index> rows;
  for (const Fold& fold : folds) {
    for (const auto* part : {&fold.train, &fold.test}) {
      rows.push_back(static_cast<Index>(part->size()));
      rows.insert(rows.end(), part->begin(), part->end());
    }
  }
  identity.emplace_back("folds", svm::checksum_text(rows.data(), rows.size() * sizeof(Index)));
  identity.emplace_back("held-out rows get", what == HeldOut::decisions ? "decision values" : "predictions");
  return identity;
}

/// Each fold by trainings of its own.
CrossValidation train_apart(const data::Summary& x, const double* y, const TrainParams& params, const Grid& grid,
                            const std::vector<Fold>& folds, HeldOut what, double* out, const double* sample_weight,
                            const Hooks& hooks, base::Context& context) {
  CrossValidation done;
  done.C = grid.C;
  done.gamma = grid.gamma;
  if (done.gamma.empty()) done.gamma.push_back(kernels::resolve_kernel(x, params.kernel, params.gamma_rule, *context.pool).gamma);
  done.n_fits = static_cast<Index>(done.gamma.size() * done.C.size() * folds.size());
  svm::FoldCosts costs = svm::train_folds(x, y, params, done.C, done.gamma, folds, what, out, sample_weight, hooks, context);
  done.n_unconverged = costs.n_unconverged;
  done.violation = costs.violation;
  done.n_iter = costs.n_iter;
  done.n_kernel_values = costs.n_kernel_values;
  done.peak_cache_bytes = costs.peak_cache_bytes;
  done.seconds = std::move(costs.seconds);
  return done;
}

}  // namespace

CrossValidation cross_validate(const DataView& x, const double* y, const TrainParams& params, const Grid& grid,
                               const std::vector<Fold>& folds, HeldOut what, double* out, const TrainInputs& inputs,
                               const Hooks& hooks) {
  svm::check_params(params);
  check_grid("C", grid.C);
  check_grid("gamma", grid.gamma);
  svm::check_folds(folds, rows_of(x));
  if (inputs.warm_start_alpha != nullptr)
    throw ParameterError("warm_start_alpha is not for cross-validation: folds have other rows");
  base::refuse_max_seconds(params.max_seconds, "a cross-validation");
  if (params.probability)
    throw ParameterError("probability is not for cross-validation: held-out rows get labels or decision values");
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks);
  const bool classifier = is_classifier(params.formulation);
  const data::Summary summary(x);
  summary.check(call.pool, params.kernel.type != KernelType::precomputed);
  data::check_domain(x, params.kernel.type, call.pool);
  if (classifier) data::check_labels(y, rows_of(x));
  if (inputs.sample_weight != nullptr) data::check_weights(inputs.sample_weight, rows_of(x));
  Grid all = grid;
  if (all.C.empty()) all.C.push_back(params.C);
  // Fold by fold with train(): problems without pairs, divide-and-conquer and sampled solvers, and large problems, for which
  // train() chooses the solver.
  const bool apart = !classifier || params.early_level || params.solver == SolverType::dc || svm::solves_samples(params.solver) ||
                     (params.solver == SolverType::automatic && rows_of(x) >= kApartFrom);
  svm::CallCheckpoint checkpoint(inputs, [&] { return identity_of(x, y, params, all, folds, what, inputs, call.pool); });
  call.context.place = checkpoint.place();
  auto result =
      apart ? train_apart(summary, y, params, all, folds, what, out, inputs.sample_weight, hooks, call.context)
            : cross_validation::run_fold_grid(summary, y, params, all, folds, what, out, inputs.sample_weight, call.context);
  checkpoint.end();
  result.warnings = svm::data_warnings(x, params.kernel.type);
  result.seconds["total"] = base::seconds_since(call.monitor.start());
  return result;
}

CrossValidation cross_validate(const DataView& x, const double* y, const TrainParams& params, int n_folds, double* out,
                               const TrainInputs& inputs, const Hooks& hooks) {
  const bool classifier = is_classifier(params.formulation);
  if (classifier) data::check_labels(y, rows_of(x));
  const auto folds = make_folds(y, rows_of(x), n_folds, classifier, params.seed);
  std::vector<double> held_out(rows_of(x));
  auto result = cross_validate(x, y, params, {}, folds, HeldOut::predictions, held_out.data(), inputs, hooks);
  std::size_t next = 0;
  for (const Fold& fold : folds) {
    for (const Index i : fold.test) out[i] = held_out[next++];
  }
  return result;
}

Index held_out_columns(const double* y, Index n, const TrainParams& params, HeldOut what) {
  if (what == HeldOut::predictions || !is_classifier(params.formulation)) return 1;
  std::vector<double> classes(y, y + n);
  std::sort(classes.begin(), classes.end());
  const Index k = std::unique(classes.begin(), classes.end()) - classes.begin();
  return k * (k - 1) / 2;
}

}  // namespace dcsvm
