#include <memory>

#include "dc_pred/file.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "files/model_store.hpp"
#include "least_squares/file.hpp"
#include "libsvm/model_text/text.hpp"
#include "low_rank/file.hpp"
#include "svm/model/file.hpp"

namespace dcsvm {

namespace {

/// Another kind's file is told apart before its sections are strange.
void refuse_other_kinds(std::string_view bytes) {
  const auto is = [&](std::string_view tag) { return files::starts_with_section(bytes, tag); };
  if (is(dc_pred::kDcPredTag)) throw ModelError("model: this file holds a DC-Pred++ model; load_dc_pred_model reads it");
  if (is(least_squares::kLsSvmTag)) throw ModelError("model: this file holds an LS-SVM; load_ls_svm_model reads it");
  if (is(low_rank::kLowRankTag)) throw ModelError("model: this file holds a low-rank model; load_low_rank_model reads it");
}

}  // namespace

std::string model_to_bytes(const Model& model) { return files::encoded(model, svm::encode_model); }

Model model_from_bytes(std::string_view bytes) {
  refuse_other_kinds(bytes);
  return Model(std::make_shared<const svm::ModelData>(svm::decode_model(bytes)));
}

void save_model(const Model& model, const std::string& path) { files::write_whole(path, model_to_bytes(model)); }

Model load_model(const std::string& path, Index n_features) {
  return files::read_model(path, [n_features](std::string_view bytes) {
    if (libsvm::looks_like_libsvm(bytes)) return from_libsvm(parse_libsvm_text(bytes), n_features);
    Model model = model_from_bytes(bytes);
    if (n_features != 0 && n_features != model.n_features()) {
      throw ParameterError("n_features must be " + std::to_string(model.n_features()) +
                           ", which the model was trained with, got " + std::to_string(n_features));
    }
    return model;
  });
}

}  // namespace dcsvm
