// The small parts of the multilevel trainer.
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "base/jobs.hpp"
#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "qp/repair.hpp"
#include "svm/multilevel/bias_search.hpp"

using namespace dcsvm;
using namespace dcsvm::multilevel;

TEST_CASE("balancing a start stays in the box, sums to 0 and keeps what it can") {
  base::Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const Index n = 1 + random.below(40);
    std::vector<double> lo, hi, beta;
    for (Index i = 0; i < n; ++i) {
      const double c = 0.5 + random.uniform();
      const bool positive = random.uniform() < 0.7;
      lo.push_back(positive ? 0.0 : -c);
      hi.push_back(positive ? c : 0.0);
      const double u = random.uniform();
      const double alpha = u < 0.3 ? 0.0 : u < 0.6 ? c : c * random.uniform();
      beta.push_back(positive ? alpha : -alpha);
    }
    const auto before = beta;
    qp::balance_sum(beta.data(), lo.data(), hi.data(), n);
    CHECK(std::abs(std::accumulate(beta.begin(), beta.end(), 0.0)) < 1e-12);
    for (std::size_t i = 0; i < beta.size(); ++i) {
      CHECK(beta[i] >= lo[i]);
      CHECK(beta[i] <= hi[i]);
      if (before[i] == 0.0) CHECK(beta[i] == 0.0);
    }
  }
}

TEST_CASE("balancing moves free variables before bounded ones") {
  const std::vector<double> lo{0, 0, 0, -1, -1}, hi{1, 1, 1, 0, 0};
  std::vector<double> beta{1.0, 0.5, 0.0, -0.5, -0.5};  // surplus 0.5; ways: 0.5 | 0.5, 0.5
  qp::balance_sum(beta.data(), lo.data(), hi.data(), 5);
  CHECK(beta[0] == 1.0);
  CHECK(beta[1] == doctest::Approx(0.5 - 0.5 / 3));
  CHECK(beta[3] == doctest::Approx(-0.5 - 0.5 / 3));
  CHECK(beta[2] == 0.0);
}

TEST_CASE("the bias search finds the root of a decreasing function") {
  BiasSearch search;
  for (const double root : {-0.9, 0.0, 0.37, 2.4}) {
    for (const double slope : {0.01, 5.0, 4000.0}) {
      search.new_level();
      const auto f = [&](double b) { return slope * (std::atan(root - b) + 0.2 * (root - b)); };
      for (int i = 0; i < 60; ++i) search.update(f(search.bias()), 3.0);
      CHECK(search.bias() == doctest::Approx(root).epsilon(1e-6));
    }
  }
}

TEST_CASE("the bias search survives a step function") {
  BiasSearch search;
  for (int i = 0; i < 60; ++i) search.update(search.bias() < 0.3 ? 2.0 : -5.0, 1.0);
  CHECK(search.bias() == doctest::Approx(0.3));
}

TEST_CASE("run_jobs runs every job once, within the byte cap") {
  for (const int threads : {1, 2, 5}) {
    base::ThreadPool pool(threads);
    base::Context context;
    context.pool = &pool;
    context.cap_bytes = 1000;
    std::vector<base::Job> jobs;
    for (int j = 0; j < 40; ++j) jobs.push_back({1e6 * (j % 7), static_cast<std::size_t>(300 + j)});
    jobs.push_back({1e12, 1000});
    std::vector<std::atomic<int>> runs(jobs.size());
    std::atomic<std::size_t> held{0}, most{0};
    CHECK(base::run_jobs(jobs, Progress{}, context, [&](Index j, base::Context& own, const Progress&) {
      ++runs[j];
      CHECK(own.cap_bytes == jobs[j].cap_bytes);
      const std::size_t now = held += own.cap_bytes;
      std::size_t seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      if (own.pool->size() == 1) own.pool->for_each(3, [](Index, int) {});
      held -= own.cap_bytes;
    }));
    for (const auto& r : runs) CHECK(r == 1);
    CHECK(most <= 1000);
  }
}

TEST_CASE("a failing job ends the others and is rethrown") {
  base::ThreadPool pool(3);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = 1000;
  const std::vector<base::Job> jobs(60, base::Job{1.0, 10});
  CHECK_THROWS_AS(base::run_jobs(jobs, Progress{}, context,
                                 [](Index j, base::Context&, const Progress&) {
                                   if (j == 20) throw CapError("cache_size too small");
                                 }),
                  CapError);
}

TEST_CASE("the calling thread, without a job left, ends the others' jobs when the time is over, or a callback says so") {
  for (const bool by_time : {true, false}) {
    Hooks hooks;
    std::atomic<int> begun{0};
    hooks.progress_interval = 0.0;
    int reports = 0;  // after the calling thread's own job: the second one comes from where it waits
    if (!by_time) hooks.progress = [&](const Progress& now) { return now.done == 1 && ++reports == 2; };
    base::Monitor monitor(hooks, by_time ? 0.5 : 0.0);
    base::ThreadPool pool(2, [&] { monitor.poll(); });
    base::Context context;
    context.pool = &pool;
    context.monitor = &monitor;
    context.cap_bytes = 1000;
    const auto in_time = [&] { return base::seconds_since(monitor.start()) < 30.0; };
    bool cancelled = false;
    const std::vector<base::Job> jobs(2, base::Job{1e6, 10});
    CHECK_FALSE(base::run_jobs(jobs, Progress{}, context, [&](Index, base::Context& own, const Progress&) {
      ++begun;
      while (begun < 2 && in_time()) std::this_thread::yield();
      if (own.monitor != nullptr) return;  // the calling thread
      try {
        while (in_time()) own.pool->poll();
      } catch (const base::Cancelled&) {
        cancelled = true;
        throw;
      }
    }));
    CHECK(cancelled);
  }
}

TEST_CASE("a job's share of the cap depends on its size alone") {
  CHECK(base::solve_job(1000, 4, std::size_t{1} << 40).cap_bytes > 4000000);
  CHECK(base::solve_job(1000, 4, std::size_t{1} << 40).cap_bytes < (std::size_t{64} << 20));
  CHECK(base::solve_job(1000000, 4, 1000).cap_bytes == 500);
}
