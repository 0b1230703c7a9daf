// Model files of every kind: one variant, one load, one save.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

using AnyModel = std::variant<Model, LowRankModel, DcPredModel, LsSvmModel>;

/// Reads a model file of any kind, or a LIBSVM model (dcsvm/libsvm_model.hpp), whose columns n_features may name.
/// Throws FileError, ModelError; ParameterError when n_features does not fit the model.
AnyModel load_any_model(const std::string& path, Index n_features = 0);
/// Writes the model atomically. Throws FileError; ModelError for an empty model.
void save_model(const AnyModel& model, const std::string& path);
/// The content of such a file in memory. Throw ModelError.
std::string model_to_bytes(const AnyModel& model);
AnyModel any_model_from_bytes(std::string_view bytes);

}  // namespace dcsvm
