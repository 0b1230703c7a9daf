#include "low_rank/labels.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "data/check.hpp"
#include "data/labels.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::low_rank {

LowRankLabels LowRankLabels::subset(const std::vector<Index>& rows) const {
  LowRankLabels part;
  part.classes = classes;
  for (const Index i : rows) {
    part.class_of.push_back(class_of[i]);
    part.weight.push_back(weight[i]);
  }
  return part;
}

std::vector<Index> LowRankLabels::labelled() const {
  std::vector<Index> found;
  for (Index i = 0; i < rows(); ++i) {
    if (class_of[i] >= 0) found.push_back(i);
  }
  return found;
}

std::vector<double> LowRankLabels::bounds(double C) const {
  std::vector<double> upper;
  upper.reserve(weight.size());
  for (const double w : weight) upper.push_back(C * w);
  for (Index i = 0; i < rows(); ++i) {
    if (!std::isfinite(upper[i])) throw ParameterError("C times weights overflows at row " + std::to_string(i));
  }
  return upper;
}

std::vector<BinaryProblem> LowRankLabels::problems(MultiClass multi_class) const {
  const int k = static_cast<int>(classes.size());
  if (k == 2) return {{0, 1}};
  std::vector<BinaryProblem> list;
  for (int i = 0; i < k; ++i) {
    if (multi_class == MultiClass::one_vs_rest) {
      list.push_back({i, -1});
      continue;
    }
    for (int j = i + 1; j < k; ++j) list.push_back({i, j});
  }
  return list;
}

LowRankLabels make_labels(const double* y, Index n, const LowRankParams& params, const double* sample_weight) {
  if (!params.unlabelled) data::check_labels(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  LowRankLabels labels;
  std::vector<double>& classes = labels.classes;
  const auto takes_part = [&](Index i) { return !params.unlabelled || y[i] != *params.unlabelled; };
  std::set<double> found;
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) throw DataError("y is not finite at row " + std::to_string(i));
    if (takes_part(i)) found.insert(y[i]);
  }
  classes.assign(found.begin(), found.end());
  if (classes.size() < 2) throw DataError("y must have at least two different labels beside the unlabelled rows");
  labels.class_of.assign(n, -1);
  for (Index i = 0; i < n; ++i) {
    if (!takes_part(i)) continue;
    labels.class_of[i] = static_cast<int>(std::lower_bound(classes.begin(), classes.end(), y[i]) - classes.begin());
  }
  const auto factor = data::class_factors(params.class_weight, params.balanced, classes, labels.class_of);
  std::vector<bool> alive(classes.size(), false);
  labels.weight.assign(n, 0.0);
  for (Index i = 0; i < n; ++i) {
    int& c = labels.class_of[i];
    if (c < 0) continue;
    labels.weight[i] = data::row_weight(factor[c], sample_weight, i);
    if (labels.weight[i] > 0) {
      alive[c] = true;
    } else {
      c = -1;
    }
  }
  data::check_alive(classes, alive);
  return labels;
}

}  // namespace dcsvm::low_rank
