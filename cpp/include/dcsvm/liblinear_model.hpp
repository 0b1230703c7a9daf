// Linear models in LIBLINEAR's terms: what its text files and its struct model hold.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/svmlight.hpp"

namespace dcsvm {

/// w has n_weights() values for each feature, then as many for the bias when bias >= 0.
struct LiblinearModel {
  int solver = 0;           ///< LIBLINEAR's number: 0 to 7, 11 to 13, 21; or DCSVM_MULTINOMIAL, 101
  int n_classes = 2;        ///< k; 2 for regression and one-class; 1 or 0 after a training on one class or on no rows
  std::vector<int> labels;  ///< classifiers: k, in the order of the first rows that have them, except that +1 precedes -1
  Index n_features = 0;     ///< without the bias
  double bias = -1;         ///< the value of the feature that stands behind all others; < 0: there is none
  double rho = 0;           ///< one-class: the decision is w'x - rho
  std::vector<double> w;    ///< feature-major: the n_weights() weights of a feature are neighbours

  bool is_regression() const { return solver >= 11 && solver <= 13; }
  bool is_one_class() const { return solver == 21; }
  bool is_classifier() const { return !is_regression() && !is_one_class(); }
  /// Weight vectors: one for two classes, regression and one-class (a positive decision means labels[0]), else one for each
  /// class. Crammer and Singer's solver (4) has one for each class always.
  Index n_weights() const { return n_classes == 2 && solver != 4 ? 1 : n_classes; }
  Index n_rows() const { return n_features + (bias >= 0 ? 1 : 0); }
};

/// Classes keep the order of the model, except that labels +1 and -1 have +1 first. Throws ModelError for an empty model,
/// DataError when LIBLINEAR's form cannot express it: labels that are no ints.
LiblinearModel to_liblinear(const LinearModel& model);
/// Classes become ascending, so ties may fall otherwise than in LIBLINEAR. Throws ModelError when sizes disagree, a label is
/// given twice, or a classifier has no class.
LinearModel from_liblinear(const LiblinearModel& model);

/// The text of LIBLINEAR's save_model, numbers with 17 digits. Throws ModelError for sizes that disagree.
std::string liblinear_text(const LiblinearModel& model);
/// Reads what load_model reads, keys in any order that it accepts. Also refused: missing and repeated keys, and values that are
/// not finite. Throws ModelError ("line 7: what"). `warn` is told ("line 7: what") when nothing follows the last weight, not even
/// a line end, so that digits may be missing, and when text behind it is left out. Takes memory in proportion to the text,
/// whatever sizes the text claims. `interrupted` (as Hooks::interrupted) is asked meanwhile and makes it throw Interrupted.
LiblinearModel parse_liblinear_text(std::string_view text, const std::function<bool()>& interrupted = {}, const Warn& warn = {});

/// Atomically. `interrupted` (as Hooks::interrupted) is asked meanwhile. Throws FileError, ModelError, Interrupted.
void save_liblinear_model(const LiblinearModel& model, const std::string& path, const std::function<bool()>& interrupted = {});
/// The same for a file; what warn is told begins with the path. Throws FileError, ModelError, Interrupted.
LiblinearModel load_liblinear_model(const std::string& path, const std::function<bool()>& interrupted = {},
                                    const Warn& warn = {});

}  // namespace dcsvm
