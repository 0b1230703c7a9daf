#include "cross_validation/fold_margin.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/jobs.hpp"
#include "cross_validation/fold_tasks.hpp"
#include "kernel_matrix/kept_rows.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/path.hpp"
#include "qp/repair.hpp"

namespace dcsvm::cross_validation {

namespace {

constexpr double kLooseTol = 0.1;   // of the solution that says where the margin is
constexpr double kBand = 0.1;       // rows this near to it take part, in decision values ...
constexpr double kFirstJoinBand = 0.1, kJoinBand = 0.02;  // ... and these join with a row that violates
constexpr double kKeptShare = 0.75;  // of the memory, for kernel values of these
constexpr double kMemoryRoom = 1.2;
constexpr double kRowBytes = 1024;  // and their packed features
constexpr double kFirstTol = 0.03;  // of the first round, which finds more such rows
constexpr Index kFewColumns = 2048;  // the solver's tiles: to pick these from kept rows costs more than cheap values
constexpr double kMostShare = 0.6;  // of the rows near the margin: more, and nothing is gained
constexpr Index kFirstFolds = 2;   // these are solved first: one would leave threads idle
constexpr int kMostRounds = 8;
constexpr Index kWorkingSet = 512;  // side by side, larger tiles do not fit the cores' own caches
constexpr std::size_t kFewJobs = 4;  // for each thread
constexpr double kLeads = 1e12;    // cost of a job that all threads do together

template <class T>
class MarginSolver {
 public:
  MarginSolver(const kernel_matrix::RowSource<T>& rows, const svm::FoldedClasses& folded, Index a, Index b,
               const std::vector<double>& scales, const TrainParams& params, const qp::Options& options, base::Context& context,
               const Progress& progress, base::Buffer<T>& memory)
      : rows_(rows),
        folded_(folded),
        a_(a),
        b_(b),
        scales_(scales),
        params_(params),
        options_(options),
        context_(context),
        progress_(progress),
        memory_(memory),
        chosen_(static_cast<std::size_t>(rows.size()), 0),
        place_(static_cast<std::size_t>(rows.size()), -1) {
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
      if (round == 0) seed_folds();  // after the first folds, which found most of the rows that matter, the others
      for (const Task& task : tasks_) open = open || task.open;
      if (!open) return true;
    }
    return false;
  }

  void tell(const std::function<void(Index, std::size_t, const double*, const qp::Result&)>& done) const {
    for (const Task& task : tasks_) {
      std::vector<double> decisions;
      for (const Index i : (*folded_.folds)[task.fold].test) decisions.push_back(task.sums[i] + task.result.bias);
      done(task.fold, task.s, decisions.data(), task.result);
    }
  }

 private:
  Index n_folds() const { return static_cast<Index>(folded_.folds->size()); }
  Task* tasks_of(Index fold) { return tasks_.data() + static_cast<std::size_t>(fold) * scales_.size(); }
  double bound(Index fold, Index row) const {
    const double weight = folded_.weight != nullptr ? folded_.weight[row] : 1.0;
    return weight * folded_.factor[fold][folded_.class_of[row]];
  }
  double sign(Index row) const { return folded_.class_of[row] == a_ ? 1.0 : -1.0; }

  void find_margin();
  void number_margin();
  bool solve_open();
  void solve_chain(const kernel_matrix::RowSource<T>& kept, const Chain& chain, base::Context& context, const Progress& progress);
  void keep(Task& task, const std::vector<Index>& ids, const std::vector<double>& beta, const qp::Result& result) const;
  void sum_open();
  void sum_over(const std::vector<Index>& columns, const std::vector<Task*>& tasks);
  void seed_folds();
  bool join_violators();

