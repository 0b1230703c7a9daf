#include <memory>

#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "io/file.hpp"
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

Model load_model(const std::string& path) {
  const std::string bytes = io::read_file(path);
  try {
    return model_from_bytes(bytes);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
