#include "api/fold_margin.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "multilevel/schedule.hpp"
#include "rows/kept_rows.hpp"
#include "rows/kernel_rows.hpp"
#include "solver/path.hpp"

namespace dcsvm::api {

namespace {

constexpr double kLooseTol = 0.1;   // of the solution that says where the margin is
constexpr double kBand = 0.1;       // rows this near to it take part, in decision values ...
constexpr double kFirstJoinBand = 0.1, kJoinBand = 0.02;  // ... and these join with a row that violates
constexpr double kKeptShare = 0.75;  // of the memory, for kernel values of these
constexpr double kRowBytes = 1024;  // and their packed features
constexpr double kFirstTol = 0.03;  // of the first round, which finds more such rows
constexpr Index kFewColumns = 2048;  // the solver's tiles: to pick these from kept rows costs more than cheap values
constexpr double kMostShare = 0.6;  // of the rows near the margin: more, and nothing is gained
constexpr Index kFirstFolds = 2;   // these are solved first: one would leave threads idle
constexpr int kMostRounds = 8;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// One fold and C: a solution in the numbers of the data's rows.
struct Task {
  Index fold;
  std::size_t s;
  std::vector<Index> support;
  std::vector<double> coef;
  solver::Result result;
  std::vector<double> sums;  // sum_i coef_i K(support_i, row) for every row of the data
  bool open = true;  // to be solved (again)
};

template <class T>
class MarginSolver {
 public:
  MarginSolver(const rows::RowSource<T>& rows, const FoldedClasses& folded, Index a, Index b, const std::vector<double>& scales,
               const TrainParams& params, const solver::Options& options, base::Context& context, const Progress& progress)
      : rows_(rows),
        folded_(folded),
        a_(a),
        b_(b),
        scales_(scales),
        params_(params),
        options_(options),
        context_(context),
        progress_(progress),
        chosen_(at(rows.size()), 0),
        place_(at(rows.size()), -1) {
    for (Index f = 0; f < n_folds(); ++f) {
      for (std::size_t s = 0; s < scales.size(); ++s) tasks_.push_back({f, s, {}, {}, {}, {}, f < kFirstFolds});
    }
  }

  bool run() {
    find_margin();
    for (int round = 0; round < kMostRounds; ++round) {
      if (static_cast<double>(margin_.size()) > kMostShare * static_cast<double>(n_members_)) return false;
      stage_tol_ = round == 0 ? std::max(options_.tol, kFirstTol) : options_.tol;
      if (!solve_open()) return false;
      sum_open();
      bool open = join_violators();
      for (Task& task : tasks_) {  // after the first folds, which found most of the rows that matter, the others
        task.open = task.open || task.sums.empty();
        open = open || task.open;
      }
      if (!open) return true;
    }
    return false;
  }

  void tell(const std::function<void(Index, std::size_t, const double*, const solver::Result&)>& done) const {
    for (const Task& task : tasks_) {
      std::vector<double> decisions;
      for (const Index i : (*folded_.folds)[at(task.fold)].test) decisions.push_back(task.sums[at(i)] + task.result.bias);
      done(task.fold, task.s, decisions.data(), task.result);
    }
  }

 private:
  Index n_folds() const { return static_cast<Index>(folded_.folds->size()); }
  double bound(Index fold, Index row) const {
    const double weight = folded_.weight != nullptr ? folded_.weight[row] : 1.0;
    return weight * folded_.factor[at(fold)][at(folded_.class_of[at(row)])];
  }
  double sign(Index row) const { return folded_.class_of[at(row)] == a_ ? 1.0 : -1.0; }

  void find_margin();
  void number_margin();
  bool solve_open();
  void solve_task(const rows::RowSource<T>& kept, Task* first, base::Context& context, const Progress& progress);
  void sum_open();
  bool join_violators();

