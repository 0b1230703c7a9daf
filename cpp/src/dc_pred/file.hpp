// A DC-Pred++ model as bytes.
#pragma once

#include <string>
#include <string_view>

#include "dc_pred/model_data.hpp"

namespace dcsvm::dc_pred {

/// The first section of a DC-Pred++ model's file.
inline constexpr std::string_view kDcPredTag = "DPRD";
/// DcPredData <-> bytes. Both check, so nothing is written that could not be read. Throw ModelError.
std::string encode_dc_pred(const DcPredData& model);
DcPredData decode_dc_pred(std::string_view bytes);

}  // namespace dcsvm::dc_pred
