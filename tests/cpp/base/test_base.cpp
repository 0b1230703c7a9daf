#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/jobs.hpp"
#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "base/usable_cores.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"

#if defined(__linux__)
#include <sys/resource.h>
#endif

using namespace dcsvm;
using base::ThreadPool;
using base::usable_cores;

namespace {

// Sets or clears an environment variable for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    set(value);
  }
  ~Variable() { set(had_ ? old_.c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) {
#if defined(_WIN32)
    _putenv_s(name_, value != nullptr ? value : "");
#else
    value != nullptr ? setenv(name_, value, 1) : unsetenv(name_);
#endif
  }
  const char* name_;
  std::string old_;
  bool had_ = false;
};

}  // namespace

TEST_CASE("ThreadPool runs chunks on no more threads at once than a loop has lanes") {
  for (const int lanes : {1, 2, 3}) {
    ThreadPool pool(8);  // of them as many as there are cores
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::atomic<int> now{0}, most{0}, done{0}, strangers{0};
      const auto chunk = [&](Index, int worker) {
        const int here = ++now;
        for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
        }
        if (lanes == 1 && worker != 0) ++strangers;
        std::this_thread::yield();
        --now;
        ++done;
      };
      pool.for_each(200, chunk, lanes);
      REQUIRE(done == 200);
      REQUIRE(most <= lanes);
      REQUIRE(strangers == 0);
      pool.for_each(100, chunk);  // and the next loop has all again
      REQUIRE(done == 300);
    }
  }
}

TEST_CASE("The serial pool of all threads runs the loops inside another pool's, each on its own thread") {
  ThreadPool pool(8);
  std::vector<int> sums(64, 0);
  pool.for_each(64, [&](Index chunk, int) {
    const std::thread::id own = std::this_thread::get_id();
    ThreadPool::serial().for_range(100, 7, [&](Index begin, Index end, int worker) {
      if (worker == 0 && std::this_thread::get_id() == own) sums[chunk] += static_cast<int>(end - begin);
    });
  });
  for (const int sum : sums) CHECK(sum == 100);
  CHECK(ThreadPool::serial().size() == 1);
  CHECK_THROWS_AS(ThreadPool::serial().for_each(3, [](Index, int) { throw std::runtime_error("x"); }), std::runtime_error);
  CHECK_FALSE(ThreadPool::serial().failed());
}

TEST_CASE("ThreadPool runs every chunk once, on workers that it announced") {
  for (const int threads : {1, 2, 5, 256}) {
    ThreadPool pool(threads);
    CHECK(pool.size() == std::min(threads, std::max(usable_cores(), 2)));
    for (const Index n : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(n);
      std::atomic<bool> bad_worker{false};
      pool.for_each(n, [&](Index c, int worker) {
        ++runs[c];
        if (worker < 0 || worker >= pool.size()) bad_worker = true;
      });
      CHECK(std::all_of(runs.begin(), runs.end(), [](const auto& r) { return r == 1; }));
      CHECK_FALSE(bad_worker);
    }
  }
}

TEST_CASE("for_range cuts at multiples of the grain whatever the number of threads") {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const Index n : {0, 1, 9, 10, 11, 95}) {
      std::vector<Index> ends((n + 9) / 10, -1);
      pool.for_range(n, 10, [&](Index begin, Index end, int) { ends[begin / 10] = begin % 10 == 0 ? end : -2; });
      for (std::size_t p = 0; p < ends.size(); ++p) CHECK(ends[p] == std::min(n, static_cast<Index>(p + 1) * 10));
    }
  }
}

TEST_CASE("an exception in any chunk reaches the caller and the pool works afterwards") {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> runs{0};
      const Index bad = round;
      CHECK_THROWS_WITH_AS(pool.for_each(100,
                                         [&](Index c, int) {
                                           ++runs;
                                           if (c == bad) throw std::runtime_error("chunk " + std::to_string(c));
                                         }),
                           ("chunk " + std::to_string(bad)).c_str(), std::runtime_error);
      CHECK(runs > bad);
      runs = 0;
      pool.for_each(100, [&](Index, int) { ++runs; });
      CHECK(runs == 100);
      CHECK_FALSE(pool.failed());
    }
  }
}

