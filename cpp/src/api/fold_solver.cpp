#include "api/fold_solver.hpp"

#include <algorithm>

#include "api/folds.hpp"
#include "rows/kernel_rows.hpp"
#include "solver/path.hpp"

namespace dcsvm::api {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A class-by-class view of one fold's training rows.
void add_fold(const TrainParams& params, const std::vector<char>& trains, FoldedClasses& folded) {
  std::vector<int> class_of(folded.class_of.size(), -1);
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    if (trains[i] != 0) class_of[i] = folded.class_of[i];
  }
  const auto factor = class_factors(params, folded.classes, class_of);
  std::vector<std::vector<Index>> members(folded.classes.size());
  for (const Index i : folded.order) {
    if (class_of[at(i)] < 0) continue;
    const auto c = static_cast<std::size_t>(class_of[at(i)]);
    if (factor[c] * (folded.sample_weight != nullptr ? folded.sample_weight[i] : 1.0) > 0) members[c].push_back(i);
  }
  folded.members.push_back(std::move(members));
  folded.factor.push_back(factor);
}

// A pair as the solver's problem with C = 1.
struct UnitPair {
  UnitPair(const FoldedClasses& folded, Index fold, Index a, Index b) {
    for (const Index c : {a, b}) {
      const double sign = c == a ? 1.0 : -1.0, factor = folded.factor[at(fold)][at(c)];
      for (const Index i : folded.rows_of_class(fold, c)) {
        const double upper = factor * (folded.sample_weight != nullptr ? folded.sample_weight[i] : 1.0);
        idx.push_back(i);
        q.push_back(sign);
        lo.push_back(sign > 0 ? 0.0 : -upper);
        hi.push_back(sign > 0 ? upper : 0.0);
      }
    }
  }
  std::vector<Index> idx;
  std::vector<double> q, lo, hi;
};

}  // namespace

FoldedClasses fold_classes(const double* y, Index n, const TrainParams& params, const double* sample_weight,
                           const std::vector<Fold>& folds) {
  FoldedClasses folded;
  folded.folds = &folds;
  folded.sample_weight = sample_weight;
  find_classes(y, n, folded.classes, folded.class_of);
  folded.order = order_by_fold(folded.class_of, folds);
  for (const Fold& fold : folds) {
    std::vector<char> trains(at(n), 0);
    for (const Index i : fold.train) trains[at(i)] = 1;
    add_fold(params, trains, folded);
  }
  return folded;
}

template <class T>
void solve_fold_pair(const rows::RowSource<T>& rows, const FoldedClasses& folded, Index fold, Index a, Index b,
                     const std::vector<double>& scales, bool fit_intercept, const std::vector<Index>& test,
                     const solver::Options& options, base::Context& context, const Progress& progress,
                     const std::function<void(std::size_t, const double*, const solver::Result&)>& done) {
  const bool has_a = !folded.rows_of_class(fold, a).empty(), has_b = !folded.rows_of_class(fold, b).empty();
  std::vector<double> decisions(test.size(), has_a == has_b ? 0.0 : has_a ? 1.0 : -1.0);
  if (!has_a || !has_b) {
    for (std::size_t s = 0; s < scales.size(); ++s) done(s, decisions.data(), solver::Result());
    return;
  }
  const UnitPair pair(folded, fold, a, b);
  const auto subset = rows::make_subset(rows, pair.idx);
  const solver::Problem unit{static_cast<Index>(pair.idx.size()), pair.q.data(), pair.lo.data(), pair.hi.data(), fit_intercept};
  std::vector<Index> support;
  std::vector<double> coef;
  solver::solve_path(
      *subset, unit, scales, options, context, progress, [&](std::size_t s, const double* beta, const solver::Result& result) {
        support.clear();
        coef.clear();
        for (std::size_t i = 0; i < pair.idx.size(); ++i) {
          if (beta[i] == 0.0) continue;
          support.push_back(pair.idx[i]);
          coef.push_back(beta[i]);
        }
        std::fill(decisions.begin(), decisions.end(), result.bias);
        const auto columns = rows.columns(test.data(), static_cast<Index>(test.size()), context.cap_bytes / 8, *context.pool);
        columns->multiply(support.data(), coef.data(), static_cast<Index>(support.size()), decisions.data(), *context.pool);
        done(s, decisions.data(), result);
      });
}

template void solve_fold_pair<float>(const rows::RowSource<float>&, const FoldedClasses&, Index, Index, Index,
                                     const std::vector<double>&, bool, const std::vector<Index>&, const solver::Options&,
                                     base::Context&, const Progress&,
                                     const std::function<void(std::size_t, const double*, const solver::Result&)>&);
template void solve_fold_pair<double>(const rows::RowSource<double>&, const FoldedClasses&, Index, Index, Index,
                                      const std::vector<double>&, bool, const std::vector<Index>&, const solver::Options&,
                                      base::Context&, const Progress&,
                                      const std::function<void(std::size_t, const double*, const solver::Result&)>&);

}  // namespace dcsvm::api
