// A least-squares SVM as bytes.
#pragma once

#include <string>
#include <string_view>

#include "least_squares/model_data.hpp"

namespace dcsvm::least_squares {

/// The first section of a least-squares SVM's file.
inline constexpr std::string_view kLsSvmTag = "LSSV";
/// LsSvmData <-> bytes. Both check, so nothing is written that could not be read. Throw ModelError.
std::string encode_ls_svm(const LsSvmData& model);
LsSvmData decode_ls_svm(std::string_view bytes);

}  // namespace dcsvm::least_squares
