// LIBLINEAR's text models, through both conversions.
#include "dcsvm/liblinear_model.hpp"

#include "dcsvm/errors.hpp"
#include "liblinear/model_text/text.hpp"
#include "targets.hpp"
#include "use_model.hpp"

namespace dcsvm::fuzz {

void liblinear_model(std::string_view bytes) {
  liblinear::looks_like_liblinear(bytes);
  if (bytes.empty()) return;
  try {
    const LiblinearModel parsed = parse_liblinear_text(bytes);
    const std::string text = liblinear_text(parsed);
    expect(liblinear_text(parse_liblinear_text(text)) == text, "a saved text model is another one when it is loaded");
    const LinearModel model = from_liblinear(parsed);
    expect(to_liblinear(model).w.size() == parsed.w.size(), "a converted model has other weights");
    use(model);
  } catch (const Error&) {
  }
}

}  // namespace dcsvm::fuzz
