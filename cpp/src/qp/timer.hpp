// Adds the lifetime of a scope to a total of seconds.
#pragma once

#include "base/context.hpp"

namespace dcsvm::qp {

class Timer {
 public:
  explicit Timer(double& total) : total_(total), start_(base::Clock::now()) {}
  ~Timer() { total_ += base::seconds_since(start_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& total_;
  base::Clock::time_point start_;
};

}  // namespace dcsvm::qp
