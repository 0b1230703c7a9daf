// dcsvm's model files. docs/model-format.md describes the bytes; what is stated there and here changes together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/bytes.hpp"
#include "models/dc_pred_data.hpp"
#include "models/low_rank_data.hpp"
#include "models/ls_svm_data.hpp"
#include "models/model_data.hpp"

namespace dcsvm::io {

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

/// ModelData <-> bytes. Both check (model_check.hpp), so nothing is written that could not be read. Throw ModelError.
std::string encode_model(const models::ModelData& model);
models::ModelData decode_model(std::string_view bytes);

/// The same for low-rank models (low_rank_file.cpp), whose first section is LRNK.
inline constexpr std::string_view kLowRankTag = "LRNK";
std::string encode_low_rank(const models::LowRankData& model);
models::LowRankData decode_low_rank(std::string_view bytes);

/// And for DC-Pred++ models (dc_pred_file.cpp), whose first section is DPRD.
inline constexpr std::string_view kDcPredTag = "DPRD";
std::string encode_dc_pred(const models::DcPredData& model);
models::DcPredData decode_dc_pred(std::string_view bytes);

/// The same for LS-SVMs (ls_svm_file.cpp).
inline constexpr std::string_view kLsSvmTag = "LSSV";
std::string encode_ls_svm(const models::LsSvmData& model);
models::LsSvmData decode_ls_svm(std::string_view bytes);

/// The report's payload: named, typed, length-prefixed fields (report_format.cpp).
void encode_report(const Report& report, ByteWriter& out);
Report decode_report(ByteReader& in);
void encode_report(const LowRankReport& report, ByteWriter& out);
LowRankReport decode_low_rank_report(ByteReader& in);
void encode_report(const DcPredReport& report, ByteWriter& out);
DcPredReport decode_dc_pred_report(ByteReader& in);
void encode_report(const LsSvmReport& report, ByteWriter& out);
LsSvmReport decode_ls_svm_report(ByteReader& in);

}  // namespace dcsvm::io
