#include "cross_validation/fold_grid.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/jobs.hpp"
#include "cross_validation/fold_margin.hpp"
#include "data/labels.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kept_rows.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/folds/fold_solver.hpp"

namespace dcsvm::cross_validation {

namespace {

constexpr std::size_t kLiveGammas = 2;  // so that no thread is idle while the last folds of a gamma are solved

// One pair of one fold.
struct Cell {
  Index fold, a, b;
};

// Memory that one gamma leaves to the next.
struct Spare {
  base::Buffer<float> single;
  base::Buffer<double> twice;
  base::Buffer<float>& of(float) { return single; }
  base::Buffer<double>& of(double) { return twice; }
};

// Solves cells for one gamma.
class GammaSolver {
 public:
  virtual ~GammaSolver() = default;
  virtual void solve(const Cell& cell, const std::vector<double>& scales, base::Context& context, const Progress& progress,
                     const std::function<void(std::size_t, const double*, const qp::Result&)>& done) = 0;
  // All folds of a pair at once; false: it is to be solved fold by fold, or the host cancelled.
  virtual bool solve_folds(Index a, Index b, const std::vector<double>& scales, base::Context& context, const Progress& progress,
                           Spare& spare,
                           const std::function<void(Index, std::size_t, const double*, const qp::Result&)>& done) = 0;
  virtual std::int64_t n_values() const = 0;
  virtual std::size_t value_bytes() const = 0;
  virtual bool keeps_rows() const = 0;
};

template <class T>
class GammaSolverOf final : public GammaSolver {
 public:
  GammaSolverOf(svm::TrainingProblem problem, const TrainParams& params, const svm::FoldedClasses& folded, std::size_t bytes,
                base::ThreadPool& pool)
      : problem_(std::move(problem)), params_(params), folded_(folded) {
    rows_ = kernel_matrix::make_kernel_rows<T>(*problem_.x, problem_.kernel, pool);
    if (rows_->work_per_value() >= kernel_matrix::kDearWork)
      kept_ = kernel_matrix::make_kept_rows(*rows_, folded.order, bytes, pool);
  }
  void solve(const Cell& cell, const std::vector<double>& scales, base::Context& context, const Progress& progress,
             const std::function<void(std::size_t, const double*, const qp::Result&)>& done) override {
    svm::solve_fold_pair(kept_ ? *kept_ : *rows_, folded_, cell.fold, cell.a, cell.b, scales, params_,
                         (*folded_.folds)[cell.fold].test, options(), context, progress, done);
  }
  bool solve_folds(Index a, Index b, const std::vector<double>& scales, base::Context& context, const Progress& progress,
                   Spare& spare, const std::function<void(Index, std::size_t, const double*, const qp::Result&)>& done) override {
    if (kept_ || params_.formulation != Formulation::c_svc) return false;
    for (std::size_t f = 0; f < folded_.folds->size(); ++f) {
      const auto in_a = folded_.rows_of_class(static_cast<Index>(f), a).size();
      const auto in_b = folded_.rows_of_class(static_cast<Index>(f), b).size();
      if (in_a == 0 || in_b == 0 || static_cast<Index>(in_a + in_b) < kMarginFrom) return false;
    }
    auto& memory = spare.of(T());
    const bool solved = solve_on_margin(*rows_, folded_, a, b, scales, params_, options(), context, progress, memory, done);
    if (!solved) memory = base::Buffer<T>();
    return solved;
  }
  std::int64_t n_values() const override { return rows_->n_values(); }
  std::size_t value_bytes() const override { return sizeof(T); }
  bool keeps_rows() const override { return kept_ != nullptr; }

 private:
  qp::Options options() const { return {svm::solver_tol(problem_, params_), params_.max_iter, params_.shrinking}; }

  svm::TrainingProblem problem_;
  const TrainParams& params_;
  const svm::FoldedClasses& folded_;
  std::unique_ptr<kernel_matrix::RowSource<T>> rows_, kept_;
};

// What the pairs say about the test rows of one fold, for one gamma and C, as they come.
class Ballots {
 public:
  Ballots(const svm::FoldedClasses& folded, Index fold, HeldOut what, double* out)
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
  // The class of most votes among those with training rows, ties to the lower.
  void count() {
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
  std::vector<char> present_;  // by class
  std::vector<std::int32_t> votes_;
};

class FoldGrid {
 public:
  FoldGrid(const DataView& x, const double* y, const TrainParams& params, const Grid& grid, const std::vector<Fold>& folds,
           HeldOut what, double* out, const double* sample_weight, base::Context& context)
      : x_(x),
        y_(y),
        params_(params),
        grid_(grid),
        folds_(folds),
        what_(what),
        out_(out),
        weight_(sample_weight),
        context_(context) {
    std::vector<double> classes;
    std::vector<int> class_of;
    data::find_classes(y, rows_of(x), classes, class_of);
    folded_ = svm::fold_classes(std::move(classes), std::move(class_of), params, sample_weight, folds);
    by_size_.resize(grid.C.size());
    std::iota(by_size_.begin(), by_size_.end(), std::size_t{0});
    std::stable_sort(by_size_.begin(), by_size_.end(), [&](std::size_t a, std::size_t b) { return grid.C[a] < grid.C[b]; });
    for (const std::size_t c : by_size_) scales_.push_back(grid.C[c]);
    for (Index f = 0; f < static_cast<Index>(folds.size()); ++f) {
      first_test_.push_back(n_tests_);
      n_tests_ += static_cast<Index>(folds[f].test.size());
    }
    done_.C = grid.C;
    done_.n_fits = static_cast<Index>(grid.C.size() * std::max<std::size_t>(1, grid.gamma.size()) * folds.size());
  }

