// The solvers that have all classes in one problem: crammer_singer, and multinomial with more than two classes.
#pragma once

#include <vector>

#include "linear/method.hpp"
#include "linear/training.hpp"

namespace dcsvm::linear {

struct AllClasses {
  std::vector<double> w;  ///< columns x classes row-major
  LinearProblemReport report;
  Method method;
};
/// options: without a start, which is inputs.initial_w. Throws ParameterError (C times weights overflows), CapError.
AllClasses solve_all_classes(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs,
                             const LinearLabels& labels, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear
