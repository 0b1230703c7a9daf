// Adds the lifetime of a scope, up to turn_to(), to a total of seconds, and takes it from the total of the scope around it.
#pragma once

#include "base/context.hpp"

namespace dcsvm::qp {

class Timer {
 public:
  explicit Timer(double& total, double* around = nullptr) : total_(&total), around_(around), start_(base::Clock::now()) {}
  ~Timer() { add(base::Clock::now()); }
  /// What follows counts for another total.
  void turn_to(double& total) {
    const auto now = base::Clock::now();
    add(now);
    total_ = &total;
    start_ = now;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  void add(base::Clock::time_point end) {
    const double seconds = std::chrono::duration<double>(end - start_).count();
    *total_ += seconds;
    if (around_ != nullptr) *around_ -= seconds;
  }

  double* total_;
  double* around_;
  base::Clock::time_point start_;
};

}  // namespace dcsvm::qp
