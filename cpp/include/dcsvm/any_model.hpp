// Model files of every kind: one variant, one load, one save.
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

namespace dcsvm {

using AnyModel = std::variant<Model, LowRankModel, DcPredModel, LsSvmModel, LinearModel, LdklModel>;

/// Reads a model file of any kind, a LIBLINEAR model (dcsvm/liblinear_model.hpp), or a LIBSVM model (dcsvm/libsvm_model.hpp),
/// whose columns n_features may name. interrupted: as Hooks::interrupted, asked meanwhile. warn: told ("path: line 7: what") what
/// such a text may lack, see there. Throws FileError, ModelError, Interrupted; ParameterError when n_features does not fit the
/// model.
AnyModel load_any_model(const std::string& path, Index n_features = 0, const std::function<bool()>& interrupted = {},
                        const Warn& warn = {});
/// Writes the model atomically. interrupted: as Hooks::interrupted, asked while bytes are written. Throws FileError,
/// Interrupted; ModelError for an empty model.
void save_model(const AnyModel& model, const std::string& path, const std::function<bool()>& interrupted = {});
/// The content of such a file in memory. Throw ModelError.
std::string model_to_bytes(const AnyModel& model);
/// The same without the report's seconds and number of threads: equal trainings give equal bytes. Throws ModelError.
std::string model_to_bytes_without_timings(const AnyModel& model);
AnyModel any_model_from_bytes(std::string_view bytes);

}  // namespace dcsvm
