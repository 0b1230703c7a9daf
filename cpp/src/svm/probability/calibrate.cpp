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
#include "svm/probability/platt.hpp"

namespace dcsvm::svm {

namespace {

constexpr int kFolds = 5;

// Held-out decision values of one pair, with the class that each row has.
struct PairDecisions {
  std::vector<double> decisions;
  std::vector<char> first;  // whether the row is of the pair's first class
  void add(double decision, bool of_first) {
    decisions.push_back(decision);
    first.push_back(of_first ? 1 : 0);
  }
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

// One pair of one fold: its test rows of the two classes, in their order, and what the pair decides about them.
struct HeldOutPair {
  HeldOutPair(const FoldedClasses& folded, const FoldPair& which) : pair(which) {
    const Fold& fold = (*folded.folds)[pair.fold];
    std::copy_if(fold.test.begin(), fold.test.end(), std::back_inserter(test),
                 [&](Index i) { return folded.class_of[i] == pair.a || folded.class_of[i] == pair.b; });
  }
  FoldPair pair;
  std::vector<Index> test;
  std::vector<double> decisions;
};

}  // namespace

std::vector<Fold> calibration_folds(const std::vector<int>& class_of, bool stratified, std::uint64_t seed) {
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

template <class T>
Calibration calibrate_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                            const std::vector<double>& coef, base::Context& context) {
  const auto folds = calibration_folds(problem.class_of, true, context.seed);
  // problem.upper has all weights and C in it.
  const FoldedClasses folded = fold_classes(problem.classes, problem.class_of, TrainParams(), problem.upper.data(), folds);
  const Index k = folded.n_classes();
  base::Context own = context;
  std::unique_ptr<kernel_matrix::RowSource<T>> kept;
  const double matrix = static_cast<double>(problem.n) * static_cast<double>(problem.n) * sizeof(T);
  if (k > 2 && matrix < static_cast<double>(context.cap_bytes) / 4) {  // every row is in k - 1 pairs
    own.cap_bytes = context.cap_bytes / 2;
    kept = kernel_matrix::make_kept_rows(rows, folded.order, context.cap_bytes - own.cap_bytes, *context.pool);
  }
  std::vector<HeldOutPair> held_out;  // by pair, then fold
  std::vector<base::Job> jobs;
  for (const FoldPair& pair : fold_pairs(folded)) {
    held_out.emplace_back(folded, pair);
    jobs.push_back(job_of(folded, pair, sizeof(T), own.cap_bytes));
  }
  const qp::Options options = solver_options(problem, params);
  Progress progress;
  progress.phase = "calibrate";
  const bool all = base::run_jobs(jobs, progress, own, [&](Index j, base::Context& its, const Progress& now) {
    HeldOutPair& own_pair = held_out[j];
    solve_fold_pair(
        kept ? *kept : rows, folded, own_pair.pair, {1.0}, params, own_pair.test, options, its, now,
        [&](std::size_t, const double* decisions, const qp::Result&) {
          own_pair.decisions.assign(decisions, decisions + own_pair.test.size());
        },
        coef.data());
  });
  if (!all) return {};
  std::vector<PairDecisions> pairs(folded.n_pairs());
  for (const HeldOutPair& part : held_out) {
    PairDecisions& pair = pairs[data::pair_index(part.pair.a, part.pair.b, k)];
    for (std::size_t t = 0; t < part.test.size(); ++t) pair.add(part.decisions[t], folded.class_of[part.test[t]] == part.pair.a);
  }
  return fit_pairs(pairs);
}

namespace {

// Decision values for all pairs, of held-out rows; each pair takes those of the rows of its two classes.
Calibration fit_classes(const std::vector<double>& held_out, const std::vector<Index>& rows, const TrainingProblem& problem) {
  const auto k = static_cast<Index>(problem.classes.size()), columns = k * (k - 1) / 2;
  std::vector<PairDecisions> pairs(columns);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Index own = problem.class_of[rows[t]];
    for (Index other = 0; other < k; ++other) {
      if (other == own) continue;
      const Index pair = data::pair_index(std::min(own, other), std::max(own, other), k);
      pairs[pair].add(held_out[static_cast<Index>(t) * columns + pair], own < other);
    }
  }
  return fit_pairs(pairs);
}

}  // namespace

Calibration calibrate_held_out(const TrainingProblem& problem, const double* y, const std::vector<Fold>& folds,
                               std::vector<double> held_out) {
  std::vector<Index> rows;
  for (const Fold& fold : folds) rows.insert(rows.end(), fold.test.begin(), fold.test.end());
  if (!problem.classes.empty()) return fit_classes(held_out, rows, problem);
  for (std::size_t t = 0; t < rows.size(); ++t) held_out[t] = y[rows[t]] - held_out[t];
  Calibration calibration;
  calibration.a.push_back(fit_laplace(held_out));
  return calibration;
}

Calibration calibrate_one_class(std::vector<double> decisions) {
  Calibration calibration;
  calibration.density_marks = density_marks(std::move(decisions));
  return calibration;
}

template Calibration calibrate_pairs<float>(const kernel_matrix::RowSource<float>&, const TrainingProblem&, const TrainParams&,
                                            const std::vector<double>&, base::Context&);
template Calibration calibrate_pairs<double>(const kernel_matrix::RowSource<double>&, const TrainingProblem&, const TrainParams&,
                                             const std::vector<double>&, base::Context&);

}  // namespace dcsvm::svm