  const kernel_matrix::RowSource<T>& rows_;
  const svm::FoldedClasses& folded_;
  Index a_, b_;
  const std::vector<double>& scales_;
  const TrainParams& params_;
  const qp::Options& options_;
  base::Context& context_;
  const Progress& progress_;
  base::Buffer<T>& memory_;  // of kept rows
  std::vector<Task> tasks_;  // by fold, then C
  double stage_tol_ = 0;
  std::int64_t kept_bytes_ = 0;
  Index n_members_ = 0;
  std::vector<Index> margin_;  // rows that take part, in the order of folded_
  std::vector<char> chosen_;  // by row: in margin_
  std::vector<std::int32_t> place_;  // by row: where in margin_
};

// The amount by which a row with gradient g, whose coefficient is 0, violates the conditions of a solution.
double violation_at_zero(double sign, double g, const qp::Result& result, bool equality) {
  return sign > 0 ? g - (equality ? result.low : 0.0) : (equality ? result.up : 0.0) - g;
}

template <class T>
void MarginSolver<T>::find_margin() {
  std::vector<Index> members;
  std::vector<Index> fold_of(rows_.size(), -1);
  for (Index f = 0; f < n_folds(); ++f) {
    for (const Index c : {a_, b_}) {
      for (const Index i : folded_.rows_of_class(f, c)) fold_of[i] = f;
    }
  }
  Box box;
  for (const Index i : folded_.order) {
    if (fold_of[i] < 0) continue;
    members.push_back(i);
    box.add(sign(i), scales_.front() * bound(fold_of[i], i));
  }
  n_members_ = static_cast<Index>(members.size());
  const auto subset = kernel_matrix::make_subset(rows_, members);
  std::vector<double> beta(members.size(), 0.0), g(members.size());
  qp::Options loose = options_;
  loose.tol = std::max(options_.tol, kLooseTol);
  loose.working_set = kWorkingSet;
  base::Context own = context_;
  own.cap_bytes -= memory_.bytes();
  const auto result = qp::solve(*subset, box.problem(params_.fit_intercept), loose, beta.data(), g.data(), own, progress_);
  for (std::size_t p = 0; p < members.size(); ++p) {
    if (beta[p] != 0.0 || violation_at_zero(box.q[p], g[p], result, params_.fit_intercept) > -kBand) chosen_[members[p]] = 1;
  }
  number_margin();
}

template <class T>
void MarginSolver<T>::number_margin() {
  margin_.clear();
  for (const Index i : folded_.order) {
    if (chosen_[i] == 0) continue;
    place_[i] = static_cast<std::int32_t>(margin_.size());
    margin_.push_back(i);
  }
}

// Every open task, side by side.
template <class T>
bool MarginSolver<T>::solve_open() {
  const auto subset = kernel_matrix::make_subset(rows_, margin_);
  std::vector<Index> order(margin_.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<Index>(p);
  base::Context own = context_;
  kept_bytes_ = 0;
  std::unique_ptr<kernel_matrix::RowSource<T>> kept;  // all of them or none: which ones would be a matter of threads
  const double n = static_cast<double>(margin_.size()) + 16.0, bytes = n * n * sizeof(T) + kRowBytes * n;
  if (bytes <= kKeptShare * static_cast<double>(context_.cap_bytes)) {
    if (static_cast<double>(memory_.bytes()) < bytes) memory_ = base::Buffer<T>();
    if (memory_.size() == 0) {  // with room for rows that join
      const double room = std::min(kMemoryRoom * bytes, kKeptShare * static_cast<double>(context_.cap_bytes));
      memory_ = base::Buffer<T>(static_cast<Index>(room / sizeof(T)));
    }
    const std::size_t held = memory_.bytes();
    kept = kernel_matrix::make_kept_rows(*subset, order, static_cast<std::size_t>(bytes), *context_.pool, kFewColumns, &memory_);
    own.cap_bytes -= std::max(static_cast<std::size_t>(bytes), held);
    kept_bytes_ = static_cast<std::int64_t>(context_.cap_bytes - own.cap_bytes);
  }
  std::vector<Chain> chains;
  std::vector<base::Job> jobs;
  for (Index f = 0; f < n_folds(); ++f) {
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      const Task& task = tasks_of(f)[s];
      const bool follows = s > 0 && tasks_of(f)[s - 1].open && (task.sums.empty() || mostly_free(tasks_of(f)[s - 1]));
      if (!task.open) continue;
      if (!follows) chains.push_back({f, s, s}), jobs.push_back({0.0, own.cap_bytes / 2});
      ++chains.back().end;
      jobs.back().cost += 1.0;
    }
  }
  // What one thread each would leave over at the end is done first, by all of them.
  const auto threads = static_cast<std::size_t>(context_.pool->size());
  const bool few = jobs.size() > threads && jobs.size() < kFewJobs * threads;
  for (std::size_t j = 0; few && j < jobs.size() % threads; ++j) jobs[j].cost = kLeads;
  return base::run_jobs(jobs, progress_, own, [&](Index j, base::Context& context, const Progress& progress) {
    solve_chain(kept ? *kept : *subset, chains[j], context, progress);
  });
}

// Each task from the better of what it has and the solution for the C before it.
template <class T>
void MarginSolver<T>::solve_chain(const kernel_matrix::RowSource<T>& kept, const Chain& chain, base::Context& context,
                                  const Progress& progress) {
  const Index fold = chain.fold;
  std::vector<Index> ids, places;
  std::vector<Index> position(rows_.size());
  Box unit;
  for (const Index c : {a_, b_}) {
    for (const Index i : folded_.rows_of_class(fold, c)) {
      if (chosen_[i] == 0) continue;
      position[i] = static_cast<Index>(ids.size());
      ids.push_back(i);
      places.push_back(place_[i]);
      unit.add(sign(i), bound(fold, i));
    }
  }
  const auto subset = kernel_matrix::make_subset(kept, places);
  const qp::Problem unit_problem = unit.problem(params_.fit_intercept);
  qp::Options how = options_;
  how.tol = stage_tol_;
  how.gradient_given = true;
  how.working_set = kWorkingSet;
  const auto start_of = [&](const Task& task) {
    Start start{std::vector<double>(ids.size(), 0.0), unit.q};
    for (std::size_t i = 0; i < ids.size() && !task.sums.empty(); ++i) start.g[i] -= task.sums[ids[i]];
    for (std::size_t t = 0; t < task.support.size(); ++t) start.beta[position[task.support[t]]] = task.coef[t];
    return start;
  };
  Task* tasks = tasks_of(fold);
  Start along;
  for (std::size_t s = chain.begin; s < chain.end; ++s) {
    Start start = start_of(tasks[s]);
    Box box;
    for (std::size_t i = 0; i < ids.size(); ++i) box.add(unit.q[i], scales_[s] * (unit.hi[i] - unit.lo[i]));
    if (s > chain.begin) {
      qp::extend_solution(unit_problem, scales_[s - 1], scales_[s], mostly_free(tasks[s - 1]), along.beta.data(), along.g.data());
      const double left = start.work(box, params_.fit_intercept, how.tol);
      if (along.work(box, params_.fit_intercept, how.tol) <= left) start = std::move(along);
    }
    const auto result =
        qp::solve(*subset, box.problem(params_.fit_intercept), how, start.beta.data(), start.g.data(), context, progress);
    keep(tasks[s], ids, start.beta, result);
    along = std::move(start);
  }
}

template <class T>
void MarginSolver<T>::keep(Task& task, const std::vector<Index>& ids, const std::vector<double>& beta,
                           const qp::Result& result) const {
  task.support.clear();
  task.coef.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (beta[i] == 0.0) continue;
    task.support.push_back(ids[i]);
    task.coef.push_back(beta[i]);
  }
  const qp::Result before = std::exchange(task.result, result);
  task.result.n_iter += before.n_iter;
  task.result.peak_bytes = std::max(task.result.peak_bytes + kept_bytes_, before.peak_bytes);
  task.result.seconds_rows += before.seconds_rows;
  task.result.seconds_inner += before.seconds_inner;
  task.result.seconds_select += before.seconds_select;
  task.result.seconds_update += before.seconds_update;
}

