#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "io/libsvm_text.hpp"
#include "io/model_store.hpp"

namespace dcsvm {

std::string model_to_bytes(const Model& model) { return io::encoded(model, io::encode_model); }

Model model_from_bytes(std::string_view bytes) {
  return Model(std::make_shared<const models::ModelData>(io::decode_model(bytes)));
}

void save_model(const Model& model, const std::string& path) { io::write_whole(path, model_to_bytes(model)); }

Model load_model(const std::string& path, Index n_features) {
  return io::read_model(path, [n_features](std::string_view bytes) {
    if (io::looks_like_libsvm(bytes)) return from_libsvm(parse_libsvm_text(bytes), n_features);
    Model model = model_from_bytes(bytes);
    if (n_features != 0 && n_features != model.n_features()) {
      throw ParameterError("n_features must be " + std::to_string(model.n_features()) +
                           ", which the model was trained with, got " + std::to_string(n_features));
    }
    return model;
  });
}

}  // namespace dcsvm
