#include "base/thread_pool.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/loop_trace.hpp"
#include "base/usable_cores.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::base {

namespace {

// Regions follow each other within microseconds inside a solve: spin that long before sleeping, unless there is a single core:
// then a thread that spins keeps one that has work from running.
constexpr int kSpins = 4000;
constexpr int kMaxThreads = 256;  // a slip of the pen must not start a hundred thousand
constexpr int kYields = 64;
constexpr auto kPause = std::chrono::milliseconds(10);

int positive_env(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return 0;
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc() && value > 0 ? value : 0;
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");  // about as long as pause; yield is over at once on most CPUs
#else
  std::this_thread::yield();
#endif
}

/// Makes this thread's state of exceptions now, while there is memory. Otherwise the first std::bad_alloc makes it, where there
/// is none, and glibc ends the process: "cannot allocate memory for thread-local data". False: there is no memory.
bool prepare_exceptions() {
  void* volatile probe = std::malloc(4096);  // volatile, here and below: else a compiler may leave out the call
  if (probe == nullptr) return false;
  std::free(probe);
  const volatile int made = std::uncaught_exceptions();
  return made >= 0;
}

void end_threads(std::mutex& mutex, bool& stop, std::atomic<std::uint64_t>& generation, std::condition_variable& wake,
                 std::vector<std::thread>& threads) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    stop = true;
    generation.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  for (auto& thread : threads) thread.join();
}

}  // namespace

int resolve_threads(int n_threads) {
  if (n_threads < 0) {
    throw ParameterError("n_threads must be >= 0, got " + std::to_string(n_threads));
  }
  if (n_threads > 0) return std::min(n_threads, kMaxThreads);
  if (const int n = positive_env("DCSVM_NUM_THREADS")) return std::min(n, kMaxThreads);
  const int cores = usable_cores();
  // joblib's and other process pools announce each worker's share through OMP_NUM_THREADS.
  if (const int n = positive_env("OMP_NUM_THREADS")) return std::min(n, cores);
  return cores;
}

// Two threads also on a single core: what concerns several threads is then tested on every machine.
ThreadPool::ThreadPool(int n, std::function<void()> poll) : size_(std::max(1, n)), poll_(std::move(poll)) {
  prepare_exceptions();
  if (size_ == 1) return;
  traced_ = loops_are_traced();
  if (traced_) return;
  const int cores = usable_cores();
  size_ = std::min(size_, std::max(cores, 2));
  spins_ = size_ <= cores ? kSpins : 0;
}

ThreadPool::~ThreadPool() { end_threads(mutex_, stop_, generation_, wake_, workers_); }

ThreadPool& ThreadPool::serial() {
  static ThreadPool* const one = new ThreadPool(1);  // never deleted: a thread may still work when the process ends
  return *one;
}

void ThreadPool::start() {
  started_ = true;
  workers_.reserve(static_cast<std::size_t>(size_ - 1));
  // A system that refuses more threads leaves those that it gave: results do not depend on their number.
  try {
    for (int w = 1; w < size_; ++w) workers_.emplace_back([this, w] { work(w); });
  } catch (const std::system_error&) {
  }
}

void ThreadPool::run_chunks(int worker) {
  try {
    while (!failed_.load(std::memory_order_relaxed)) {
      const Index chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= n_) break;
      if (worker == 0) poll();
      (*job_)(chunk, worker);
    }
  } catch (...) {
    fail();
  }
}

void ThreadPool::fail() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!error_) error_ = std::current_exception();
  failed_.store(true, std::memory_order_relaxed);
}

void ThreadPool::work(int worker) {
  const bool able = prepare_exceptions();
  std::uint64_t seen = 0;
  for (;;) {
    for (int s = 0; s < spins_ && generation_.load(std::memory_order_acquire) == seen; ++s) relax();
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
      seen = generation_.load(std::memory_order_relaxed);
      if (stop_) return;
      if (!open_ || places_ == 0) continue;  // that for_each has ended without this worker, or has no place for it
      --places_;
      running_.fetch_add(1, std::memory_order_relaxed);
    }
    if (able) run_chunks(worker);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::lock_guard<std::mutex> lock(mutex_);  // else the caller may look, miss this, and then wait
      finished_.notify_one();
    }
  }
}

// Polls at least every kPause: a thread that yields on a busy machine may be away for seconds before it has yielded often enough.
void ThreadPool::wait_for_workers(const std::function<void()>& while_waiting) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = false;  // nobody waits for a worker that has not begun
  }
  const auto done = [this] { return running_.load(std::memory_order_acquire) == 0; };
  for (int s = 0; s < spins_; ++s) {
    if (done()) return;
    relax();
  }
  for (int s = 0; !done(); ++s) {
    if (!failed()) {
      try {
        poll();
        if (while_waiting && s >= kYields) while_waiting();
      } catch (...) {
        fail();
      }
    }
    if (s < kYields) {
      std::this_thread::yield();
    } else {
      std::unique_lock<std::mutex> lock(mutex_);
      finished_.wait_for(lock, kPause, done);
    }
  }
}

void ThreadPool::for_each(Index n, const std::function<void(Index, int)>& fn, int lanes,
                          const std::function<void()>& while_waiting) {
  run(n, fn, lanes, fn.target_type().name(), while_waiting);
}

void ThreadPool::for_range(Index n, Index grain, const std::function<void(Index, Index, int)>& fn) {
  const auto piece = [&](Index c, int worker) { fn(c * grain, std::min(n, (c + 1) * grain), worker); };
  run((n + grain - 1) / grain, std::cref(piece), size_, fn.target_type().name());  // a copy would need memory
}

/// loop: its name, for the trace.
void ThreadPool::run(Index n, const std::function<void(Index, int)>& fn, int lanes, const char* loop,
                     const std::function<void()>& while_waiting) {
  if (n <= 0) return;
  lanes = static_cast<int>(std::min<Index>(n, std::min(lanes, size_)));
  if (traced_) return trace_loop(n, lanes, loop, fn, poll_);
  if (lanes > 1 && !started_) start();
  if (workers_.empty() || lanes == 1) {
    for (Index c = 0; c < n; ++c) {
      poll();
      fn(c, 0);
    }
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job_ = &fn;
    n_ = n;
    places_ = lanes - 1;
    next_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    error_ = nullptr;
    open_ = true;
    generation_.fetch_add(1, std::memory_order_release);
  }
  const auto helpers = static_cast<std::size_t>(lanes - 1);
  if (helpers >= workers_.size()) {
    wake_.notify_all();
  } else {
    for (std::size_t h = 0; h < helpers; ++h) wake_.notify_one();
  }
  run_chunks(0);
  wait_for_workers(while_waiting);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace dcsvm::base
