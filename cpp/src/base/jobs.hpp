// Runs independent solves side by side without letting threads decide any result.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/context.hpp"

namespace dcsvm::base {

struct Job {
  double cost = 0;            ///< in any unit; the largest start first
  std::size_t cap_bytes = 0;  ///< working memory that it may hold; a function of the job alone
};

/// Thrown inside a job when the host cancelled meanwhile; run_jobs swallows it.
struct Cancelled {};

/// Working memory for a solve over n points: its whole kernel matrix and some room, at most half the cap.
std::size_t job_cap(Index n, std::size_t value_bytes, std::size_t cap_bytes);

/// Calls fn(j, context, progress) once for every job. A job that holds up the others (cost above an even share of what is left)
/// has all threads, the rest run side by side, each on one thread, as many as the byte cap allows. fn must not depend on the
/// threads it gets. `progress` names phase and level; done and total are filled in. Returns false when the host cancelled: then
/// some jobs did not run or ended by Cancelled.
bool run_jobs(const std::vector<Job>& jobs, const Progress& progress, Context& context,
              const std::function<void(Index, Context&, const Progress&)>& fn);

}  // namespace dcsvm::base
