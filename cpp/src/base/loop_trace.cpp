#include "base/loop_trace.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

namespace dcsvm::base {

namespace {

/// Nanoseconds that this thread had a CPU: pieces are not longer because other processes run.
std::int64_t now() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
#else
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
#endif
}

struct Trace {
  std::ofstream file;
  std::int64_t written = 0;  // when the last line was: writing it is no work of the training
  bool within = false;  // a loop
};

Trace* trace() {
  static const char* const path = std::getenv("DCSVM_TRACE_LOOPS");
  if (path == nullptr || *path == '\0') return nullptr;
  static Trace it{std::ofstream(path)};
  return &it;
}

}  // namespace

bool loops_are_traced() { return trace() != nullptr; }

void trace_loop(Index n, int threads, const char* name, const std::function<void(Index, int)>& fn,
                const std::function<void()>& poll) {
  Trace& to = *trace();
  const bool outermost = !to.within;
  struct Within {
    bool& flag;
    bool before;
    ~Within() { flag = before; }
  } const within{to.within, to.within};
  to.within = true;
  std::vector<std::int64_t> moments{now()};
  for (Index i = 0; i < n; ++i) {
    if (poll) poll();
    fn(i, 0);
    moments.push_back(now());
  }
  if (!outermost) return;
  to.file << threads << ' ' << to.written << ' ' << moments.front() << ' ' << moments.back();
  for (Index i = 0; i < n; ++i) to.file << ' ' << moments[i + 1] - moments[i];
  to.file << '\t' << name << '\n';
  to.written = now();
}

}  // namespace dcsvm::base
