// Files: SVMlight / LIBSVM text data and dcsvm's own model format (docs/model-format.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/svmlight.hpp"

namespace dcsvm {

/// Writes the model atomically. Throws FileError.
void save_model(const Model& model, const std::string& path);
/// Reads what save_model wrote, or a LIBSVM model (dcsvm/libsvm_model.hpp), whose columns n_features may name.
/// Throws FileError, ModelError; ParameterError when n_features does not fit the model.
Model load_model(const std::string& path, Index n_features = 0);
/// The same bytes in memory. model_from_bytes throws ModelError.
std::string model_to_bytes(const Model& model);
Model model_from_bytes(std::string_view bytes);

}  // namespace dcsvm
