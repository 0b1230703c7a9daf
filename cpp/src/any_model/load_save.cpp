#include <memory>
#include <type_traits>
#include <utility>

#include "any_model/encode.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "files/file.hpp"
#include "files/sections.hpp"
#include "files/tokens.hpp"
#include "ldkl/model_data.hpp"
#include "least_squares/model_data.hpp"
#include "liblinear/model_text/text.hpp"
#include "libsvm/model_text/text.hpp"
#include "linear/model_data.hpp"
#include "low_rank/model_data.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm {

namespace {

template <class M>
using data_t = std::remove_const_t<std::remove_reference_t<decltype(*std::declval<M>().data())>>;

/// The file format of a kind. A new kind of AnyModel needs its own file_of, and its line at the end of this file.
template <class M>
const auto& format_of() noexcept {
  return file_of(static_cast<const data_t<M>*>(nullptr));
}

template <class M>
std::string encode(const M& model) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  return any_model::encode(format_of<M>(), *model.data());
}

void clear_levels(Report& report) {
  for (LevelReport& level : report.levels) level.seconds = level.seconds_clustering = 0.0;
}
template <class R>
void clear_levels(R& /*report*/) {}

/// The model with what its report has of the run alone, not of the result: seconds and the number of threads.
template <class M>
M without_timings(const M& model) {
  if (model.empty()) return model;
  auto data = std::make_shared<data_t<M>>(*model.data());
  data->report.seconds.clear();
  data->report.n_threads = 0;
  clear_levels(data->report);
  return M(std::move(data));
}

template <class M>
M decode(std::string_view bytes) {
  return M(std::make_shared<const data_t<M>>(any_model::decode(format_of<M>(), bytes)));
}

template <class M>
bool is_first(std::string_view bytes) noexcept {
  return files::starts_with_section(bytes, format_of<M>().tag());
}

/// The kind whose section comes first; Model when none of them does.
template <class... M>
AnyModel decode_any(std::string_view bytes, const std::variant<M...>* /*kinds*/) {
  AnyModel model;
  const bool known = ((is_first<M>(bytes) && (model = decode<M>(bytes), true)) || ...);
  return known ? std::move(model) : decode<Model>(bytes);
}

template <class M, class Other>
void refuse_other(std::string_view bytes) {
  if (std::is_same_v<M, Other> || !is_first<Other>(bytes)) return;
  throw ModelError(std::string("model: ") + format_of<M>().name + " was expected, the file holds " + format_of<Other>().name +
                   "; load_any_model reads every kind");
}

template <class M, class... Kind>
M decode_only(std::string_view bytes, const std::variant<Kind...>* /*kinds*/) {
  (refuse_other<M, Kind>(bytes), ...);
  return decode<M>(bytes);
}

/// The model, when it has n_features columns or n_features is 0. Throws ParameterError.
template <class M>
M fits(M model, Index n_features) {
  const Index columns = std::visit([](const auto& m) { return m.n_features(); }, AnyModel(model));
  if (n_features != 0 && n_features != columns) {
    throw ParameterError("n_features must be " + std::to_string(columns) + ", which the model was trained with, got " +
                         std::to_string(n_features));
  }
  return model;
}

}  // namespace

template <class M>
M bytes_as(std::string_view bytes) {
  constexpr const AnyModel* kinds = nullptr;
  if constexpr (std::is_same_v<M, AnyModel>) {
    return decode_any(bytes, kinds);
  } else {
    return decode_only<M>(bytes, kinds);
  }
}

template <class M>
M load_as(const std::string& path, Index n_features, const std::function<bool()>& interrupted, const Warn& warn) {
  const std::string bytes = files::read_file(path, interrupted);
  try {
    if constexpr (std::is_constructible_v<M, LinearModel>) {
      if (liblinear::looks_like_liblinear(bytes))
        return fits(from_liblinear(parse_liblinear_text(bytes, interrupted, files::with_path(path, warn))), n_features);
    }
    if constexpr (std::is_constructible_v<M, Model>) {
      if (libsvm::looks_like_libsvm(bytes)) {
        return from_libsvm(parse_libsvm_text(bytes, interrupted, files::with_path(path, warn)), n_features);
      }
    }
    return fits(bytes_as<M>(bytes), n_features);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

template <class M>
bool holds(std::string_view bytes) noexcept {
  return is_first<M>(bytes);
}

std::string model_to_bytes(const AnyModel& model) {
  return std::visit([](const auto& m) { return encode(m); }, model);
}
std::string model_to_bytes_without_timings(const AnyModel& model) {
  return std::visit([](const auto& m) { return encode(without_timings(m)); }, model);
}
AnyModel any_model_from_bytes(std::string_view bytes) { return bytes_as<AnyModel>(bytes); }
AnyModel load_any_model(const std::string& path, Index n_features, const std::function<bool()>& interrupted, const Warn& warn) {
  return load_as<AnyModel>(path, n_features, interrupted, warn);
}
void save_model(const AnyModel& model, const std::string& path, const std::function<bool()>& interrupted) {
  files::write_file(path, model_to_bytes(model), interrupted);
}

// io.hpp.
std::string model_to_bytes(const Model& model) { return encode(model); }
void save_model(const Model& model, const std::string& path) { files::write_file(path, encode(model)); }
Model model_from_bytes(std::string_view bytes) { return bytes_as<Model>(bytes); }
Model load_model(const std::string& path, Index n_features) { return load_as<Model>(path, n_features); }

#define DCSVM_KIND(M)                                                                          \
  template M load_as<M>(const std::string&, Index, const std::function<bool()>&, const Warn&); \
  template M bytes_as<M>(std::string_view);                                                    \
  template bool holds<M>(std::string_view) noexcept;
DCSVM_KIND(Model)
DCSVM_KIND(LowRankModel)
DCSVM_KIND(DcPredModel)
DCSVM_KIND(LsSvmModel)
DCSVM_KIND(LinearModel)
DCSVM_KIND(LdklModel)
#undef DCSVM_KIND
template AnyModel load_as<AnyModel>(const std::string&, Index, const std::function<bool()>&, const Warn&);
template AnyModel bytes_as<AnyModel>(std::string_view);

}  // namespace dcsvm
