#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "io/file.hpp"
#include "io/libsvm_text.hpp"
#include "io/model_format.hpp"

namespace dcsvm {

std::string model_to_bytes(const Model& model) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  return io::encode_model(*model.data());
}

Model model_from_bytes(std::string_view bytes) {
  return Model(std::make_shared<const models::ModelData>(io::decode_model(bytes)));
}

void save_model(const Model& model, const std::string& path) {
  const std::string bytes = model_to_bytes(model);
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

Model load_model(const std::string& path, Index n_features) {
  const std::string bytes = io::read_file(path);
  try {
    if (io::looks_like_libsvm(bytes)) return from_libsvm(parse_libsvm_text(bytes), n_features);
    Model model = model_from_bytes(bytes);
    if (n_features != 0 && n_features != model.n_features()) {
      throw ParameterError("n_features must be " + std::to_string(model.n_features()) + ", which the model was trained with, got " +
                           std::to_string(n_features));
    }
    return model;
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
