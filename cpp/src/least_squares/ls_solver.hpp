// The LS-SVM's system Theta W = Z (Andrecut 2016, Eq. 18) and the methods that solve it. Every class has its column of Z and W;
// the matrix is shared. Each method has a file of its own: block_kaczmarz, matching_pursuit, kaczmarz_mp (a hybrid of the two),
// nystrom_committee, ls_cholesky, ls_conjugate_gradients.
#pragma once

#include <memory>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/ls_svm.hpp"
#include "least_squares/ls_block.hpp"
#include "least_squares/random_blocks.hpp"

namespace dcsvm::least_squares {

struct LsTask {
  LsMethod method = LsMethod::matching_pursuit;
  Index block_size = 0;  ///< J, <= N
  Index n_iter = 0;      ///< T: blocks; conjugate gradients: steps at most
  double tol = 0;        ///< of |Z - Theta W| / |Z| in double
};

struct LsResult {
  StopReason stop_reason = StopReason::converged;
  std::vector<double> w;  ///< N + 1 x k, class by class
  /// |Z - Theta W| / |Z| after each step; kaczmarz: estimated from the blocks of the last pass, each before its step; nystrom:
  /// none
  std::vector<double> residuals;
  double residual = 0;              ///< the last; converged: in double; nystrom: infinity
  std::vector<double> residual_of;  ///< Z - Theta W; empty for nystrom, and for kaczmarz that was cancelled
  Index n_iter = 0;
  Index n_regularised = 0;  ///< blocks that were singular to rounding
  std::size_t peak_bytes = 0;
};

/// Runs the method until the residual, computed in double, is below tol, or it no longer falls (stagnated); conjugate gradients
/// go on in double then. z: N + 1 x k, class by class, the last row 0. start: W of an earlier solve, or empty (zeros); a start
/// costs N x N kernel values in double where the residual of all rows is needed; kaczmarz_mp computes as many in float in every
/// step. Throws Interrupted, CapError.
LsResult solve_ls(const LsMatrix& matrix, const std::vector<double>& z, Index k, const LsTask& task, std::vector<double> start,
                  base::Context& context, const Progress& progress);

/// |v|
double norm(const std::vector<double>& v);
/// What residuals are relative to: |Z|, or 10 times that of Z less its mean in each of the k columns where that is less, because
/// the bias alone explains the mean.
double scale_of_targets(const std::vector<double>& z, Index k);

/// Method "exact" solves up to this many rows by Cholesky, in double, and more by conjugate gradients.
constexpr Index kCholeskyRows = 10000;
bool by_cholesky(const LsTask& task, Index n);

/// A solve in progress. A method improves result.w and residual until step_done says that it is over.
struct LsState {
  const LsMatrix& matrix;
  const std::vector<double>& z;
  Index k;
  const LsTask& task;
  base::Context& context;
  Progress progress;
  LsBlock block;         ///< of at most task.block_size points
  RandomBlocks batches;  ///< the points of the next blocks
  double z_norm;         ///< scale_of_targets, > 0
  bool w_is_zero;        ///< then Theta W costs nothing
  double target;         ///< the method stops below this relative residual, as it knows it
  std::vector<double> residual{};  ///< Z - Theta W, in methods that know it
  bool residual_is_exact = false;  ///< it was computed in double, for this W
  bool in_double = false;          ///< products of conjugate gradients
  std::unique_ptr<kernel_matrix::Columns<double>> exact_columns{};  ///< made when they are first needed
  std::size_t matrix_bytes = 0;  ///< of a whole matrix, in methods that hold one
  LsResult result{};

  Index rows() const { return matrix.n() + 1; }
  double relative(const std::vector<double>& v) const { return norm(v) / z_norm; }
  /// <a, b> of class c.
  double dot(const std::vector<double>& a, const std::vector<double>& b, Index c) const;
  /// to += length step for class c.
  void add(std::vector<double>& to, const std::vector<double>& step, double length, Index c) const;
  /// The step length along `step` at which the residual of class c is smallest.
  double best_length(const std::vector<double>& step, Index c) const;

  /// Loads and factors the next random block. Products in float are rounded: the factor gets a small ridge.
  void load_next_block();
  /// Theta_s q for the current block s.
  std::vector<double> expanded(const std::vector<double>& q) const;
  /// out += sign Theta v. Costs N x N kernel values; the current block is lost.
  void add_product(const std::vector<double>& v, double sign, std::vector<double>& out);
  /// The same in double; the block stays.
  void add_exact_product(const std::vector<double>& v, double sign, std::vector<double>& out);
  /// residual = Z - Theta W in double, unless it is that already.
  void compute_residual();
  /// Records the residual that a step has left, and asks the host; true: stop. `of_all_rows`: it is no estimate, and may end the
  /// iteration. `exact`: `residual` was computed after the step.
  bool step_done(double relative_residual, bool of_all_rows = true, bool exact = false);
};

/// The diagonal that factors of blocks get: the rounding of one float, times sqrt(J).
constexpr double kBlockRidge = 0x1.0p-23;

constexpr const char* kNotDefinite =
    "the kernel matrix plus 1 / gamma_ls is not positive definite: lower gamma_ls or choose another kernel";

void block_kaczmarz(LsState& s);
void nystrom_committee(LsState& s);
void ls_cholesky(LsState& s);
void ls_conjugate_gradients(LsState& s);
/// before_step: called on each block first, or null.
void matching_pursuit(LsState& s, void (*before_step)(LsState&) = nullptr);
void kaczmarz_mp(LsState& s);

}  // namespace dcsvm::least_squares
