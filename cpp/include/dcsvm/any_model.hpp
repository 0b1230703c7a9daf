// Model files of every kind: one variant, one load, one save. They hold what prediction needs and the report
// (docs/model-format.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "dcsvm/dc_pred.hpp"
#include "dcsvm/io.hpp"
#include "dcsvm/ldkl.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/low_rank.hpp"
#include "dcsvm/ls_svm.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/predict.hpp"

namespace dcsvm {

using AnyModel = std::variant<Model, LowRankModel, DcPredModel, LsSvmModel, LinearModel, LdklModel>;

// M: AnyModel, or one of its kinds; a file of another kind is then a ModelError that says what it holds.

/// Reads a model file: dcsvm's, for LinearModel and AnyModel also LIBLINEAR's (dcsvm/liblinear_model.hpp), for Model and AnyModel
/// also LIBSVM's (dcsvm/libsvm_model.hpp), whose columns n_features may name. interrupted: as Hooks::interrupted, asked
/// meanwhile. warn: told ("path: line 7: what") what such a text may lack, see there. Throws FileError, ModelError, Interrupted;
/// ParameterError when n_features does not fit the model.
template <class M>
M load_as(const std::string& path, Index n_features = 0, const std::function<bool()>& interrupted = {}, const Warn& warn = {});
/// The model in the content of such a file of dcsvm's. Throws ModelError.
template <class M>
M bytes_as(std::string_view bytes);
/// Whether a file that begins with these bytes holds a model of the kind M.
template <class M>
bool holds(std::string_view bytes) noexcept;

/// load_as<AnyModel>.
AnyModel load_any_model(const std::string& path, Index n_features = 0, const std::function<bool()>& interrupted = {},
                        const Warn& warn = {});
/// Writes a model of any kind atomically. interrupted: as Hooks::interrupted, asked while bytes are written. Throws FileError,
/// Interrupted; ModelError for an empty model.
void save_model(const AnyModel& model, const std::string& path, const std::function<bool()>& interrupted = {});
/// The content of such a file in memory. Throws ModelError.
std::string model_to_bytes(const AnyModel& model);
/// The same without the report's seconds and number of threads: equal trainings give equal bytes. Throws ModelError.
std::string model_to_bytes_without_timings(const AnyModel& model);
/// bytes_as<AnyModel>.
AnyModel any_model_from_bytes(std::string_view bytes);

}  // namespace dcsvm
