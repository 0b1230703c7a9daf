// Files of data: SVMlight / LIBSVM text.
#pragma once

#include <functional>
#include <string>

#include "dcsvm/data.hpp"

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

}  // namespace dcsvm
