// Files: SVMlight / LIBSVM text data and dcsvm's own model format (docs/model-format.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

/// Takes a sentence about a file that was read all the same.
using Warn = std::function<void(const std::string&)>;

struct LoadOptions {
  Index n_features = 0;    ///< 0: the largest index found; else an index beyond it is a ParseError
  bool zero_based = false; ///< indices in the file start at 0 instead of 1
  int n_threads = 0;       ///< as TrainParams::n_threads
  std::function<bool()> interrupted = {};  ///< as Hooks::interrupted
  bool strict = false;  ///< LIBSVM's dialect: lines without a label are errors, also those of a comment alone
};

/// Reads "label index:value ..." lines, indices strictly ascending, '#' starts a comment. Memory-mapped, parsed on all cores.
/// Throws FileError, ParseError ("file:line:column: what"), Interrupted.
Dataset load_svmlight(const std::string& path, const LoadOptions& options = {});

/// Writes x and y in shortest round-trip decimal, atomically (a temporary file beside the target, then rename).
/// interrupted: as Hooks::interrupted; nothing is left behind then. Throws FileError, DataError, Interrupted.
void save_svmlight(const std::string& path, const DataView& x, const double* y, bool zero_based = false,
                   const std::function<bool()>& interrupted = {});

/// Writes the model atomically. Throws FileError.
void save_model(const Model& model, const std::string& path);
/// Reads what save_model wrote, or a LIBSVM model (dcsvm/libsvm_model.hpp), whose columns n_features may name.
/// Throws FileError, ModelError; ParameterError when n_features does not fit the model.
Model load_model(const std::string& path, Index n_features = 0);
/// The same bytes in memory. model_from_bytes throws ModelError.
std::string model_to_bytes(const Model& model);
Model model_from_bytes(std::string_view bytes);

}  // namespace dcsvm