  const rows::RowSource<T>& rows_;
  const FoldedClasses& folded_;
  Index a_, b_;
  const std::vector<double>& scales_;
  const TrainParams& params_;
  const solver::Options& options_;
  base::Context& context_;
  const Progress& progress_;
  std::vector<Task> tasks_;  // by fold, then C
  double stage_tol_ = 0;
  std::int64_t kept_bytes_ = 0;
  Index n_members_ = 0;
  std::vector<Index> margin_;  // rows that take part, in the order of folded_
  std::vector<char> chosen_;  // by row: in margin_
  std::vector<std::int32_t> place_;  // by row: where in margin_
};

// A problem of rows with labels, under bounds multiplied by C.
struct Box {
  std::vector<double> q, lo, hi;
  void add(double sign, double upper) {
    q.push_back(sign);
    lo.push_back(sign > 0 ? 0.0 : -upper);
    hi.push_back(sign > 0 ? upper : 0.0);
  }
  solver::Problem problem(bool equality) const {
    return {static_cast<Index>(q.size()), q.data(), lo.data(), hi.data(), equality};
  }
};

// The amount by which a row with gradient g, whose coefficient is 0, violates the conditions of a solution.
double violation_at_zero(double sign, double g, const solver::Result& result, bool equality) {
  return sign > 0 ? g - (equality ? result.low : 0.0) : (equality ? result.up : 0.0) - g;
}

template <class T>
void MarginSolver<T>::find_margin() {
  std::vector<Index> members;
  std::vector<Index> fold_of(at(rows_.size()), -1);
  for (Index f = 0; f < n_folds(); ++f) {
    for (const Index c : {a_, b_}) {
      for (const Index i : folded_.rows_of_class(f, c)) fold_of[at(i)] = f;
    }
  }
  Box box;
  for (const Index i : folded_.order) {
    if (fold_of[at(i)] < 0) continue;
    members.push_back(i);
    box.add(sign(i), scales_.front() * bound(fold_of[at(i)], i));
  }
  n_members_ = static_cast<Index>(members.size());
  const auto subset = rows::make_subset(rows_, members);
  std::vector<double> beta(members.size(), 0.0), g(members.size());
  solver::Options loose = options_;
  loose.tol = std::max(options_.tol, kLooseTol);
  const auto result =
      solver::solve(*subset, box.problem(params_.fit_intercept), loose, beta.data(), g.data(), context_, progress_);
  for (std::size_t p = 0; p < members.size(); ++p) {
    if (beta[p] != 0.0 || violation_at_zero(box.q[p], g[p], result, params_.fit_intercept) > -kBand) chosen_[at(members[p])] = 1;
  }
  number_margin();
}

template <class T>
void MarginSolver<T>::number_margin() {
  margin_.clear();
  for (const Index i : folded_.order) {
    if (chosen_[at(i)] == 0) continue;
    place_[at(i)] = static_cast<std::int32_t>(margin_.size());
    margin_.push_back(i);
  }
}

// Every open task, side by side.
template <class T>
bool MarginSolver<T>::solve_open() {
  const auto subset = rows::make_subset(rows_, margin_);
  std::vector<Index> order(margin_.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<Index>(p);
  base::Context own = context_;
  kept_bytes_ = 0;
  std::unique_ptr<rows::RowSource<T>> kept;  // all of them or none: which ones would be a matter of threads
  const double n = static_cast<double>(margin_.size()) + 16.0, bytes = n * n * sizeof(T) + kRowBytes * n;
  if (bytes <= kKeptShare * static_cast<double>(context_.cap_bytes)) {
    kept = rows::make_kept_rows(*subset, order, static_cast<std::size_t>(bytes), *context_.pool, kFewColumns);
    own.cap_bytes -= static_cast<std::size_t>(bytes);
    kept_bytes_ = static_cast<std::int64_t>(bytes);
  }
  std::vector<Task*> firsts;  // of a path along C that was never solved, or a task alone
  std::vector<multilevel::Job> jobs;
  for (Task& task : tasks_) {
    const bool path = task.sums.empty();
    if (!task.open || (path && task.s > 0)) continue;
    firsts.push_back(&task);
    jobs.push_back({path ? static_cast<double>(scales_.size()) : 1.0, own.cap_bytes / 2});
  }
  return multilevel::run_jobs(jobs, progress_, own, [&](Index j, base::Context& context, const Progress& progress) {
    solve_task(kept ? *kept : *subset, firsts[at(j)], context, progress);
  });
}

template <class T>
void MarginSolver<T>::solve_task(const rows::RowSource<T>& kept, Task* first, base::Context& context, const Progress& progress) {
  const Index fold = first->fold;
  std::vector<Index> ids, places;
  Box unit;
  for (const Index c : {a_, b_}) {
    for (const Index i : folded_.rows_of_class(fold, c)) {
      if (chosen_[at(i)] == 0) continue;
      ids.push_back(i);
      places.push_back(place_[at(i)]);
      unit.add(sign(i), bound(fold, i));
    }
  }
  const auto subset = rows::make_subset(kept, places);
  solver::Options how = options_;
  how.tol = stage_tol_;
  const auto keep = [&](Task& task, const double* beta, const solver::Result& result) {
    task.support.clear();
    task.coef.clear();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (beta[i] == 0.0) continue;
      task.support.push_back(ids[i]);
      task.coef.push_back(beta[i]);
    }
    const solver::Result before = std::exchange(task.result, result);
    task.result.n_iter += before.n_iter;
    task.result.peak_bytes = std::max(task.result.peak_bytes + kept_bytes_, before.peak_bytes);
    task.result.seconds_rows += before.seconds_rows;
    task.result.seconds_inner += before.seconds_inner;
    task.result.seconds_select += before.seconds_select;
    task.result.seconds_update += before.seconds_update;
  };
  if (first->sums.empty()) {
    solver::solve_path(*subset, unit.problem(params_.fit_intercept), scales_, how, context, progress,
                       [&](std::size_t s, const double* beta, const solver::Result& result) { keep(first[s], beta, result); });
    return;
  }
  how.gradient_given = true;
  std::vector<Index> position(at(rows_.size()));
  Box box;
  std::vector<double> beta(ids.size(), 0.0), g(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    position[at(ids[i])] = static_cast<Index>(i);
    box.add(unit.q[i], scales_[first->s] * (unit.hi[i] - unit.lo[i]));
    g[i] = unit.q[i] - first->sums[at(ids[i])];
  }
  for (std::size_t i = 0; i < first->support.size(); ++i) beta[at(position[at(first->support[i])])] = first->coef[i];
  keep(*first, beta.data(),
       solver::solve(*subset, box.problem(params_.fit_intercept), how, beta.data(), g.data(), context, progress));
}

// The sums of every open task over its support vectors, in one pass over their kernel rows.
template <class T>
void MarginSolver<T>::sum_open() {
  std::vector<Index> all(at(rows_.size())), support;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  std::vector<std::int32_t> place(all.size(), -1);
  for (const Task& task : tasks_) {
    for (std::size_t t = 0; task.open && t < task.support.size(); ++t) place[at(task.support[t])] = 0;
  }
  for (const Index i : margin_) {
    if (place[at(i)] < 0) continue;
    place[at(i)] = static_cast<std::int32_t>(support.size());
    support.push_back(i);
  }
  std::vector<std::vector<double>> coef;
  std::vector<const double*> coefs;
  std::vector<double*> sums;
  for (Task& task : tasks_) {
    if (!task.open) continue;
    coef.emplace_back(support.size(), 0.0);
    for (std::size_t t = 0; t < task.support.size(); ++t) coef.back()[at(place[at(task.support[t])])] = task.coef[t];
    task.sums.assign(all.size(), 0.0);
    sums.push_back(task.sums.data());
  }
  coefs.reserve(coef.size());
  for (const auto& c : coef) coefs.push_back(c.data());
  rows_.columns(all.data(), static_cast<Index>(all.size()), context_.cap_bytes / 4, *context_.pool)
      ->multiply_many(support.data(), static_cast<Index>(support.size()), coefs, sums, *context_.pool);
}

// Rows that violate the conditions of an open task join the margin, and the task stays open. False: none is open.
template <class T>
bool MarginSolver<T>::join_violators() {
  std::vector<char> joins(chosen_);
  bool any = false;
  for (Task& task : tasks_) {
    if (!task.open) continue;
    double worst = 0;
    // With a violator come those that are near.
    for (const double slack : {0.0, stage_tol_ > options_.tol ? kFirstJoinBand : kJoinBand}) {
      for (const Index c : {a_, b_}) {
        for (const Index i : folded_.rows_of_class(task.fold, c)) {
          if (chosen_[at(i)] != 0) continue;
          const double v = violation_at_zero(sign(i), sign(i) - task.sums[at(i)], task.result, params_.fit_intercept);
          worst = std::max(worst, v);
          if (slack > 0 && v >= options_.tol - slack) joins[at(i)] = 1;
        }
      }
      task.open = worst >= options_.tol || stage_tol_ > options_.tol;
      if (worst < options_.tol) break;
    }
    any = any || task.open;
    task.result.violation = std::max(task.result.violation, worst);
  }
  chosen_ = std::move(joins);
  number_margin();
  return any;
}

}  // namespace

template <class T>
bool solve_on_margin(const rows::RowSource<T>& rows, const FoldedClasses& folded, Index a, Index b,
                     const std::vector<double>& scales, const TrainParams& params, const solver::Options& options,
                     base::Context& context, const Progress& progress,
                     const std::function<void(Index, std::size_t, const double*, const solver::Result&)>& done) {
  MarginSolver<T> solver(rows, folded, a, b, scales, params, options, context, progress);
  if (!solver.run()) return false;
  solver.tell(done);
  return true;
}

template bool solve_on_margin<float>(const rows::RowSource<float>&, const FoldedClasses&, Index, Index,
                                     const std::vector<double>&, const TrainParams&, const solver::Options&, base::Context&,
                                     const Progress&,
                                     const std::function<void(Index, std::size_t, const double*, const solver::Result&)>&);
template bool solve_on_margin<double>(const rows::RowSource<double>&, const FoldedClasses&, Index, Index,
                                      const std::vector<double>&, const TrainParams&, const solver::Options&, base::Context&,
                                      const Progress&,
                                      const std::function<void(Index, std::size_t, const double*, const solver::Result&)>&);

}  // namespace dcsvm::api
