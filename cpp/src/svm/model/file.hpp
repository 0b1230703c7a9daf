// The file of a support vector machine (docs/model-format.md).
#pragma once

#include <string>
#include <string_view>

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

struct File {
  using Data = ModelData;
  static constexpr const char* kTag = "META";  ///< of the first section
  static constexpr const char* kName = "a support vector machine";
  /// Both check the model, so that nothing is written that could not be read. Throw ModelError.
  static std::string encode(const Data& model);
  static Data decode(std::string_view bytes);
};

}  // namespace dcsvm::svm
