// F7: one pair of classes of one fold, solved for several C and asked about held-out rows.
#pragma once

#include <functional>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/cross_validate.hpp"
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

/// Decision values of `test` for each of `scales` (ascending C; nu_svc has none, so all are the same): done(s, decisions,
/// result). `rows`: K of all rows. Trains c_svc or nu_svc on fold's rows of the classes a < b; when one of the classes has none,
/// the decision is for the other (+1, -1; 0 with neither) and result as constructed. The Columns of `rows` live on the context's
/// pool.
template <class T>
void solve_fold_pair(const kernel_matrix::RowSource<T>& rows, const FoldedClasses& folded, Index fold, Index a, Index b,
                     const std::vector<double>& scales, const TrainParams& params, const std::vector<Index>& test,
                     const qp::Options& options, base::Context& context, const Progress& progress,
                     const std::function<void(std::size_t, const double*, const qp::Result&)>& done);

}  // namespace dcsvm::svm
