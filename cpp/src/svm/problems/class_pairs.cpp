#include "svm/problems/class_pairs.hpp"

namespace dcsvm::svm {

Pair cut_pair(int lower, int higher, const std::vector<std::vector<Index>>& members, const std::vector<double>& upper,
              const double* coef) {
  Pair pair;
  pair.lower = lower;
  pair.higher = higher;
  const auto n = static_cast<Index>(upper.size());
  for (const int own : {lower, higher}) {
    const int other = own == lower ? higher : lower;
    for (const Index i : members[own]) {
      pair.idx.push_back(i);
      pair.sign.push_back(own == lower ? 1 : -1);
      pair.upper.push_back(upper[i]);
      pair.beta.push_back(coef != nullptr ? coef[data::coef_row(own, other) * n + i] : 0.0);
    }
  }
  return pair;
}

void put_pair(const Pair& pair, Index n, double* coef) {
  for (std::size_t p = 0; p < pair.idx.size(); ++p) {
    const Index row = pair.sign[p] > 0 ? data::coef_row(pair.lower, pair.higher) : data::coef_row(pair.higher, pair.lower);
    coef[row * n + pair.idx[p]] = pair.beta[p];
  }
}

std::vector<std::vector<Index>> members_of(const std::vector<int>& class_of, int n_classes, const std::vector<Index>* order) {
  std::vector<std::vector<Index>> members(n_classes);
  for (std::size_t p = 0; p < class_of.size(); ++p) {
    const std::size_t i = order != nullptr ? static_cast<std::size_t>((*order)[p]) : p;
    if (class_of[i] >= 0) members[class_of[i]].push_back(static_cast<Index>(i));
  }
  return members;
}

}  // namespace dcsvm::svm
