// The file of a least-squares SVM (docs/model-format.md).
#pragma once

#include <string>
#include <string_view>

#include "least_squares/model_data.hpp"

namespace dcsvm::least_squares {

struct File {
  using Data = LsSvmData;
  static constexpr const char* kTag = "LSSV";  ///< of the first section
  static constexpr const char* kName = "a least-squares SVM";
  /// Both check the model, so that nothing is written that could not be read. Throw ModelError.
  static std::string encode(const Data& model);
  static Data decode(std::string_view bytes);
};

}  // namespace dcsvm::least_squares
