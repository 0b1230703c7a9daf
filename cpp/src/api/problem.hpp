// F7: the caller's arrays turned into what the floors below speak: classes, bounds, a resolved kernel, a feasible start.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm::api {

struct TrainingProblem {
  const DataView* x = nullptr;
  Index n = 0;
  std::vector<double> classes;    ///< ascending
  std::vector<int> class_of;      ///< n; -1: C_i = 0, takes no part
  std::vector<double> upper;      ///< n: C_i
  KernelParams kernel;            ///< gamma resolved
  Precision precision = Precision::single_;
  std::vector<double> start;      ///< (k - 1) x n y_i alpha_i in the one-vs-one layout; empty: zeros
};

/// Checks everything and resolves what depends on the data. Throws ParameterError, DataError.
TrainingProblem make_problem(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs,
                             base::ThreadPool& pool);

/// Factor of C for each class. class_of -1: not counted. Throws ParameterError for a label that is no class.
std::vector<double> class_factors(const std::vector<double>& classes, const std::vector<int>& class_of,
                                  const std::vector<std::pair<double, double>>& class_weight, bool balanced);

/// The kernel with the gamma that the rule gives on x.
KernelParams resolve_gamma(const DataView& x, const KernelParams& given, GammaRule rule, base::ThreadPool& pool);

}  // namespace dcsvm::api
