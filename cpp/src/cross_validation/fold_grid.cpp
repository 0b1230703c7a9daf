#include "cross_validation/fold_grid.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/jobs.hpp"
#include "data/labels.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kept_rows.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/folds/fold_solver.hpp"

namespace dcsvm::cross_validation {

namespace {

constexpr std::size_t kLiveGammas = 2;  // so that no thread is idle while the last folds of a gamma are solved

// The kernel matrix for one gamma, in single or double precision.
class GammaSolver {
 public:
  virtual ~GammaSolver() = default;
  virtual void solve(const svm::FoldPair& pair, const std::vector<double>& scales, base::Context& context,
                     const Progress& progress, const svm::FoldPairDone& done) = 0;
  virtual std::int64_t n_values() const = 0;
  virtual std::size_t value_bytes() const = 0;
  virtual std::size_t held_bytes() const = 0;  // of the points and of kept rows
};

template <class T>
class GammaSolverOf final : public GammaSolver {
 public:
  // bytes: of memory, of which the solves need some.
  GammaSolverOf(svm::TrainingProblem problem, const TrainParams& params, const svm::FoldedClasses& folded, std::size_t bytes,
                base::ThreadPool& pool)
      : problem_(std::move(problem)), params_(params), folded_(folded) {
    rows_ = kernel_matrix::make_summable_rows<T>(*problem_.x, problem_.kernel, bytes / 2, pool);
    const std::size_t points = std::min(rows_->bytes(), bytes / 2);
    held_bytes_ = points;
    if (rows_->linear_rows() || rows_->work_per_value() < kernel_matrix::kShareWork) return;
    // What the whole matrix takes, with as much for its columns as for the points: else half.
    const auto whole = static_cast<std::size_t>(kernel_matrix::kept_matrix_bytes<T>(problem_.n));
    const std::size_t kept = std::clamp(whole + whole / 16 + 2 * points, bytes / 2, bytes / 8 * 7);
    kept_ = kernel_matrix::make_kept_rows(*rows_, folded.order, kept - points, pool);
    if (kept_) held_bytes_ = kept;
  }
  void solve(const svm::FoldPair& pair, const std::vector<double>& scales, base::Context& context, const Progress& progress,
             const svm::FoldPairDone& done) override {
    const qp::Options options = svm::solver_options(problem_, params_);
    svm::solve_fold_pair(kept_ ? *kept_ : *rows_, folded_, pair, scales, params_, (*folded_.folds)[pair.fold].test, options,
                         context, progress, done);
  }
  std::int64_t n_values() const override { return rows_->n_values(); }
  std::size_t value_bytes() const override { return sizeof(T); }
  std::size_t held_bytes() const override { return held_bytes_; }

 private:
  svm::TrainingProblem problem_;
  const TrainParams& params_;
  const svm::FoldedClasses& folded_;
  std::unique_ptr<kernel_matrix::RowSource<T>> rows_, kept_;
  std::size_t held_bytes_ = 0;
};

// The held-out rows of one fold for one gamma and C: collects the decision values of the pairs, or the votes that they give.
class HeldOutRows {
 public:
  HeldOutRows(const svm::FoldedClasses& folded, Index fold, HeldOut what, double* out)
      : folded_(folded),
        n_(static_cast<Index>((*folded.folds)[fold].test.size())),
        decide_(what == HeldOut::decisions),
        out_(out) {
    if (!decide_) votes_.assign(n_ * folded.n_classes(), 0);
    for (Index c = 0; c < folded.n_classes(); ++c) present_.push_back(folded.rows_of_class(fold, c).empty() ? 0 : 1);
  }
  void add(Index a, Index b, const double* decisions) {
    if (decide_) {
      const Index pairs = folded_.n_pairs(), pair = data::pair_index(a, b, folded_.n_classes());
      for (Index t = 0; t < n_; ++t) out_[t * pairs + pair] = decisions[t];
    } else if (present_[a] != 0 && present_[b] != 0) {
      for (Index t = 0; t < n_; ++t) ++votes_[t * folded_.n_classes() + (decisions[t] > 0 ? a : b)];
    }
  }
  // Predictions: the class of most votes among those with training rows, ties to the lower.
  void finish() {
    const Index k = folded_.n_classes();
    for (Index t = 0; t < n_ && !decide_; ++t) {
      Index best = std::find(present_.begin(), present_.end(), 1) - present_.begin();
      for (Index c = best + 1; c < k; ++c) {
        if (present_[c] != 0 && votes_[t * k + c] > votes_[t * k + best]) best = c;
      }
      out_[t] = folded_.classes[best];
    }
    votes_ = {};
  }

