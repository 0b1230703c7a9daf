// Online learning: rows come one after another, and each changes the model. Bordes, Ertekin, Weston, Bottou: Fast Kernel
// Classifiers with Online and Active Learning (JMLR 6, 2005): LaSVM, section 3.2.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm {

/// The state of online learning. Each array is n_pairs x n, row-major; pairs of classes are in the order of Model::rho.
struct OnlineState {
  std::vector<double> alpha;          ///< >= 0; 0 for rows of classes outside the pair
  std::vector<double> gradient;       ///< y_i - sum_j y_j alpha_j K(x_i, x_j) for rows in the pair's working set; 0 for others
  std::vector<std::uint8_t> working;  ///< 1 for rows in the pair's working set: support vectors and candidates
};

struct OnlineInputs {
  Index n_classes = 2;              ///< >= 2; labels are 0 .. n_classes - 1, and need not all occur
  const double* upper = nullptr;    ///< required: n upper bounds C_i > 0 of alpha
  Index n_known = 0;                ///< the first n_known rows have a state; the others are new
  const double* alpha = nullptr;    ///< n_pairs x n_known, as OnlineState has them; null only for n_known = 0
  const double* gradient = nullptr;         ///< the same; null: computed, n_known x (support vectors) kernel values
  const std::uint8_t* working = nullptr;    ///< the same; null: rows with alpha > 0
  Index budget = 0;                 ///< most rows in working sets; 0: no limit
};

struct OnlineResult {
  OnlineState state;  ///< of all n rows, known and new
  Model model;  ///< its report covers the working sets alone, so its stop_reason is never converged: one_pass or cancelled. A
                ///< pair with rows of one class only predicts that class
};

/// LaSVM: each new row is added to the working set of its pairs and takes a step of SMO with the row that violates most with it
/// (process); then the two rows of the working set that violate most take a step, and rows without alpha that violate with no
/// other row leave it (reprocess). The model is not optimal; dcsvm::train, started from its alpha, finds the optimum. When more
/// than `budget` rows are in working sets, the oldest are forgotten, those without alpha before the others: other rows of the
/// pair take over their coefficient, those with which the dual objective worsens least, so that sum_i y_i alpha_i = 0 still
/// holds. Solves c_svc with bias for any kernel but precomputed; of params it uses kernel, gamma_rule, C (which the model
/// states), tol, cache_size, precision, n_threads. y: n labels. Hooks::progress: returning true leaves out the new rows that
/// follow. Throws ParameterError, DataError, CapError, Interrupted, std::bad_alloc.
OnlineResult train_online(const DataView& x, const double* y, const TrainParams& params, const OnlineInputs& inputs,
                          const Hooks& hooks = {});

}  // namespace dcsvm
