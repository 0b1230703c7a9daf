// What LIBSVM's commands share.
#pragma once

#include <string>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/libsvm/svm.h"

namespace app {

/// Prints printf's text to stderr and exits with 1, as LIBSVM's commands do for every error.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
[[noreturn]] void fail(const char* format, ...);

/// Reads a data file; column = index. Exits with LIBSVM's words for a file that cannot be opened ("can't open <what> <path>") or
/// parsed ("Wrong input format at line 3").
dcsvm::Dataset read_file(const char* path, const char* what);

/// A data file as rows of svm_nodes.
struct Problem {
  std::vector<double> y;
  std::vector<svm_node> nodes;
  std::vector<svm_node*> rows;
  int max_index = 0;

  int size() const { return static_cast<int>(rows.size()); }
};
Problem read_problem(const char* path);

/// Sums for accuracy, mean squared error and squared correlation.
class Score {
 public:
  void add(double target, double predicted);
  double accuracy() const { return 100.0 * right_ / n_; }  ///< %
  double squared_error() const { return error_ / n_; }
  double squared_correlation() const;
  int right() const { return static_cast<int>(right_); }
  int total() const { return static_cast<int>(n_); }

 private:
  double n_ = 0, right_ = 0, error_ = 0, v_ = 0, y_ = 0, vv_ = 0, yy_ = 0, vy_ = 0;
};

}  // namespace app
