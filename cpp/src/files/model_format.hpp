// dcsvm's model files. docs/model-format.md describes the bytes; what is stated there and here changes together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/model.hpp"
#include "files/bytes.hpp"

namespace dcsvm::files {

/// A first byte that is no text and a line end, so that transfers as text are noticed.
inline constexpr std::string_view kMagic{
    "\x89"
    "DCSVM\r\n",
    8};
/// Raised when an older reader could misread; additions that it may skip are optional sections or report keys instead.
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kHeaderBytes = 32;
/// tag, flags, payload length before the payload; CRC-32 behind it.
inline constexpr std::size_t kSectionHead = 16, kSectionTail = 4;
/// Flag of a section that a reader must understand.
inline constexpr std::uint32_t kRequired = 1;

/// The report's payload: named, typed, length-prefixed fields (report_format.cpp).
void encode_report(const Report& report, ByteWriter& out);
Report decode_report(ByteReader& in);
void encode_report(const LowRankReport& report, ByteWriter& out);
LowRankReport decode_low_rank_report(ByteReader& in);
void encode_report(const DcPredReport& report, ByteWriter& out);
DcPredReport decode_dc_pred_report(ByteReader& in);
void encode_report(const LsSvmReport& report, ByteWriter& out);
LsSvmReport decode_ls_svm_report(ByteReader& in);

}  // namespace dcsvm::files
