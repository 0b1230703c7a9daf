// A pool of threads that belongs to one call: no globals, so a fork between calls or several callers at once are harmless.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::base {

/// n_threads as the user gave it -> threads to use (>= 1). 0: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else the cores that
/// this process may run on. At most 256. Negative: ParameterError.
int resolve_threads(int n_threads);

class ThreadPool {
 public:
  /// A pool of n threads, but of no more than this process has cores (at least two): more would only wait for each other. The
  /// caller of for_each is one of them; the others start at the first for_each that has more than one chunk, fewer where the
  /// system refuses. `poll` (may be empty) is called on the calling thread between chunks and while it waits for the others; when
  /// it throws, the other workers stop at their next chunk and for_each rethrows.
  explicit ThreadPool(int n, std::function<void()> poll = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The calling thread alone, without a poll: for what runs inside the loops of another pool. It keeps nothing of a call, so all
  /// threads share it.
  static ThreadPool& serial();

  int size() const { return size_; }
  /// Calls fn(chunk, worker) for chunk in [0, n), worker in [0, size()), on at most `lanes` threads at once. Chunks are handed
  /// out in order, so results must not depend on which worker ran one. Not reentrant: use serial() inside.
  /// while_waiting (may be empty): called after the poll, on the calling thread, where it waits for the others for longer; what
  /// it throws is treated like what the poll throws.
  void for_each(Index n, const std::function<void(Index, int)>& fn, int lanes = std::numeric_limits<int>::max(),
                const std::function<void()>& while_waiting = {});
  /// Calls fn(begin, end, worker) on pieces of [0, n) whose borders are multiples of `grain` whatever the number of threads.
  void for_range(Index n, Index grain, const std::function<void(Index, Index, int)>& fn);
  /// A chunk or the poll threw in the current for_each: long chunks look here to end early (any thread).
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// Polls now (calling thread only).
  void poll() const {
    if (poll_) poll_();
  }

 private:
  void run(Index n, const std::function<void(Index, int)>& fn, int lanes, const char* loop,
           const std::function<void()>& while_waiting = {});
  void start();
  void work(int worker);
  void run_chunks(int worker);
  void wait_for_workers(const std::function<void()>& while_waiting);
  void fail();

  int size_;
  int spins_ = 0;
  bool started_ = false;
  bool traced_ = false;
  std::vector<std::thread> workers_;
  std::function<void()> poll_;
  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  const std::function<void(Index, int)>* job_ = nullptr;
  Index n_ = 0;
  int places_ = 0;  // for workers that have not joined the current for_each
  std::atomic<Index> next_{0};
  std::atomic<int> running_{0};  // workers that are in run_chunks, besides the caller
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> failed_{false};
  bool stop_ = false;
  bool open_ = false;  // workers may still join the current for_each
  std::exception_ptr error_;
};

}  // namespace dcsvm::base
