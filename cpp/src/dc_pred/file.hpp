// The file of a DC-Pred++ model (docs/model-format.md).
#pragma once

#include <string>
#include <string_view>

#include "dc_pred/model_data.hpp"

namespace dcsvm::dc_pred {

struct File {
  using Data = DcPredData;
  static constexpr const char* kTag = "DPRD";  ///< of the first section
  static constexpr const char* kName = "a DC-Pred++ model";
  /// Both check the model, so that nothing is written that could not be read. Throw ModelError.
  static std::string encode(const Data& model);
  static Data decode(std::string_view bytes);
};

}  // namespace dcsvm::dc_pred
