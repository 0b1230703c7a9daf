// Training. Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines (ICML 2014), Algorithm 1;
// Fan, Chen, Lin: Working set selection using second order information (JMLR 6, 2005).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm {

/// Where a training stands; given to Hooks::progress.
struct Progress {
  const char* phase = "";   ///< "clustering", "level", "refine", "solve", "calibrate", "done"; others name theirs
  int level = 0;            ///< DC-SVM level, 0 for the whole problem
  Index done = 0;           ///< clusters or pairs finished in this phase
  Index total = 0;          ///< clusters or pairs of this phase
  std::int64_t n_iter = 0;  ///< SMO steps so far in the current solve
  double violation = 0;     ///< current maximal KKT violation over the active set
  double objective = 0;     ///< current dual objective
  Index active = 0;         ///< variables not shrunk; 0 when training is done
  Index n_support = 0;      ///< variables of the current solve that are not 0, shrunk ones too; at the end Report::n_support
  double seconds = 0;       ///< since training began
};

/// Both are called on the thread that called train, never concurrently.
struct Hooks {
  /// Called before outer iterations, the first and then once in progress_interval at most; return true to stop with
  /// StopReason::cancelled and get the model as it is. With early_level, clusters that had no turn predict with what the level
  /// below found, or before that with their class of more weight; objective and violation are of that model.
  std::function<bool(const Progress&)> progress;
  double progress_interval = 0.05;  ///< seconds; 0: before every outer iteration
  /// Asked about every 50 ms, first after 50 ms, so not in a shorter call; true abandons the training: train throws Interrupted.
  std::function<bool()> interrupted;
};

struct TrainInputs {
  /// n weights >= 0, or null. Rows of weight 0 do not take part.
  const double* sample_weight = nullptr;
  /// n_pairs x n_samples row-major feasible start (what Model::alpha returns), or null. Not for nu_svc and nu_svr
  /// (ParameterError): what a model keeps of their alpha is scaled, or a difference.
  const double* warm_start_alpha = nullptr;
  /// A file that keeps what was found so far, for train and cross_validate; empty: none. A call that was killed, interrupted or
  /// cancelled and is made again with the same data, parameters (n_threads may differ) and version goes on from there, to the
  /// same objective within tol; clustering and kernel values in memory are computed again. The file is replaced atomically, has a
  /// checksum, and is removed when the call has its result. DataError: the file is damaged, or of another call; FileError:
  /// it cannot be written, also later (the call ends, and the last state stays).
  std::string checkpoint{};
  double checkpoint_interval = 60.0;  ///< seconds of work that may be lost, > 0
  /// n_pairs x n_samples row-major, or null: sum_j b_j K(x_i, x_j) of warm_start_alpha for each row i of a pair, where b_j is
  /// y_j alpha_j (regression: alpha_j - alpha_j*; one_class: alpha_j). For callers that know these sums: the training then does
  /// not compute n_samples kernel values for each support vector of the start. Up to 16 rows of each pair are compared
  /// with kernel values, and all sums of the pair are computed where one differs by more than a quarter of tol. What is wrong in
  /// other rows is not noticed: the report's violation is then not that of the solution. Unused where the solver does not go on
  /// from the start ("dc", "rand", "cascade") or takes none (nu_svc, nu_svr). ParameterError: without warm_start_alpha, or one is
  /// not finite.
  const double* warm_start_sums = nullptr;
  /// n_pairs x n_samples row-major, or null: for each row i of a pair, sum_j b_j K(x_i, x_j) over rows that are not in x and
  /// whose b_j stay as they are. Training then finds the b of x's rows that minimise the dual of all these rows together: one
  /// step of a block descent, for callers who cannot or do not want to solve all rows at once (Joachims 1998). warm_start_alpha
  /// (null: zeros) need not satisfy the equality constraint by itself: sum y alpha keeps its value (one_class: sum alpha is nu's,
  /// as always). The report's objective lacks the part that only fixed rows have, and the model's decision values lack these
  /// rows. ParameterError: with nu_svc, nu_svr, probability, early_level, or a solver other than "auto" and "smo"; or one is not
  /// finite.
  const double* fixed_row_sums = nullptr;
};

/// Trains params.formulation on x (n_samples x n_features; n_samples x n_samples for the precomputed kernel, symmetric) and y:
/// n_samples labels (classifiers: any finite numbers, at least two different ones), n_samples finite targets (regression), or
/// whatever, also null (one_class).
/// Throws ParameterError, DataError, CapError, Interrupted, std::bad_alloc.
Model train(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs = {},
            const Hooks& hooks = {});

}  // namespace dcsvm
