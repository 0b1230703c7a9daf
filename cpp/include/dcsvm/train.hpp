// Training. Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines (ICML 2014), Algorithm 1;
// Fan, Chen, Lin: Working set selection using second order information (JMLR 6, 2005).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm {

/// Trains params.formulation on x (n_samples x n_features; n_samples x n_samples for the precomputed kernel, symmetric) and y:
/// n_samples labels (classifiers: any finite numbers, at least two different ones), n_samples finite targets (regression), or
/// whatever, also null (one_class).
/// Throws ParameterError, DataError, CapError, Interrupted, std::bad_alloc.
Model train(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs = {},
            const Hooks& hooks = {});

}  // namespace dcsvm
