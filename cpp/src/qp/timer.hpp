// Adds the lifetime of a scope to a total of seconds, and takes it from the total of the scope around it.
#pragma once

#include "base/context.hpp"

namespace dcsvm::qp {

class Timer {
 public:
  explicit Timer(double& total, double* around = nullptr) : total_(total), around_(around), start_(base::Clock::now()) {}
  ~Timer() {
    const double seconds = base::seconds_since(start_);
    total_ += seconds;
    if (around_ != nullptr) *around_ -= seconds;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& total_;
  double* around_;
  base::Clock::time_point start_;
};

}  // namespace dcsvm::qp
