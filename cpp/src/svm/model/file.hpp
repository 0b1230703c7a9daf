// A model of LIBSVM's formulations as bytes.
#pragma once

#include <string>
#include <string_view>

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// ModelData <-> bytes. Both check (check.hpp), so nothing is written that could not be read. Throw ModelError.
std::string encode_model(const ModelData& model);
ModelData decode_model(std::string_view bytes);

}  // namespace dcsvm::svm