template <class T>
void MarginSolver<T>::sum_open() {
  std::vector<Index> all(rows_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  std::vector<Task*> open;
  for (Task& task : tasks_) {
    if (task.open) open.push_back(&task);
  }
  sum_over(all, open);
}

// The tasks' sums at these rows, in one pass over their kernel rows. Sums at other rows are left as they are.
template <class T>
void MarginSolver<T>::sum_over(const std::vector<Index>& columns, const std::vector<Task*>& tasks) {
  std::vector<Index> support;
  std::vector<std::int32_t> place(rows_.size(), -1);
  for (const Task* task : tasks) {
    for (const Index i : task->support) place[i] = 0;
  }
  for (const Index i : margin_) {
    if (place[i] < 0) continue;
    place[i] = static_cast<std::int32_t>(support.size());
    support.push_back(i);
  }
  std::vector<std::vector<double>> coef, sum(tasks.size(), std::vector<double>(columns.size(), 0.0));
  std::vector<const double*> coefs;
  std::vector<double*> sums;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    coef.emplace_back(support.size(), 0.0);
    for (std::size_t t = 0; t < tasks[k]->support.size(); ++t) coef.back()[place[tasks[k]->support[t]]] = tasks[k]->coef[t];
    coefs.push_back(coef.back().data());
    sums.push_back(sum[k].data());
  }
  rows_.columns(columns.data(), static_cast<Index>(columns.size()), context_.cap_bytes / 4, *context_.pool)
      ->multiply_many(support.data(), static_cast<Index>(support.size()), coefs, sums, *context_.pool);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    tasks[k]->sums.resize(rows_.size());
    for (std::size_t j = 0; j < columns.size(); ++j) tasks[k]->sums[columns[j]] = sum[k][j];
  }
}