TEST_CASE("a poll that throws ends the work and is rethrown") {
  for (const int threads : {1, 2, 4}) {
    int polls = 0;
    ThreadPool pool(threads, [&] {
      if (++polls == 3) throw Interrupted();
    });
    std::atomic<Index> runs{0};
    // More chunks than anyone would run if the failure did not stop them.
    const auto endless = [&] { pool.for_each(Index{1} << 40, [&](Index, int) { ++runs; }); };
    CHECK_THROWS_AS(endless(), Interrupted);
    CHECK(polls == 3);
    polls = 100;
    runs = 0;
    pool.for_each(10, [&](Index, int) { ++runs; });
    CHECK(runs == 10);
  }
}

#if defined(__linux__) && !defined(DCSVM_SANITIZED)  // which need address space
TEST_CASE("a pool that is refused further threads works with those that it has") {
  std::mutex gate;
  std::unique_lock<std::mutex> closed(gate);
  std::vector<std::thread> others;
  others.reserve(200);
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_AS, &old) == 0);
  rlimit low = old;
  low.rlim_cur = rlim_t{1} << 20;  // no room for a stack
  REQUIRE(setrlimit(RLIMIT_AS, &low) == 0);
  bool is_refused = false;
  try {  // Stacks of threads that ended are kept for the next ones: these take them all.
    while (others.size() < others.capacity()) others.emplace_back([&] { const std::lock_guard<std::mutex> wait(gate); });
  } catch (const std::exception&) {
    is_refused = true;
  }
  std::atomic<int> runs{0}, by_others{0};
  {
    ThreadPool pool(4);
    pool.for_each(100, [&](Index, int worker) {
      ++runs;
      by_others += worker != 0;
    });
  }
  setrlimit(RLIMIT_AS, &old);
  closed.unlock();
  for (std::thread& other : others) other.join();
  CHECK(runs == 100);
  if (is_refused) {
    CHECK(by_others == 0);
  } else {
    MESSAGE("not checked that a refused thread is done without: this system does not enforce RLIMIT_AS, as in an emulator");
  }
}
#endif

TEST_CASE("the pool polls while it waits for others that keep every core busy") {
  const int threads = 2 * base::resolve_threads(0) + 1;
  const auto start = base::Clock::now();
  const auto early = [&] { return base::seconds_since(start) < 3; };
  Hooks hooks;
  hooks.interrupted = [] { return true; };
  base::Monitor monitor(hooks);
  ThreadPool pool(threads, [&] { monitor.poll(); });
  // The caller's chunks end when another thread has one; others work until the interrupt, or give up waiting for it.
  std::atomic<int> others{0};
  const auto busy = [&](Index, int worker) {
    if (worker == 0) {
      while (others == 0 && early()) std::this_thread::yield();
    } else {
      ++others;
      while (!pool.failed() && early()) {
      }
    }
  };
  CHECK_THROWS_AS(pool.for_each(threads, busy), Interrupted);
}

TEST_CASE("resolve_threads: the number given, else DCSVM_NUM_THREADS, else OMP_NUM_THREADS up to the cores") {
  const Variable own("DCSVM_NUM_THREADS", nullptr), omp("OMP_NUM_THREADS", nullptr);
  const int cores = base::resolve_threads(0);
  CHECK(cores >= 1);
  CHECK(base::resolve_threads(7) == 7);
  CHECK_THROWS_WITH_AS(base::resolve_threads(-1), doctest::Contains("n_threads"), ParameterError);
  {
    const Variable set("OMP_NUM_THREADS", "1");
    CHECK(base::resolve_threads(0) == 1);
    const Variable more("DCSVM_NUM_THREADS", "3");
    CHECK(base::resolve_threads(0) == 3);
    CHECK(base::resolve_threads(2) == 2);
  }
  const Variable large("OMP_NUM_THREADS", "100000");
  CHECK(base::resolve_threads(0) == cores);
  for (const char* bad : {"", "0", "-4", "many"}) {
    const Variable set("DCSVM_NUM_THREADS", bad);
    CHECK(base::resolve_threads(0) == cores);
  }
}

