// Bytes of a file in the text of an error: whoever shows it may be a terminal, or want UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace dcsvm::files {

/// What is no printable ASCII becomes '?'.
inline std::string printable(std::string_view bytes) {
  std::string text(bytes);
  for (char& c : text) c = c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

}  // namespace dcsvm::files
