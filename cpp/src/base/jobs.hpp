// Runs independent solves side by side. Results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/context.hpp"

namespace dcsvm::base {

struct Job {
  double cost = 0;            ///< in the unit of solve_job, points squared; the most expensive start first
  std::size_t cap_bytes = 0;  ///< working memory that it may hold; a function of the job alone
};

/// Thrown inside a job of another than the calling thread when the host cancelled meanwhile, or the time is over; run_jobs
/// swallows it. What such a job has found is lost.
struct Cancelled {};

/// The job of solving a problem of n points: cost n^2; memory for its whole kernel matrix and some room, at most half the cap.
Job solve_job(Index n, std::size_t value_bytes, std::size_t cap_bytes);

/// Memory of jobs that held `bytes` each and ran side by side, at most: the sum of the `threads` largest.
std::int64_t side_by_side_bytes(std::vector<std::int64_t> bytes, int threads);

/// fn(j, context, progress) does job j; its result must not depend on the threads it gets.
using JobFunction = std::function<void(Index, Context&, const Progress&)>;

/// Calls fn once for every job. A job that would leave other threads idle (its cost is above an even share of what is left, or it
/// is the last of jobs of equal cost and has no partner) has all threads; the rest run side by side, each on one thread, as many
/// as the memory cap allows. Jobs that are done before a thread would start run on the caller. `progress` names phase and level;
/// done and total are filled in. Returns false when the host cancelled: then some jobs did not run or ended by Cancelled.
bool run_jobs(const std::vector<Job>& jobs, const Progress& progress, Context& context, const JobFunction& fn);

}  // namespace dcsvm::base
