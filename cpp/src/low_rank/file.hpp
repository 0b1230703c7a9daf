// The file of a low-rank model (docs/model-format.md).
#pragma once

#include <string>
#include <string_view>

#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

struct File {
  using Data = LowRankData;
  static constexpr const char* kTag = "LRNK";  ///< of the first section
  static constexpr const char* kName = "a low-rank model";
  /// Both check the model, so that nothing is written that could not be read. Throw ModelError.
  static std::string encode(const Data& model);
  static Data decode(std::string_view bytes);
};

}  // namespace dcsvm::low_rank
