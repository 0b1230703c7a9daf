// The solvers that have all classes in one problem: crammer_singer, and multinomial with more than two classes.
#pragma once

#include <string>
#include <vector>

#include "linear/training.hpp"

namespace dcsvm::linear {

bool has_all_classes(LinearSolver solver, const LinearLabels& labels);

struct AllClasses {
  std::vector<double> w;  ///< columns x classes row-major
  LinearProblemReport report;
  std::string method;  ///< LinearReport::method
};
/// options: without a start, which is inputs.initial_w. Throws ParameterError (C times weights overflows), CapError.
AllClasses solve_all_classes(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs,
                             const LinearLabels& labels, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear
