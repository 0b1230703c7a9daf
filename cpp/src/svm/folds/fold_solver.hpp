// One pair of classes of one fold: solved for several C, with decision values of held-out rows.
#pragma once

#include <functional>
#include <vector>

#include "base/context.hpp"
#include "base/jobs.hpp"
#include "dcsvm/folds.hpp"
#include "kernel_matrix/row_source.hpp"
#include "qp/solver.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// What the folds of a classification have in common, whatever C and gamma.
struct FoldedClasses {
  std::vector<double> classes;          ///< ascending
  std::vector<int> class_of;            ///< all rows, those of weight 0 too; -1: in no fold
  std::vector<Index> order;             ///< order_by_fold
  const std::vector<Fold>* folds = nullptr;
  /// members[fold][class]: its training rows of C_i > 0, in `order`.
  std::vector<std::vector<std::vector<Index>>> members;
  /// factor[fold][class]: class weight.
  std::vector<std::vector<double>> factor;
  const double* weight = nullptr;

  Index n_classes() const { return static_cast<Index>(classes.size()); }
  Index n_pairs() const { return n_classes() * (n_classes() - 1) / 2; }
  const std::vector<Index>& rows_of_class(Index fold, Index c) const { return members[fold][c]; }
};

/// class_of: n positions in `classes`; -1: the row is in no fold. class_factor: what bounds are multiplied by besides
/// `weight` (n values or null: 1); "balanced" counts each fold's training rows.
FoldedClasses fold_classes(std::vector<double> classes, std::vector<int> class_of, const TrainParams& class_factor,
                           const double* weight, const std::vector<Fold>& folds);

/// The pair of the classes a < b in one fold.
struct FoldPair {
  Index fold, a, b;
};
/// All pairs of all folds, by pair, then by fold.
std::vector<FoldPair> fold_pairs(const FoldedClasses& folded);
/// Solving it as a job of run_jobs, with kernel values of value_bytes each.
base::Job job_of(const FoldedClasses& folded, const FoldPair& pair, std::size_t value_bytes, std::size_t cap_bytes);

/// Receives the decision values for the s-th C.
using FoldPairDone = std::function<void(std::size_t s, const double* decisions, const qp::Result& result)>;

/// Decision values of `test` for each of `scales` (ascending C; nu_svc has none, so all are the same). `rows`: K of all rows.
/// Trains c_svc or nu_svc on the fold's rows of the two classes. When one of them has no row, the decision is for the other (+1,
/// -1; 0 with neither) and the result is a default one. The Columns of `rows` live on the context's pool.
/// start: the coefficients of a solution of the whole data with C = 1, in the layout of data::coef_row, from which the fold is
/// solved (c_svc; `scales` is 1 alone then), or null.
template <class T>
void solve_fold_pair(const kernel_matrix::RowSource<T>& rows, const FoldedClasses& folded, const FoldPair& pair,
                     const std::vector<double>& scales, const TrainParams& params, const std::vector<Index>& test,
                     const qp::Options& options, base::Context& context, const Progress& progress, const FoldPairDone& done,
                     const double* start = nullptr);

}  // namespace dcsvm::svm
