// F7: what solve_on_margin solves: one fold under one C, and where it starts.
#pragma once

#include <vector>

#include "qp/solver.hpp"

namespace dcsvm::cross_validation {

// One fold and C: a solution in the numbers of the data's rows.
struct Task {
  Index fold;
  std::size_t s;
  std::vector<Index> support;
  std::vector<double> coef;
  qp::Result result;
  std::vector<double> sums;  // sum_i coef_i K(support_i, row) for every row of the data
  bool open = true;  // to be solved (again)
};

// A problem of rows with labels, under bounds multiplied by C.
struct Box {
  std::vector<double> q, lo, hi;
  void add(double sign, double upper) {
    q.push_back(sign);
    lo.push_back(sign > 0 ? 0.0 : -upper);
    hi.push_back(sign > 0 ? upper : 0.0);
  }
  qp::Problem problem(bool equality) const { return {static_cast<Index>(q.size()), q.data(), lo.data(), hi.data(), equality}; }
};

// Coefficients and g = q - K beta.
struct Start {
  std::vector<double> beta, g;
  // What is left to do, roughly: each variable in violation takes steps that shrink its own.
  double work(const Box& box, bool equality, double tol) const;
};

// Most support vectors are free: a larger C changes little.
inline bool mostly_free(const Task& task) { return 2 * task.result.n_bounded < task.result.n_support; }

// Tasks [begin, end) of a fold, solved one after another.
struct Chain {
  Index fold;
  std::size_t begin, end;
};

}  // namespace dcsvm::cross_validation
