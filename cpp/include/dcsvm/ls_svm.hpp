// Least-squares support vector machines, solved on random blocks of the kernel matrix.
// Andrecut: Randomized Kernel Methods for Least-Squares Support Vector Machines (2016); Suykens, Vandewalle (1999).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm {

namespace least_squares {
struct LsSvmData;  // cpp/src/least_squares/model_data.hpp
}  // namespace least_squares

/// nystrom: a committee (Eq. 26-28); kaczmarz: Eq. (47); matching_pursuit: Eq. (56)-(59); kaczmarz_mp: a step of each on the same
/// block (Section 3.4), the first with a line search on the residual, at N x N kernel values a step; exact: Cholesky up to 10,000
/// rows, else conjugate gradients.
enum class LsMethod { nystrom, kaczmarz, matching_pursuit, kaczmarz_mp, exact };
constexpr auto names_of(LsMethod) { return std::array{"nystrom", "kaczmarz", "matching_pursuit", "kaczmarz_mp", "exact"}; }

/// min 1/2 sum_j (|w_j|^2 + gamma_ls sum_i e_ij^2), e_ij = z_ij - <phi(x_i), w_j> - b_j (Eq. 4, 5), by its linear system (Eq.
/// 18). Classes: z_ij = 1 for the row's class, else 0, all classes at once. Regression: z = y.
struct LsSvmParams {
  KernelParams kernel;  ///< not precomputed
  GammaRule gamma_rule = GammaRule::unspecified;
  bool normalise = false;  ///< rows are scaled to |x| = 1 first, also those to predict: with poly the cosine-normalised kernel
  bool regression = false;
  double gamma_ls = 1e4;  ///< > 0: price of errors (the paper's gamma)
  LsMethod method = LsMethod::matching_pursuit;
  Index block_size = 0;  ///< J, at most the rows; 0: 2,000, or a quarter of fewer than 8,000 rows
  Index n_iter = 0;  ///< T >= 1: blocks, members of the committee, or steps of conjugate gradients at most; 0: as many as
                     ///< cover all rows (four times), 6 members, 1,000 steps
  Index n_average = 1;  ///< S: models of different seeds whose weights are averaged (Eq. 68); exact has no seed: one model
  double tol = 1e-3;  ///< stop when the residual |Z - Theta W| / |Z|, in double, is below (nystrom: no residual is known)
  std::uint64_t seed = 0;
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

struct LsSvmInputs {
  /// LsSvmModel::coef and intercept of another training on the same rows and classes: where it starts (not nystrom). Both or
  /// none.
  const double* coef = nullptr;
  const double* intercept = nullptr;
};

struct LsSvmReport {
  /// converged: the residual, computed in double, is below tol (nystrom: all members are done). max_iter: T steps are done and
  /// the residual is above tol. stagnated: rounding keeps it above; other methods than exact work in single precision.
  StopReason stop_reason = StopReason::converged;
  /// After each step, model after model; nystrom: none. kaczmarz: an estimate from the blocks of the last pass over the rows,
  /// each before its own step; below tol, once a pass, and after the last step the residual itself. The others know theirs up to
  /// rounding.
  std::vector<double> residuals;
  /// Of the model (n_average > 1: of the mean weights). kaczmarz that was cancelled: the last estimate. nystrom: infinity, none
  /// is known.
  double residual = 0;
  Index n_iter = 0;  ///< steps of all models
  Index block_size = 0;  ///< as used
  Index n_regularised = 0;  ///< blocks that were singular to rounding and got a multiple of the unit matrix
  std::int64_t n_kernel_values = 0;
  std::map<std::string, double> seconds;  ///< "prepare", "solve", "total"
  std::int64_t peak_bytes = 0;  ///< a block, its factor, rows, weights and residuals: O(N (J + K)); exact: + N^2
  double gamma = 0;  ///< of the kernel, as used
  std::string isa;
  int n_threads = 0;
};

/// An immutable value, cheap to copy, safe to use from several threads at once.
class LsSvmModel {
 public:
  LsSvmModel() = default;
  explicit LsSvmModel(std::shared_ptr<const least_squares::LsSvmData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  Index n_features() const;
  Index n_train() const;
  bool regression() const;
  const std::vector<double>& classes() const;  ///< ascending; empty for regression
  const KernelParams& kernel() const;  ///< gamma resolved
  bool normalise() const;
  const LsSvmReport& report() const;
  const std::vector<double>& coef() const;  ///< a_nj: n_outputs x n_train row-major
  const std::vector<double>& intercept() const;  ///< b_j: n_outputs

  const std::shared_ptr<const least_squares::LsSvmData>& data() const { return data_; }

 private:
  std::shared_ptr<const least_squares::LsSvmData> data_;
};

/// Trains on x (n x n_features) and y (n labels, at least two different ones; regression: n x n_targets finite numbers,
/// row-major, n_targets >= 1). The model keeps all rows. Progress phase: "solve", done of total steps, violation: the residual.
/// Throws ParameterError, DataError, Interrupted, std::bad_alloc.
LsSvmModel train_ls_svm(const DataView& x, const double* y, const LsSvmParams& params, const LsSvmInputs& inputs = {},
                        const Hooks& hooks = {}, Index n_targets = 1);

/// Columns of decision_function and predict_proba: one for each class; regression: one for each target.
Index decision_columns(const LsSvmModel& model);
/// out: rows x decision_columns row-major, sum_n a_nj K(x, x_n) + b_j. Throws as dcsvm::decision_function of a Model.
void decision_function(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// Classes: one label per row, that of the largest value, ties to the lower. Regression: as decision_function.
void predict(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// Softmax of the decisions (Eq. 7), rows x classes. DataError for regression.
void predict_proba(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options = {});

}  // namespace dcsvm
