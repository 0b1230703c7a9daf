// Models in LIBSVM's terms: what its text files and its struct svm_model hold.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/svmlight.hpp"

namespace dcsvm {

/// k classes (2 for one-class and regression) and l support vectors. Arrays that LIBSVM leaves out are empty.
struct LibsvmModel {
  Formulation formulation = Formulation::c_svc;
  KernelParams kernel;
  int n_classes = 2;                  ///< k; 1 after a training on one class, which has no support vectors
  std::vector<int> labels;  ///< k in LIBSVM's order, classifiers only. A positive decision is for the first of a pair
  std::vector<int> n_sv;  ///< k, classifiers only: support vectors are grouped by class
  std::vector<double> rho;  ///< k (k - 1) / 2, for the pairs (0,1), (0,2), ..., (k-2,k-1)
  std::vector<double> prob_a;  ///< classifiers: as many as rho; regression: sigma of the Laplace distribution
  std::vector<double> prob_b;  ///< classifiers: as many as rho
  std::vector<double> density_marks;  ///< one-class: 10
  std::vector<double> sv_coef;  ///< (k - 1) x l row-major, as Model::sv_coef

  // Support vector s holds (index, value) at indptr[s] .. indptr[s + 1]; indices ascend, usually from 1. Precomputed kernel: one
  // entry, index 0 and as its value the row of the training data, from 1.
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};
  std::vector<Index> training_rows;  ///< of the support vectors, from 0; empty when not known (files do not keep them)

  Index n_support() const { return static_cast<Index>(indptr.size()) - 1; }
};

struct LibsvmTextOptions {
  int sv_digits =
      17;  ///< 17: the shortest text that reads back exactly; 1..16: significant digits. LIBSVM writes 8, which loses data
};

/// Throws DataError when LIBSVM's form cannot express the model: stopped early, or labels that are no ints. Labels +1 and -1
/// get LIBSVM's order (+1 first), others ascend. `interrupted` (as Hooks::interrupted) is asked meanwhile and makes it throw
/// Interrupted.
LibsvmModel to_libsvm(const Model& model, const std::function<bool()>& interrupted = {});
/// n_features: columns of the data to predict, at least the largest index; 0: that index. When an index is 0 (and the kernel not
/// precomputed), indices count columns from 0, else from 1. Classes become ascending, so ties of the vote may fall otherwise than
/// in LIBSVM. precision: of kernel values; none: double for regressions, and where a sample of decisions shows float's rounding.
/// Throws ModelError when sizes disagree, or indices do not ascend; ParameterError for n_features.
Model from_libsvm(const LibsvmModel& model, Index n_features = 0, std::optional<Precision> precision = std::nullopt);

/// The text of LIBSVM's svm_save_model.
std::string libsvm_text(const LibsvmModel& model, const LibsvmTextOptions& options = {});
/// Reads what svm_load_model reads, header keys in any order that it accepts. `interrupted` (as Hooks::interrupted) is asked
/// meanwhile. `warn` is told ("line 7: what") when the last line has no end, so that something may be missing, and when text
/// behind the last support vector is left out. Throws ModelError ("line 7: what") for missing and repeated keys, values that are
/// not finite, and indices that do not ascend; Interrupted.
LibsvmModel parse_libsvm_text(std::string_view text, const std::function<bool()>& interrupted = {}, const Warn& warn = {});

/// Atomically. `interrupted` (as Hooks::interrupted) is asked meanwhile. Throws FileError, Interrupted.
void save_libsvm_model(const LibsvmModel& model, const std::string& path, const LibsvmTextOptions& options = {},
                       const std::function<bool()>& interrupted = {});
/// The same for a file; what warn is told begins with the path. Throws FileError, ModelError, Interrupted.
LibsvmModel load_libsvm_model(const std::string& path, const std::function<bool()>& interrupted = {}, const Warn& warn = {});

}  // namespace dcsvm
