// The checkpoint of a training or a cross-validation: the file that TrainInputs::checkpoint names.
#pragma once

#include <functional>
#include <optional>

#include "base/checkpoint.hpp"
#include "dcsvm/train.hpp"
#include "files/checkpoint_file.hpp"

namespace dcsvm::svm {

/// What tells a training from others: version, data, parameters (all but the number of threads), inputs. The data must have been
/// checked. n_alpha: numbers of inputs.warm_start_alpha.
files::Identity identity_of(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs,
                            Index n_alpha, base::ThreadPool& pool);

/// A checksum as text, for an identity.
std::string checksum_text(const void* values, std::size_t bytes);

class CallCheckpoint {
 public:
  /// Takes up what an earlier call left in the file. Without inputs.checkpoint there is none, and identity is not called. Throws
  /// ParameterError for a bad interval, and what files::read_checkpoint throws; FileError also where no file can be written.
  CallCheckpoint(const TrainInputs& inputs, const std::function<files::Identity()>& identity);
  /// Unless end() was called, the file gets the last state.
  ~CallCheckpoint();
  CallCheckpoint(const CallCheckpoint&) = delete;
  CallCheckpoint& operator=(const CallCheckpoint&) = delete;

  /// For Context::place; null: there is no checkpoint.
  base::Place* place() { return place_ ? &*place_ : nullptr; }
  /// The call has its result: removes the file.
  void end();

 private:
  std::string path_;
  files::Identity identity_;
  std::optional<base::Checkpoint> checkpoint_;
  std::optional<base::Place> place_;
};

}  // namespace dcsvm::svm
