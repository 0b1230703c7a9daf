#include "svm/probability/calibrate.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/jobs.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kept_rows.hpp"
#include "svm/folds/fold_solver.hpp"
#include "svm/folds/fold_train.hpp"
#include "svm/probability/platt.hpp"

namespace dcsvm::svm {

namespace {

constexpr int kFolds = 5;

// Folds of the rows that take part (class_of >= 0), by row number.
std::vector<Fold> folds_of_part(const std::vector<int>& class_of, bool stratified, std::uint64_t seed) {
  std::vector<Index> rows;
  std::vector<double> label;
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    if (class_of[i] < 0) continue;
    rows.push_back(static_cast<Index>(i));
    label.push_back(class_of[i]);
  }
  const auto n = static_cast<Index>(rows.size());
  auto folds = make_folds(label.data(), n, static_cast<int>(std::min<Index>(kFolds, n)), stratified, seed);
  for (Fold& fold : folds) {
    for (auto* part : {&fold.train, &fold.test}) {
      for (Index& i : *part) i = rows[i];
    }
  }
  return folds;
}

// Held-out decision values of one pair, fold by fold.
struct PairDecisions {
  std::vector<double> decisions;
  std::vector<char> first;  // whether the row is of the pair's first class
};

Calibration fit_pairs(const std::vector<PairDecisions>& pairs) {
  Calibration calibration;
  for (const PairDecisions& pair : pairs) {
    const auto [a, b] = fit_sigmoid(pair.decisions, pair.first);
    calibration.a.push_back(a);
    calibration.b.push_back(b);
  }
  return calibration;
}

// The rows of `fold.test` of two classes, in their order.
std::vector<Index> rows_of_pair(const Fold& fold, const std::vector<int>& class_of, Index a, Index b) {
  std::vector<Index> rows;
  std::copy_if(fold.test.begin(), fold.test.end(), std::back_inserter(rows),
               [&](Index i) { return class_of[i] == a || class_of[i] == b; });
  return rows;
}

}  // namespace

template <class T>
Calibration calibrate_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                            base::Context& context) {
  const auto folds = folds_of_part(problem.class_of, true, context.seed);
  // problem.upper has all weights and C in it.
  const FoldedClasses folded = fold_classes(problem.classes, problem.class_of, TrainParams(), problem.upper.data(), folds);
  const auto n_folds = static_cast<Index>(folds.size()), k = folded.n_classes();
  base::Context own = context;
  std::unique_ptr<kernel_matrix::RowSource<T>> kept;
  const double matrix = static_cast<double>(problem.n) * static_cast<double>(problem.n) * sizeof(T);
  if (k > 2 && matrix < static_cast<double>(context.cap_bytes) / 4) {  // every row is in k - 1 pairs
    own.cap_bytes = context.cap_bytes / 2;
    kept = kernel_matrix::make_kept_rows(rows, folded.order, context.cap_bytes - own.cap_bytes, *context.pool);
  }
  struct Cell {
    Index fold, a, b;
    std::vector<double> decisions;
  };
  std::vector<Cell> cells;  // by pair, then fold
  std::vector<base::Job> jobs;
  for (Index a = 0; a < k; ++a) {
    for (Index b = a + 1; b < k; ++b) {
      for (Index f = 0; f < n_folds; ++f) {
        const auto n = static_cast<Index>(folded.rows_of_class(f, a).size() + folded.rows_of_class(f, b).size());
        cells.push_back({f, a, b, {}});
        jobs.push_back({static_cast<double>(n) * static_cast<double>(n), base::job_cap(n, sizeof(T), own.cap_bytes)});
      }
    }
  }
  const qp::Options options{solver_tol(problem, params), params.max_iter, params.shrinking};
  Progress progress;
  progress.phase = "calibrate";
  const bool all = base::run_jobs(jobs, progress, own, [&](Index j, base::Context& its, const Progress& now) {
    Cell& cell = cells[j];
    const auto test = rows_of_pair(folds[cell.fold], folded.class_of, cell.a, cell.b);
    solve_fold_pair(kept ? *kept : rows, folded, cell.fold, cell.a, cell.b, {1.0}, params, test, options, its, now,
                    [&](std::size_t, const double* decisions, const qp::Result&) {
                      cell.decisions.assign(decisions, decisions + test.size());
                    });
  });
  if (!all) return {};
  std::vector<PairDecisions> pairs(folded.n_pairs());
  for (const Cell& cell : cells) {
    PairDecisions& pair = pairs[data::pair_index(cell.a, cell.b, k)];
    const auto test = rows_of_pair(folds[cell.fold], folded.class_of, cell.a, cell.b);
    pair.decisions.insert(pair.decisions.end(), cell.decisions.begin(), cell.decisions.end());
    for (const Index i : test) pair.first.push_back(folded.class_of[i] == cell.a ? 1 : 0);
  }
  return fit_pairs(pairs);
}

Calibration calibrate_by_training(const TrainingProblem& problem, const double* y, const TrainParams& params,
                                  const double* sample_weight, const Hooks& hooks, base::ThreadPool& pool) {
  const bool classifier = is_classifier(params.formulation);
  const auto folds = folds_of_part(problem.class_of, classifier, params.seed);
  const auto k = static_cast<Index>(problem.classes.size()), columns = classifier ? k * (k - 1) / 2 : Index{1};
  std::vector<Index> rows;
  for (const Fold& fold : folds) rows.insert(rows.end(), fold.test.begin(), fold.test.end());
  TrainParams own = params;
  own.kernel = problem.kernel;
  std::vector<double> held_out(rows.size() * static_cast<std::size_t>(columns));
  const HeldOut what = classifier ? HeldOut::decisions : HeldOut::predictions;
  bool cancelled = false;
  Hooks noted = hooks;
  if (hooks.progress) noted.progress = [&](const Progress& p) { return cancelled = cancelled || hooks.progress(p); };
  try {
    train_folds(*problem.x, y, own, {{params.C}, {problem.kernel.gamma}}, folds, what, held_out.data(), sample_weight, noted,
                pool);
  } catch (const Interrupted&) {
    if (!cancelled) throw;
    return {};
  }
  if (!classifier) {
    for (std::size_t t = 0; t < rows.size(); ++t) held_out[t] = y[rows[t]] - held_out[t];
    Calibration calibration;
    calibration.a.push_back(fit_laplace(held_out));
    return calibration;
  }
  std::vector<PairDecisions> pairs(columns);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Index own_class = problem.class_of[rows[t]];
    for (Index other = 0; other < k; ++other) {
      if (other == own_class) continue;
      const Index pair = data::pair_index(std::min(own_class, other), std::max(own_class, other), k);
      pairs[pair].decisions.push_back(held_out[t * static_cast<std::size_t>(columns) + static_cast<std::size_t>(pair)]);
      pairs[pair].first.push_back(own_class < other ? 1 : 0);
    }
  }
  return fit_pairs(pairs);
}

Calibration calibrate_one_class(const Model& model, const DataView& x, const PredictOptions& options) {
  std::vector<double> decisions(rows_of(x));
  decision_function(model, x, decisions.data(), options);
  Calibration calibration;
  calibration.density_marks = density_marks(std::move(decisions));
  return calibration;
}

template Calibration calibrate_pairs<float>(const kernel_matrix::RowSource<float>&, const TrainingProblem&, const TrainParams&,
                                            base::Context&);
template Calibration calibrate_pairs<double>(const kernel_matrix::RowSource<double>&, const TrainingProblem&, const TrainParams&,
                                             base::Context&);

}  // namespace dcsvm::svm
