// The times of a call's loops, for bench/cores.py, which asks how a training would run on more cores than there are.
#pragma once

#include <functional>

#include "dcsvm/data.hpp"

namespace dcsvm::base {

/// Whether the environment names a file (DCSVM_TRACE_LOOPS) that takes the times of loops; looked up once. Pools then have as
/// many threads as they were asked for, whatever the machine has, so that work is divided as it would be there, but they start
/// none.
bool loops_are_traced();

/// Calls fn(0, 0), ..., fn(n - 1, 0) one after another, `poll` before each, and adds a line to the file: threads that may share
/// the loop; when the line before was written, begin and end of this loop (nanoseconds of the thread's CPU time, or of
/// steady_clock where there is none); the nanoseconds of each call; a tab and the name. A loop within a loop belongs to the piece
/// that it is in. One thread of the process may trace.
void trace_loop(Index n, int threads, const char* name, const std::function<void(Index, int)>& fn,
                const std::function<void()>& poll);

}  // namespace dcsvm::base
