#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/tokens.hpp"
#include "liblinear/model_text/text.hpp"

namespace dcsvm {

namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
constexpr const char* kKeys[] = {"solver_type", "nr_class", "label", "nr_feature", "bias", "rho", "w"};

class Reader {
 public:
  Reader(std::string_view text, const std::function<bool()>& interrupted, const Warn& warn) : in_(text, interrupted, warn) {}

  LiblinearModel read() {
    for (std::string_view key = in_.word("a key"); key != "w"; key = in_.word("a key")) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) in_.fail_key(key);
      if (!seen_.insert(std::string(key)).second) in_.fail(std::string(key) + " is given twice");
      value_of(key);
    }
    for (const char* key : {"solver_type", "nr_class", "nr_feature", "bias"}) require(key);
    if (m_.is_classifier()) require("label");
    if (m_.is_one_class()) require("rho");
    weights();
    if (!m_.is_classifier()) m_.labels.clear();  // LIBLINEAR reads them whatever the solver
    if (!m_.is_one_class()) m_.rho = 0;
    return std::move(m_);
  }

 private:
  void require(const char* key) const {
    if (seen_.count(key) == 0) in_.fail(std::string("the header has no ") + key);
  }
  void value_of(std::string_view key) {
    if (key == "solver_type") {
      const std::string_view given = in_.word("solver_type");
      const auto* found = std::find_if(liblinear::kSolvers.begin(), liblinear::kSolvers.end(),
                                       [&](const auto& solver) { return given == solver.second; });
      if (found == liblinear::kSolvers.end()) in_.fail("unknown solver type \"" + std::string(given.substr(0, 40)) + "\"");
      m_.solver = found->first;
    } else if (key == "nr_class") {
      m_.n_classes = in_.integer("nr_class", 0, kIntMax);
    } else if (key == "nr_feature") {
      m_.n_features = in_.integer("nr_feature", 0, kIntMax);
    } else if (key == "bias") {
      m_.bias = in_.real("bias");
    } else if (key == "rho") {
      m_.rho = in_.real("rho");
    } else {
      if (seen_.count("nr_class") == 0) in_.fail("label before nr_class");
      expect(m_.n_classes, 1, "label");
      m_.labels.reserve(static_cast<std::size_t>(m_.n_classes));
      for (int c = 0; c < m_.n_classes; ++c) m_.labels.push_back(in_.integer("label", -kIntMax - 1, kIntMax));
    }
  }
  /// Before memory is taken: each value needs a digit and a blank.
  void expect(Index rows, Index columns, const char* what) const {
    const Index most = static_cast<Index>(in_.bytes_left() / 2);
    if (columns > 0 && rows > most / columns) {
      in_.fail(std::string(what) + " needs " + std::to_string(rows) + " x " + std::to_string(columns) + " values, but only " +
               std::to_string(in_.bytes_left()) + " bytes follow");
    }
  }
  void weights() {
    if (!m_.is_classifier() && m_.n_classes != 2) {
      in_.fail("nr_class " + std::to_string(m_.n_classes) + " does not fit the solver type");
    }
    const Index rows = m_.n_rows(), columns = m_.n_weights();
    expect(rows, columns, "w");
    m_.w.reserve(static_cast<std::size_t>(rows * columns));
    for (Index i = 0; i < rows * columns; ++i) m_.w.push_back(in_.real("a weight"));
    if (rows * columns > 0 && in_.ends_within_line()) {
      in_.warn("the line has no end: if the file was cut, digits of its last weight are missing");
    }
    in_.leave_rest("the weights that nr_feature, nr_class and bias ask for");
  }

  files::Tokens in_;
  LiblinearModel m_;
  std::set<std::string> seen_;
};

}  // namespace

bool liblinear::looks_like_liblinear(std::string_view text) {
  if (std::find(std::begin(kKeys), std::end(kKeys), files::first_token(text)) == std::end(kKeys)) return false;
  // LIBSVM has nr_class, label and rho as well: the first key that only one of the two has decides.
  const std::string_view key =
      files::first_of(text, {"solver_type", "nr_feature", "bias", "w", "svm_type", "kernel_type", "total_sv", "nr_sv", "SV"});
  return key == "solver_type" || key == "nr_feature" || key == "bias" || key == "w";
}

LiblinearModel parse_liblinear_text(std::string_view text, const std::function<bool()>& interrupted, const Warn& warn) {
  LiblinearModel m = Reader(text, interrupted, warn).read();
  liblinear::check_liblinear(m);
  return m;
}

LiblinearModel load_liblinear_model(const std::string& path, const std::function<bool()>& interrupted, const Warn& warn) {
  const std::string text = files::read_file(path, interrupted);
  try {
    return parse_liblinear_text(text, interrupted, files::with_path(path, warn));
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