  CrossValidation run() {
    const std::size_t n_gammas = std::max<std::size_t>(1, grid_.gamma.size());
    const std::size_t live = std::min(n_gammas, kLiveGammas);
    for (std::size_t g = 0; g < n_gammas; g += live) run_gammas(g, std::min(n_gammas, g + live), context_.cap_bytes / 2 / live);
    return std::move(done_);
  }

 private:
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
    if (problem.precision == Precision::double_)
      return std::make_unique<GammaSolverOf<double>>(std::move(problem), params_, folded_, bytes, *context_.pool);
    return std::make_unique<GammaSolverOf<float>>(std::move(problem), params_, folded_, bytes, *context_.pool);
  }

  double* out_of(std::size_t g, std::size_t c, Index fold) {
    const Index columns = what_ == HeldOut::decisions ? folded_.n_pairs() : 1;
    return out_ + (static_cast<Index>(g * grid_.C.size() + c) * n_tests_ + first_test_[fold]) * columns;
  }

  void run_gammas(std::size_t begin, std::size_t end, std::size_t bytes);
  void note(Index fold, std::size_t s, const qp::Result& result);

  const DataView& x_;
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
  std::vector<Index> first_test_;     // of each fold
  Index n_tests_ = 0;
  std::mutex mutex_;                  // guards what follows, and Ballots
  CrossValidation done_;
  std::vector<char> unconverged_;     // folds x C of the gammas at hand
  Spare spare_;
};

void FoldGrid::note(Index fit, std::size_t s, const qp::Result& result) {
  done_.n_iter += result.n_iter;
  done_.seconds["solve.rows"] += result.seconds_rows;
  done_.seconds["solve.inner"] += result.seconds_inner;
  done_.seconds["solve.select"] += result.seconds_select - result.seconds_rows;  // tiles are filled while selecting
  done_.seconds["solve.update"] += result.seconds_update;
  done_.violation = std::max(done_.violation, result.violation);
  done_.peak_cache_bytes = std::max(done_.peak_cache_bytes, result.peak_bytes);
  if (result.stop_reason != StopReason::converged) unconverged_[static_cast<std::size_t>(fit) * scales_.size() + s] = 1;
}

void FoldGrid::run_gammas(std::size_t begin, std::size_t end, std::size_t bytes) {
  std::vector<std::unique_ptr<GammaSolver>> solvers;
  std::vector<Ballots> ballots;  // gammas x folds x C values, C ascending
  for (std::size_t g = begin; g < end; ++g) {
    solvers.push_back(make_solver(g, bytes));
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      for (const std::size_t c : by_size_)
        ballots.emplace_back(folded_, static_cast<Index>(f), what_, out_of(g, c, static_cast<Index>(f)));
    }
  }
  base::Context own = context_;
  for (const auto& solver : solvers) own.cap_bytes -= solver->keeps_rows() ? bytes : 0;
  unconverged_.assign(ballots.size(), 0);
  Progress progress;
  progress.phase = "solve";
  const auto take = [&](std::size_t g, const Cell& cell, std::size_t s, const double* decisions, const qp::Result& result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Index fit = static_cast<Index>(g * folds_.size()) + cell.fold;
    ballots[static_cast<std::size_t>(fit) * scales_.size() + s].add(cell.a, cell.b, decisions);
    note(fit, s, result);
  };
  std::vector<std::pair<std::size_t, Cell>> apart;  // gamma and cell
  std::vector<base::Job> jobs;
  for (std::size_t g = 0; g < solvers.size(); ++g) {
    for (Index a = 0; a < folded_.n_classes(); ++a) {
      for (Index b = a + 1; b < folded_.n_classes(); ++b) {
        if (solvers[g]->solve_folds(a, b, scales_, own, progress, spare_,
                                    [&](Index fold, std::size_t s, const double* decisions, const qp::Result& result) {
                                      take(g, {fold, a, b}, s, decisions, result);
                                    }))
          continue;
        for (Index f = 0; f < static_cast<Index>(folds_.size()); ++f) {
          const auto n = static_cast<Index>(folded_.rows_of_class(f, a).size() + folded_.rows_of_class(f, b).size());
          apart.push_back({g, {f, a, b}});
          jobs.push_back(
              {static_cast<double>(n) * static_cast<double>(n), base::job_cap(n, solvers[g]->value_bytes(), own.cap_bytes)});
        }
      }
    }
  }
  const bool all = base::run_jobs(jobs, progress, own, [&](Index j, base::Context& context, const Progress& now) {
    const auto& [g, cell] = apart[j];
    solvers[g]->solve(cell, scales_, context, now,
                      [&, g = g, cell = cell](std::size_t s, const double* decisions, const qp::Result& result) {
                        take(g, cell, s, decisions, result);
                      });
  });
  if (!all) throw Interrupted();
  for (auto& b : ballots) b.count();
  done_.n_unconverged += std::count(unconverged_.begin(), unconverged_.end(), 1);
  for (const auto& solver : solvers) done_.n_kernel_values += solver->n_values();
}

}  // namespace

CrossValidation run_fold_grid(const DataView& x, const double* y, const TrainParams& params, const Grid& grid,
                              const std::vector<Fold>& folds, HeldOut what, double* out, const double* sample_weight,
                              base::Context& context) {
  return FoldGrid(x, y, params, grid, folds, what, out, sample_weight, context).run();
}

}  // namespace dcsvm::cross_validation
