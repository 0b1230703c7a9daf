// Everything that prediction and Model rely on, checked after reading (a checksum does not stop someone who recomputes it).
#pragma once

#include "models/low_rank_data.hpp"
#include "models/ls_svm_data.hpp"
#include "models/model_data.hpp"

namespace dcsvm::io {

/// Throws ModelError ("model: section TAG: what") when sizes, ranges, orders or values of `model` do not fit together.
void check_model(const models::ModelData& model);
void check_model(const models::LowRankData& model);
void check_model(const models::LsSvmData& model);

/// Parts that several kinds of models share. The texts name `section`, and CLAS.
void check_kernel(const KernelParams& kernel, const char* section);
void check_classes(const std::vector<double>& classes);

}  // namespace dcsvm::io
