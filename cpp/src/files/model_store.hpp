// Saving and loading, the same for every kind of model.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/model_format.hpp"

namespace dcsvm::files {

/// Whether `bytes` begin a model file whose first section is `tag`.
inline bool starts_with_section(std::string_view bytes, std::string_view tag) noexcept {
  return bytes.size() > kHeaderBytes + tag.size() && bytes.compare(0, kMagic.size(), kMagic) == 0 &&
         bytes.compare(kHeaderBytes, tag.size(), tag) == 0;
}

/// encode(data); ModelError for a model without data.
template <class M, class Encode>
std::string encoded(const M& model, Encode&& encode) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  return encode(*model.data());
}

/// Whole or not at all.
inline void write_whole(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

/// decode(bytes of the file); a ModelError names the file.
template <class Decode>
auto read_model(const std::string& path, Decode&& decode) {
  const std::string bytes = read_file(path);
  try {
    return decode(std::string_view(bytes));
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm::files
