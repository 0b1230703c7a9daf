#include "svm/folds/folds.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm {

namespace {

// Fisher-Yates.
void shuffle(std::vector<Index>::iterator begin, std::vector<Index>::iterator end, base::Random& random) {
  for (Index left = end - begin; left > 1; --left) std::swap(begin[left - 1], begin[random.below(left)]);
}

// Gives each n_folds-th part of [begin, end) to one fold, as evenly as whole numbers allow.
void deal(const std::vector<Index>& rows, std::size_t begin, std::size_t end, int n_folds, std::vector<int>& fold_of) {
  const std::size_t count = end - begin, folds = static_cast<std::size_t>(n_folds);
  for (std::size_t f = 0; f < folds; ++f) {
    for (std::size_t i = begin + f * count / folds; i < begin + (f + 1) * count / folds; ++i)
      fold_of[rows[i]] = static_cast<int>(f);
  }
}

}  // namespace

std::vector<Fold> make_folds(const double* y, Index n, int n_folds, bool stratified, std::uint64_t seed) {
  if (n_folds < 2) throw ParameterError("n_folds must be >= 2, got " + std::to_string(n_folds));
  if (n_folds > n)
    throw ParameterError("n_folds must be at most the number of rows, " + std::to_string(n) + ", got " + std::to_string(n_folds));
  base::Random random(seed);
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<int> fold_of(n);
  if (stratified && n_folds < n) {
    data::check_targets(y, n);  // NaN is no class: it equals not even itself
    std::vector<double> classes;
    std::vector<int> class_of;
    data::find_classes(y, n, classes, class_of);
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return class_of[a] < class_of[b]; });
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && class_of[rows[end]] == class_of[rows[begin]]) ++end;
      shuffle(rows.begin() + static_cast<Index>(begin), rows.begin() + static_cast<Index>(end), random);
      deal(rows, begin, end, n_folds, fold_of);
    }
  } else {
    shuffle(rows.begin(), rows.end(), random);
    deal(rows, 0, rows.size(), n_folds, fold_of);
  }
  std::vector<Fold> folds(n_folds);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    for (Index i = 0; i < n; ++i) (fold_of[i] == static_cast<int>(f) ? folds[f].test : folds[f].train).push_back(i);
  }
  return folds;
}

namespace svm {

void check_folds(const std::vector<Fold>& folds, Index n) {
  if (folds.empty()) throw ParameterError("folds must hold at least one fold");
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const std::string fold = "folds: fold " + std::to_string(f) + " ";
    std::vector<char> seen(n, 0);
    for (const auto* rows : {&folds[f].train, &folds[f].test}) {
      const std::string part = rows == &folds[f].train ? "train" : "test";
      if (rows->empty()) throw ParameterError(fold + "has no " + part + " rows");
      for (const Index i : *rows) {
        if (i < 0 || i >= n) {
          throw ParameterError(fold + "has " + part + " row " + std::to_string(i) + ", but rows are 0 to " +
                               std::to_string(n - 1));
        }
        if (seen[i] != 0) throw ParameterError(fold + "has row " + std::to_string(i) + " twice in train and test");
        seen[i] = 1;
      }
    }
  }
}

std::vector<Index> order_by_fold(const std::vector<int>& class_of, const std::vector<Fold>& folds) {
  std::vector<std::size_t> tested_by(class_of.size(), folds.size());
  for (std::size_t f = folds.size(); f-- > 0;) {
    for (const Index i : folds[f].test) tested_by[i] = f;
  }
  std::vector<Index> order(class_of.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (class_of[a] != class_of[b]) return class_of[a] < class_of[b];
    return tested_by[a] < tested_by[b];
  });
  return order;
}

}  // namespace svm

}  // namespace dcsvm
