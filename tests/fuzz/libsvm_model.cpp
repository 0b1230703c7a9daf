// LIBSVM's text models, through both conversions.
#include "dcsvm/libsvm_model.hpp"

#include "dcsvm/errors.hpp"
#include "libsvm/model_text/text.hpp"
#include "targets.hpp"
#include "use_model.hpp"

namespace dcsvm::fuzz {

void libsvm_model(std::string_view bytes) {
  libsvm::looks_like_libsvm(bytes);
  if (bytes.empty()) return;
  try {
    const LibsvmModel parsed = parse_libsvm_text(bytes);
    const std::string text = libsvm_text(parsed);
    expect(libsvm_text(parse_libsvm_text(text)) == text, "a saved text model is another one when it is loaded");
    use(from_libsvm(parsed));
    use(from_libsvm(parsed, 2147483647, Precision::double_));
  } catch (const Error&) {
  }
}

}  // namespace dcsvm::fuzz