 private:
  const svm::FoldedClasses& folded_;
  Index n_;
  bool decide_;
  double* out_;
  std::vector<char> present_;  // by class: has training rows
  std::vector<std::int32_t> votes_;
};

class FoldGrid {
 public:
  FoldGrid(const data::Summary& x, const double* y, const TrainParams& params, const Grid& grid, const std::vector<Fold>& folds,
           HeldOut what, double* out, const double* sample_weight, base::Context& context)
      : x_(x),
        y_(y),
        params_(params),
        grid_(grid),
        folds_(folds),
        what_(what),
        out_(out),
        weight_(sample_weight),
        context_(context),
        by_size_(grid.C.size()) {
    std::vector<double> classes;
    std::vector<int> class_of;
    data::find_classes(y, rows_of(x), classes, class_of);
    folded_ = svm::fold_classes(std::move(classes), std::move(class_of), params, sample_weight, folds);
    std::iota(by_size_.begin(), by_size_.end(), std::size_t{0});
    std::stable_sort(by_size_.begin(), by_size_.end(), [&](std::size_t a, std::size_t b) { return grid.C[a] < grid.C[b]; });
    for (const std::size_t c : by_size_) scales_.push_back(grid.C[c]);
    for (const Fold& fold : folds) {
      first_test_.push_back(n_tests_);
      n_tests_ += static_cast<Index>(fold.test.size());
    }
    done_.C = grid.C;
    done_.n_fits = static_cast<Index>(grid.C.size() * std::max<std::size_t>(1, grid.gamma.size()) * folds.size());
  }

  CrossValidation run() {
    const std::size_t n_gammas = std::max<std::size_t>(1, grid_.gamma.size());
    const std::size_t live = std::min(n_gammas, kLiveGammas);
    for (std::size_t g = 0; g < n_gammas; g += live) run_gammas(g, std::min(n_gammas, g + live), context_.cap_bytes / live);
    return std::move(done_);
  }

 private:
  // What is solved at the same time: a pair of a fold for one of the gammas at hand.
  struct Cell {
    std::size_t gamma;
    svm::FoldPair pair;
  };

  std::unique_ptr<GammaSolver> make_solver(std::size_t g, std::size_t bytes) {
    TrainParams params = params_;
    params.C = scales_.back();
    if (!grid_.gamma.empty()) {
      params.kernel.gamma = grid_.gamma[g];
      params.gamma_rule = GammaRule::value;
    }
    TrainInputs inputs;
    inputs.sample_weight = weight_;
    svm::TrainingProblem problem = svm::make_problem(x_, y_, params, inputs, *context_.pool);
    done_.gamma.push_back(problem.kernel.gamma);
    if (problem.solved_in == Precision::double_)
      return std::make_unique<GammaSolverOf<double>>(std::move(problem), params_, folded_, bytes, *context_.pool);
    return std::make_unique<GammaSolverOf<float>>(std::move(problem), params_, folded_, bytes, *context_.pool);
  }
  double* out_of(std::size_t g, std::size_t c, Index fold) {
    const Index columns = what_ == HeldOut::decisions ? folded_.n_pairs() : 1;
    return out_ + (static_cast<Index>(g * grid_.C.size() + c) * n_tests_ + first_test_[fold]) * columns;
  }
  void prepare(std::size_t begin, std::size_t end, std::size_t bytes);
  void run_gammas(std::size_t begin, std::size_t end, std::size_t bytes);
  void take(const Cell& cell, std::size_t s, const double* decisions, const qp::Result& result);