TEST_CASE("Buffer is aligned, moves, and holds nothing when empty") {
  for (const Index n : {1, 3, 1000, 3 << 20}) {
    base::Buffer<float> b(n, 2.5F);
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
    CHECK(b.bytes() == static_cast<std::size_t>(n) * 4);
    CHECK(b[0] == 2.5F);
    CHECK(b[n - 1] == 2.5F);
    base::Buffer<float> moved(std::move(b));
    CHECK(moved.size() == n);
    CHECK(b.data() == nullptr);  // NOLINT(bugprone-use-after-move): a moved-from buffer is empty
    CHECK(b.size() == 0);        // NOLINT(bugprone-use-after-move)
    b = std::move(moved);
    CHECK(b[n - 1] == 2.5F);
  }
  CHECK(base::Buffer<double>(0).data() == nullptr);
}

TEST_CASE("Random repeats by seed and sample draws distinct ascending elements evenly") {
  base::Random a(42), b(42), c(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto v = a.next();
    CHECK(v == b.next());
    differs = differs || v != c.next();
  }
  CHECK(differs);
  CHECK(base::Random(0).next() == 0xe220a8397b1dcdafULL);  // SplitMix64's published first output for seed 0

  std::vector<Index> from(50);
  std::iota(from.begin(), from.end(), Index{100});
  std::vector<int> hits(50, 0);
  base::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto s = base::sample(from, 10, random);
    REQUIRE(s.size() == 10);
    CHECK(std::is_sorted(s.begin(), s.end()));
    CHECK(std::set<Index>(s.begin(), s.end()).size() == 10);
    for (const Index v : s) ++hits[v - 100];
  }
  for (const int h : hits) CHECK(std::abs(h - 400) < 120);  // six standard deviations of a binomial(2000, 0.2)
  CHECK(base::sample(from, 50, random) == from);
  CHECK(base::sample(from, 99, random) == from);
  CHECK(base::sample(from, 0, random).empty());
}

TEST_CASE("jobs side by side hold the sum of the largest, one for each thread") {
  CHECK(base::side_by_side_bytes({3, 10, 1, 7}, 2) == 17);
  CHECK(base::side_by_side_bytes({3, 10}, 8) == 13);
  CHECK(base::side_by_side_bytes({}, 2) == 0);
}

TEST_CASE("Monitor: an interrupt throws, a cancel stays") {
  Hooks hooks;
  int calls = 0;
  hooks.progress = [&](const Progress&) { return ++calls == 3; };
  base::Monitor monitor(hooks);
  Progress p;
  monitor.poll();  // no interrupt hook
  CHECK_FALSE(monitor.progress(p));
  CHECK(calls == 1);  // the first is not delayed
  CHECK_FALSE(monitor.progress(p));  // not yet 50 ms
  CHECK(calls == 1);
  CHECK_FALSE(monitor.progress(p, true));
  CHECK(monitor.progress(p, true));
  CHECK(monitor.cancelled());
  CHECK(monitor.progress(p, true));
  CHECK(calls == 3);  // a cancelled host is not asked again
  CHECK(p.seconds >= 0);

  const auto in_limited = [](base::Monitor& one) {
    const base::Limited limited(&one);
    one.poll();
  };
  base::Monitor free(hooks), in_time(hooks, 1e-9, 1e6), too_late(hooks, 1e-9, 0);
  CHECK_NOTHROW(in_limited(free));
  CHECK_NOTHROW(in_limited(in_time));
  CHECK_NOTHROW(in_limited(monitor));  // a second is not over
  CHECK_NOTHROW(too_late.poll());
  CHECK_THROWS_AS(in_limited(too_late), base::TooLate);
  CHECK_NOTHROW(too_late.poll());
  const base::Limited of_no_monitor(nullptr);
  calls = 2;
  base::Monitor cancelled(hooks, 0, 0);
  CHECK_NOTHROW(in_limited(cancelled));
  CHECK(cancelled.progress(p));
  while (base::seconds_since(cancelled.start()) < 2 * p.seconds + 1e-6) {
  }
  CHECK_THROWS_AS(in_limited(cancelled), base::TooLate);

  hooks.interrupted = [] { return true; };
  base::Monitor late(hooks);
  const auto spin = [&] {
    while (base::seconds_since(late.start()) < 5) late.poll();
  };
  CHECK_THROWS_AS(spin(), Interrupted);
}