// The other folds' start: the mean of the first folds' coefficients, over those folds that train on the row.
template <class T>
void MarginSolver<T>::seed_folds() {
  std::vector<Task*> seeded;
  for (Index fold = kFirstFolds; fold < n_folds(); ++fold) {
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      std::vector<double> sum(rows_.size(), 0.0), count(static_cast<std::size_t>(rows_.size()), 0.0);
      for (Index first = 0; first < kFirstFolds; ++first) {
        const Task& task = tasks_of(first)[s];
        for (std::size_t t = 0; t < task.support.size(); ++t) sum[task.support[t]] += task.coef[t];
        for (const Index c : {a_, b_}) {
          for (const Index i : folded_.rows_of_class(first, c)) count[i] += 1.0;
        }
      }
      std::vector<Index> ids;
      std::vector<double> beta;
      Box box;
      for (const Index c : {a_, b_}) {
        for (const Index i : folded_.rows_of_class(fold, c)) {
          if (sum[i] == 0.0) continue;
          ids.push_back(i);
          box.add(sign(i), scales_[s] * bound(fold, i));
          beta.push_back(std::clamp(sum[i] / count[i], box.lo.back(), box.hi.back()));
        }
      }
      if (params_.fit_intercept) qp::balance_sum(beta.data(), box.lo.data(), box.hi.data(), static_cast<Index>(ids.size()));
      Task& task = tasks_of(fold)[s];
      task.open = true;
      for (std::size_t t = 0; t < ids.size(); ++t) {
        if (beta[t] == 0.0) continue;
        ++task.result.n_support;
        if (beta[t] == box.lo[t] || beta[t] == box.hi[t]) ++task.result.n_bounded;
        task.support.push_back(ids[t]);
        task.coef.push_back(beta[t]);
      }
      seeded.push_back(&task);
    }
  }
  sum_over(margin_, seeded);
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
          if (chosen_[i] != 0) continue;
          const double v = violation_at_zero(sign(i), sign(i) - task.sums[i], task.result, params_.fit_intercept);
          worst = std::max(worst, v);
          if (slack > 0 && v >= options_.tol - slack) joins[i] = 1;
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
bool solve_on_margin(const kernel_matrix::RowSource<T>& rows, const svm::FoldedClasses& folded, Index a, Index b,
                     const std::vector<double>& scales, const TrainParams& params, const qp::Options& options,
                     base::Context& context, const Progress& progress, base::Buffer<T>& memory,
                     const std::function<void(Index, std::size_t, const double*, const qp::Result&)>& done) {
  if (memory.bytes() > context.cap_bytes / 4) memory = base::Buffer<T>();  // others need room before
  MarginSolver<T> solver(rows, folded, a, b, scales, params, options, context, progress, memory);
  if (!solver.run()) return false;
  solver.tell(done);
  return true;
}

template bool solve_on_margin<float>(const kernel_matrix::RowSource<float>&, const svm::FoldedClasses&, Index, Index,
                                     const std::vector<double>&, const TrainParams&, const qp::Options&, base::Context&,
                                     const Progress&, base::Buffer<float>&,
                                     const std::function<void(Index, std::size_t, const double*, const qp::Result&)>&);
template bool solve_on_margin<double>(const kernel_matrix::RowSource<double>&, const svm::FoldedClasses&, Index, Index,
                                      const std::vector<double>&, const TrainParams&, const qp::Options&, base::Context&,
                                      const Progress&, base::Buffer<double>&,
                                      const std::function<void(Index, std::size_t, const double*, const qp::Result&)>&);

}  // namespace dcsvm::cross_validation
