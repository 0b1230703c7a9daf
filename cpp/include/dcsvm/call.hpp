// What every call has, whatever it trains or predicts: progress, cancellation, threads, and why a training ended.
#pragma once

#include <cstdint>
#include <functional>

#include "dcsvm/data.hpp"

namespace dcsvm {

/// time_limit: max_seconds had passed; the solution is the best so far. support_limit: solver "rand" found as many support
/// vectors as were estimated; the solution is near-optimal. one_pass: online learning went through the rows once, and claims no
/// optimum of them. Files keep the numbers.
enum class StopReason {
  converged = 0,
  max_iter = 1,
  cancelled = 2,
  stagnated = 3,
  support_limit = 4,
  one_pass = 5,
  time_limit = 6,
};
inline constexpr StopReason kLastStopReason = StopReason::time_limit;  ///< files hold no larger number
const char* to_string(StopReason reason) noexcept;

/// Where a training stands; given to Hooks::progress.
struct Progress {
  const char* phase = "";   ///< "clustering", "level", "refine", "solve", "calibrate", "done"; others name theirs
  int level = 0;            ///< DC-SVM level, 0 for the whole problem
  Index done = 0;           ///< clusters or pairs finished in this phase
  Index total = 0;          ///< clusters or pairs of this phase
  std::int64_t n_iter = 0;  ///< SMO steps so far in the current solve
  double violation = 0;     ///< current maximal KKT violation over the active set
  double objective = 0;     ///< current dual objective
  Index active = 0;         ///< variables not shrunk; 0 when training is done
  Index n_support = 0;      ///< variables of the current solve that are not 0, shrunk ones too; at the end Report::n_support
  double seconds = 0;       ///< since training began
};

/// Both are called on the thread that called train, never concurrently.
struct Hooks {
  /// Called before outer iterations, and within long ones with the numbers of their beginning, the first time and then once in
  /// progress_interval at most, and with done and total alone between problems and while other threads still solve some; return
  /// true to stop with StopReason::cancelled and get the model as it is. Problems that other threads are solving then have what
  /// they began with, as after max_seconds. With early_level,
  /// clusters that had no turn predict with what the level below found, or before that with their class of more weight; objective
  /// and violation are of that model.
  std::function<bool(const Progress&)> progress;
  double progress_interval = 0.05;  ///< seconds; 0: whenever it may be called, so before every outer iteration
  /// Asked about every 50 ms, first after 50 ms, so not in a shorter call; true abandons the training: train throws Interrupted.
  std::function<bool()> interrupted;
};

struct PredictOptions {
  int n_threads = 0;  ///< as TrainParams::n_threads
  std::function<bool()> interrupted;  ///< as Hooks::interrupted
};

}  // namespace dcsvm
