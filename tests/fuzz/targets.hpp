// Fuzz targets: each reads bytes as one of the library's readers does and calls everything that the result offers. Errors of the
// library (dcsvm::Error) are right answers; a crash, a sanitizer's complaint or any other exception is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcsvm::fuzz {

void svmlight(std::string_view bytes);       ///< two bytes of options, then LIBSVM's data text
void model(std::string_view bytes);          ///< a model file whose lengths and checksums are made right first
void from_bytes(std::string_view bytes);     ///< a model file as it is
void libsvm_model(std::string_view bytes);   ///< LIBSVM's text model
void liblinear_model(std::string_view bytes);  ///< LIBLINEAR's text model
void block_cache(std::string_view bytes);    ///< options, then an index and two blocks (see block_cache.cpp)
void journal(std::string_view bytes);        ///< the state of a training in blocks
void checkpoint(std::string_view bytes);     ///< flags, then what a checkpoint keeps (see checkpoint.cpp)
void report(std::string_view bytes);         ///< the kind of model, then a report in JSON or in the older binary form

/// All targets and the folders of their corpora.
inline std::vector<std::pair<std::string, void (*)(std::string_view)>> targets() {
  return {{"svmlight", svmlight},
          {"model", model},
          {"from_bytes", from_bytes},
          {"libsvm_model", libsvm_model},
          {"liblinear_model", liblinear_model},
          {"block_cache", block_cache},
          {"journal", journal},
          {"checkpoint", checkpoint},
          {"report", report}};
}

/// What must hold whatever the bytes are.
inline void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("fuzz target: ") + what);
}

/// Writes value over the bytes from `at` on.
template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace dcsvm::fuzz
