#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

void BinaryProblem::add(Index point, double label, double bound, double start) {
  points.push_back(point);
  y.push_back(label);
  lo.push_back(label > 0 ? 0.0 : -bound);
  hi.push_back(label > 0 ? bound : 0.0);
  beta.push_back(start);
}

std::vector<double> BinaryProblem::linear_term(std::vector<double> q) const {
  for (std::size_t i = 0; i < fixed.size(); ++i) q[i] -= fixed[i];
  return q;
}

std::vector<double> BinaryProblem::start_gradient(const std::vector<double>& q) const {
  std::vector<double> gradient(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) gradient[i] = q[i] - sums[i];
  for (std::size_t i = 0; i < sums.size() && !fixed.empty(); ++i) gradient[i] -= fixed[i];
  return gradient;
}

void BinaryProblem::set_targets(const Targets& targets) {
  const double t = targets.quantile;
  for (std::size_t i = 0; i < points.size(); ++i) {
    y[i] = targets.y[points[i]];
    lo[i] = -hi[i];
    if (t > 0) lo[i] *= 1 - t, hi[i] *= t;
  }
}

void BinaryProblem::store(Index n, double* coef) const {
  // A regression has one row for both signs.
  double* rows[] = {coef + data::coef_row(negative, positive) * n, coef + data::coef_row(positive, negative) * n};
  for (std::size_t i = 0; i < points.size(); ++i) rows[y[i] > 0 ? 1 : 0][points[i]] = beta[i];
}

BinaryProblem make_pair_problem(int positive, const std::vector<Index>& of_positive, int negative,
                                const std::vector<Index>& of_negative, const std::vector<double>& upper, const double* coef,
                                const Targets& targets) {
  BinaryProblem problem;
  make_pair_problem(positive, of_positive, negative, of_negative, upper, coef, targets, problem);
  return problem;
}

void make_pair_problem(int positive, const std::vector<Index>& of_positive, int negative, const std::vector<Index>& of_negative,
                       const std::vector<double>& upper, const double* coef, const Targets& targets, BinaryProblem& problem) {
  problem.points.clear();
  for (auto* values : {&problem.y, &problem.lo, &problem.hi, &problem.beta, &problem.sums, &problem.fixed}) values->clear();
  problem.positive = positive;
  problem.negative = negative;
  const std::size_t size = of_positive.size() + of_negative.size();
  problem.points.reserve(size);
  for (auto* values : {&problem.y, &problem.lo, &problem.hi, &problem.beta}) values->reserve(size);
  const auto n = static_cast<Index>(upper.size());
  const auto add_class = [&](const std::vector<Index>& members, double label, Index row) {
    for (const Index i : members) problem.add(i, label, upper[i], coef == nullptr ? 0.0 : coef[row * n + i]);
  };
  add_class(of_positive, 1.0, data::coef_row(positive, negative));
  add_class(of_negative, -1.0, data::coef_row(negative, positive));
  if (targets.y != nullptr) problem.set_targets(targets);
}

std::vector<std::vector<Index>> points_by_class(const std::vector<int>& class_of, Index n_classes,
                                                const std::vector<Index>& order) {
  std::vector<std::vector<Index>> members(n_classes);
  for (std::size_t p = 0; p < class_of.size(); ++p) {
    const Index i = order.empty() ? static_cast<Index>(p) : order[p];
    if (class_of[i] >= 0) members[class_of[i]].push_back(i);
  }
  return members;
}

}  // namespace dcsvm::svm
