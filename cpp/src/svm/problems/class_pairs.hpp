// Where one-vs-one keeps things: LIBSVM's numbering of pairs and of coefficient rows, and one pair's share of them.
#pragma once

#include <cstdint>
#include <vector>

#include "data/one_vs_one.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::svm {

/// One pair's problem, cut out of the whole: its points, signs (+1 for the lower class), bounds and coefficients.
struct Pair {
  int lower = 0, higher = 1;
  std::vector<Index> idx;            ///< the lower class's points, then the higher's, each in the order of `members`
  std::vector<std::int8_t> sign;
  std::vector<double> upper;
  std::vector<double> beta;
};

/// members[c]: the points of class c. upper: C_i for all points. coef: (k - 1) x n layout, or null: zeros.
Pair cut_pair(int lower, int higher, const std::vector<std::vector<Index>>& members, const std::vector<double>& upper,
              const double* coef);
/// Writes pair.beta back.
void put_pair(const Pair& pair, Index n, double* coef);

/// Points of each class in the order of `order` (all points; null: ascending); class_of < 0 takes no part.
std::vector<std::vector<Index>> members_of(const std::vector<int>& class_of, int n_classes,
                                           const std::vector<Index>* order = nullptr);

}  // namespace dcsvm::svm