  const data::Summary& x_;
  const double* y_;
  const TrainParams& params_;
  const Grid& grid_;
  const std::vector<Fold>& folds_;
  HeldOut what_;
  double* out_;
  const double* weight_;
  base::Context& context_;
  svm::FoldedClasses folded_;
  std::vector<std::size_t> by_size_;  // positions in grid.C, C ascending
  std::vector<double> scales_;
  std::vector<Index> first_test_;  // of each fold
  Index n_tests_ = 0;
  std::vector<std::unique_ptr<GammaSolver>> solvers_;  // of the gammas at hand
  std::mutex mutex_;                                   // guards what follows
  CrossValidation done_;
  std::vector<HeldOutRows> held_out_;  // gammas at hand x folds x C values, C ascending
  std::vector<char> unconverged_;      // the same
};

void FoldGrid::prepare(std::size_t begin, std::size_t end, std::size_t bytes) {
  solvers_.clear();
  held_out_.clear();
  for (std::size_t g = begin; g < end; ++g) {
    solvers_.push_back(make_solver(g, bytes));
    for (Index f = 0; f < static_cast<Index>(folds_.size()); ++f) {
      for (const std::size_t c : by_size_) held_out_.emplace_back(folded_, f, what_, out_of(g, c, f));
    }
  }
  unconverged_.assign(held_out_.size(), 0);
}

void FoldGrid::take(const Cell& cell, std::size_t s, const double* decisions, const qp::Result& result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t fit = (cell.gamma * folds_.size() + static_cast<std::size_t>(cell.pair.fold)) * scales_.size() + s;
  held_out_[fit].add(cell.pair.a, cell.pair.b, decisions);
  if (result.stop_reason != StopReason::converged) unconverged_[fit] = 1;
  done_.n_iter += result.n_iter;
  done_.seconds["solve.rows"] += result.seconds_rows;
  done_.seconds["solve.inner"] += result.seconds_inner;
  done_.seconds["solve.select"] += result.seconds_select;
  done_.seconds["solve.update"] += result.seconds_update;
  done_.violation = std::max(done_.violation, result.violation);
  done_.peak_cache_bytes = std::max(done_.peak_cache_bytes, result.peak_bytes);
}

void FoldGrid::run_gammas(std::size_t begin, std::size_t end, std::size_t bytes) {
  prepare(begin, end, bytes);
  base::Context own = context_;
  for (const auto& solver : solvers_) own.cap_bytes -= solver->held_bytes();
  std::vector<Cell> cells;
  std::vector<base::Job> jobs;
  for (std::size_t g = 0; g < solvers_.size(); ++g) {
    for (const svm::FoldPair& pair : svm::fold_pairs(folded_)) {
      cells.push_back({g, pair});
      jobs.push_back(svm::job_of(folded_, pair, solvers_[g]->value_bytes(), own.cap_bytes));
    }
  }
  Progress progress;
  progress.phase = "solve";
  const bool all = base::run_jobs(jobs, progress, own, [&](Index j, base::Context& context, const Progress& now) {
    const Cell& cell = cells[j];
    solvers_[cell.gamma]->solve(
        cell.pair, scales_, context, now,
        [&](std::size_t s, const double* decisions, const qp::Result& result) { take(cell, s, decisions, result); });
  });
  if (!all) throw Interrupted();
  for (auto& rows : held_out_) rows.finish();
  done_.n_unconverged += std::count(unconverged_.begin(), unconverged_.end(), 1);
  for (const auto& solver : solvers_) done_.n_kernel_values += solver->n_values();
}

}  // namespace

CrossValidation run_fold_grid(const data::Summary& x, const double* y, const TrainParams& params, const Grid& grid,
                              const std::vector<Fold>& folds, HeldOut what, double* out, const double* sample_weight,
                              base::Context& context) {
  return FoldGrid(x, y, params, grid, folds, what, out, sample_weight, context).run();
}

}  // namespace dcsvm::cross_validation
