// A low-rank model as bytes.
#pragma once

#include <string>
#include <string_view>

#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

/// The first section of a low-rank model's file.
inline constexpr std::string_view kLowRankTag = "LRNK";
/// LowRankData <-> bytes. Both check, so nothing is written that could not be read. Throw ModelError.
std::string encode_low_rank(const LowRankData& model);
LowRankData decode_low_rank(std::string_view bytes);

}  // namespace dcsvm::low_rank
