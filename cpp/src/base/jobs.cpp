#include "base/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>

#include "base/checkpoint.hpp"
#include "base/workspace.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::base {

namespace {

constexpr std::size_t kRoom = std::size_t{32} << 20;  // bytes for packed columns and tiles beside the kernel matrix
constexpr double kSmallCost = 2000.0 * 2000.0;  // below this a solve gains nothing from more threads
constexpr double kTinyCost = 300.0 * 300.0;  // of all jobs: below this they are done before a thread has started

class Runner {
 public:
  Runner(const std::vector<Job>& jobs, const Progress& progress, Context& context, const JobFunction& fn)
      : jobs_(jobs), progress_(progress), context_(context), fn_(fn), order_(jobs.size()) {
    progress_.total = static_cast<Index>(jobs.size());
    if (context.place != nullptr) place_ = context.place->next();
    std::iota(order_.begin(), order_.end(), Index{0});
    const auto before = [&](Index a, Index b) { return jobs[a].cost > jobs[b].cost; };
    if (!std::is_sorted(order_.begin(), order_.end(), before)) std::stable_sort(order_.begin(), order_.end(), before);
  }

  bool run() {
    report(true);
    const std::size_t begin = run_large();
    if (!cancelled_ && begin < order_.size()) run_side_by_side(begin);
    if (!cancelled_ && last_alone_) run_one(order_.size() - 1, *context_.pool, context_.monitor, nullptr);
    report(true);
    return !cancelled_;
  }

 private:
  /// On the calling thread only.
  void report(bool force = false) {
    if (context_.monitor == nullptr) return;
    Progress now = progress_;
    now.done = done_;
    if (context_.monitor->progress(now, force)) cancelled_ = true;
  }

  void run_one(std::size_t position, ThreadPool& pool, Monitor* monitor, Workspace* workspace) {
    const Index j = order_[position];
    Context own = context_;
    own.pool = &pool;
    own.monitor = monitor;
    own.workspace = workspace;
    own.cap_bytes = jobs_[j].cap_bytes;
    std::optional<Place> place;
    if (place_) place = place_->at(static_cast<std::uint32_t>(j));
    own.place = place ? &*place : nullptr;
    Progress now = progress_;
    now.done = done_;
    try {
      fn_(j, own, now);
    } catch (const Cancelled&) {
    }
    ++done_;
  }

  /// The leading jobs that would leave the other threads idle. Returns how many.
  std::size_t run_large() {
    const double threads = context_.pool->size();
    double left = 0.0;
    for (const Job& job : jobs_) left += job.cost;
    std::size_t p = 0;
    for (; p < order_.size() && !cancelled_; ++p) {
      const double cost = jobs_[order_[p]].cost;
      if (cost * threads <= left || cost <= kSmallCost) break;
      left -= cost;
      context_.pool->poll();
      run_one(p, *context_.pool, context_.monitor, nullptr);
      report();
    }
    return p;
  }

  void run_side_by_side(std::size_t begin) {
    std::size_t largest = 1;
    double cost = 0.0;
    for (std::size_t p = begin; p < order_.size(); ++p) {
      largest = std::max(largest, jobs_[order_[p]].cap_bytes);
      cost += jobs_[order_[p]].cost;
    }
    const auto fit = static_cast<Index>(std::max<std::size_t>(1, context_.cap_bytes / largest));
    const Index lanes = cost < kTinyCost ? 1 : std::min<Index>(context_.pool->size(), fit);
    // Where all jobs cost the same, one that would run alone at the end gets all threads.
    std::size_t end = order_.size();
    const double each = jobs_[order_.back()].cost;
    last_alone_ = lanes > 1 && (end - begin) % static_cast<std::size_t>(lanes) == 1 && each > kSmallCost &&
                  each == jobs_[order_[begin]].cost;
    if (last_alone_) --end;
    ThreadPool& pool = *context_.pool;
    std::deque<ThreadPool> serial;  // of each worker; a pool costs as much as the smallest jobs
    std::vector<Workspace> workspaces(static_cast<std::size_t>(pool.size()));
    for (int w = 0; w < pool.size(); ++w) serial.emplace_back(1, [this, w, &pool] { check_for_cancel(w == 0, pool); });
    const auto job = [&](Index j, int worker) {
      if (cancelled_) return;
      const bool caller = worker == 0;
      run_one(begin + static_cast<std::size_t>(j), serial[worker], caller ? context_.monitor : nullptr, &workspaces[worker]);
      if (caller) report();
    };
    // The calling thread goes on reporting while it waits: only its reports end the others' jobs.
    pool.for_each(static_cast<Index>(end - begin), job, static_cast<int>(lanes), [this] { report(); });
  }

  /// Called between pieces of a solve: ends it when the host cancelled or another job failed.
  void check_for_cancel(bool caller, ThreadPool& pool) {
    if (caller) pool.poll();
    if (pool.failed()) throw Interrupted();  // the pool rethrows what came first
    if (!caller && cancelled_) throw Cancelled();
  }

  const std::vector<Job>& jobs_;
  Progress progress_;
  Context& context_;
  const JobFunction& fn_;
  std::vector<Index> order_;
  std::optional<Place> place_;
  bool last_alone_ = false;
  std::atomic<Index> done_{0};
  std::atomic<bool> cancelled_{false};
};

}  // namespace

// A job's memory is not raised to make room for walks along free variables, which may take an eighth of it, since fewer jobs
// would then run side by side. kRoom alone allows a walk over 724 free variables; of 2,048 variables at most 920 to 1,085 may be
// free.
Job solve_job(Index n, std::size_t value_bytes, std::size_t cap_bytes) {
  const double cost = static_cast<double>(n) * static_cast<double>(n);
  const double wanted = 1.25 * cost * static_cast<double>(value_bytes) + static_cast<double>(kRoom);
  const std::size_t half = cap_bytes / 2;
  return {cost, wanted < static_cast<double>(half) ? static_cast<std::size_t>(wanted) : half};
}

std::int64_t side_by_side_bytes(std::vector<std::int64_t> bytes, int threads) {
  const auto together = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), static_cast<std::size_t>(threads)));
  std::partial_sort(bytes.begin(), together, bytes.end(), std::greater<>());
  return std::accumulate(bytes.begin(), together, std::int64_t{0});
}

bool run_jobs(const std::vector<Job>& jobs, const Progress& progress, Context& context, const JobFunction& fn) {
  return Runner(jobs, progress, context, fn).run();
}

}  // namespace dcsvm::base
