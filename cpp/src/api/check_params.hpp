// F7: every parameter's range, in one place.
#pragma once

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/ridge.hpp"

namespace dcsvm::api {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const TrainParams& params);
void check_params(const LowRankParams& params);
void check_params(const DcPredParams& params);
void check_params(const RidgeParams& params);
void check_params(const LsSvmParams& params);

}  // namespace dcsvm::api
