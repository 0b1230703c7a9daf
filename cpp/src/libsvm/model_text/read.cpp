#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string>
#include <system_error>

#include "dcsvm/errors.hpp"
#include "files/file.hpp"
#include "files/tokens.hpp"
#include "libsvm/model_text/text.hpp"

namespace dcsvm {

namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
constexpr const char* kKeys[] = {"svm_type", "kernel_type",        "degree", "gamma", "coef0",
                                 "nr_class", "total_sv",           "rho",    "label", "probA",
                                 "probB",    "prob_density_marks", "nr_sv",  "SV"};

// Adds the support vectors' lines.
class Reader : public files::Tokens {
 public:
  using Tokens::Tokens;

  double coefficient() {
    if (at_line_end()) fail(at_end() ? "the file ends where a support vector is expected" : "a coefficient is missing");
    const char* last = token_end();
    const double v = parse(p_, last, "a coefficient");
    p_ = last;
    return v;
  }
  void entry(LibsvmModel& m, std::int64_t first) {
    const char* last = token_end();
    const char* colon = std::find(p_, last, ':');
    const auto index = whole_number(p_, colon);
    if (colon == last || !index || *index < 0 || *index > kIntMax) fail("\"" + rest() + "\" is not index:value");
    if (static_cast<std::int64_t>(m.indices.size()) > first && *index <= m.indices.back()) {
      fail("index " + std::to_string(*index) + " after " + std::to_string(m.indices.back()) + ": indices must ascend");
    }
    m.values.push_back(parse(colon + 1, last, "a value"));
    m.indices.push_back(static_cast<std::int32_t>(*index));
    p_ = last;
  }
};

class Header {
 public:
  Header(Reader& in, LibsvmModel& m) : in_(in), m_(m) {}

  /// Reads up to the line "SV"; returns total_sv.
  int read() {
    for (std::string_view key = in_.word("a key"); key != "SV"; key = in_.word("a key")) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) in_.fail_key(key);
      if (!seen_.insert(std::string(key)).second) in_.fail(std::string(key) + " is given twice");
      if (!one(key)) many(key);
    }
    in_.skip_line();
    require("svm_type");
    require("kernel_type");
    require("nr_class");
    require("total_sv");
    require("rho");
    if (traits_of(m_.kernel.type).gamma) require("gamma");
    if (traits_of(m_.kernel.type).coef0) require("coef0");
    if (traits_of(m_.kernel.type).degree) require("degree");
    if (is_classifier(m_.formulation)) {
      require("label");
      require("nr_sv");
      if (seen_.count("probA") != seen_.count("probB")) in_.fail("probA and probB come together");
    }
    drop_unused();
    return total_;
  }

 private:
  void require(const char* key) const {
    if (seen_.count(key) == 0) in_.fail(std::string("the header has no ") + key);
  }
  /// LIBSVM reads these for every formulation.
  void drop_unused() {
    if (!predicts_sides(m_.formulation)) m_.density_marks.clear();
    if (predicts_sides(m_.formulation)) m_.prob_a.clear();
    if (is_classifier(m_.formulation)) return;
    m_.labels.clear();
    m_.n_sv.clear();
    m_.prob_b.clear();
  }
  /// word_of: LIBSVM's word for a value, or null.
  template <class E>
  E value_of(const char* (*word_of)(E), const char* key, const char* unknown) {
    const std::string_view given = in_.word(key);
    for (std::size_t i = 0; i < names_of(E{}).size(); ++i) {
      const char* word = word_of(static_cast<E>(i));
      if (word != nullptr && given == word) return static_cast<E>(i);
    }
    in_.fail(std::string(unknown) + " \"" + std::string(given.substr(0, 40)) + "\"");
  }
  bool one(std::string_view key) {
    if (key == "svm_type") {
      m_.formulation = value_of<Formulation>(libsvm::svm_type, "svm_type", "unknown svm type");
    } else if (key == "kernel_type") {
      m_.kernel.type = value_of<KernelType>(libsvm::kernel_type, "kernel_type", "unknown kernel function");
    } else if (key == "degree") {
      m_.kernel.degree = in_.integer("degree", 0, kIntMax);
    } else if (key == "gamma") {
      m_.kernel.gamma = in_.real("gamma");
    } else if (key == "coef0") {
      m_.kernel.coef0 = in_.real("coef0");
    } else if (key == "nr_class") {
      m_.n_classes = in_.integer("nr_class", 1, 65535);  // more pairs than an int can count
    } else if (key == "total_sv") {
      total_ = in_.integer("total_sv", 0, kIntMax);
    } else {
      return false;
    }
    return true;
  }
  void many(std::string_view key) {
    const std::string what(key);
    if (key == "prob_density_marks") return reals(what, libsvm::kDensityMarks, m_.density_marks);
    if (seen_.count("nr_class") == 0) in_.fail(what + " before nr_class");
    const int k = m_.n_classes, pairs = static_cast<int>(static_cast<std::int64_t>(k) * (k - 1) / 2);
    if (key == "rho") reals(what, pairs, m_.rho);
    if (key == "probA") reals(what, pairs, m_.prob_a);
    if (key == "probB") reals(what, pairs, m_.prob_b);
    if (key == "label") integers(what, k, -kIntMax - 1, m_.labels);
    if (key == "nr_sv") integers(what, k, 0, m_.n_sv);
  }
  void reals(const std::string& what, int n, std::vector<double>& out) {
    while (n-- > 0) out.push_back(in_.real(what.c_str()));
  }
  void integers(const std::string& what, int n, std::int64_t low, std::vector<int>& out) {
    while (n-- > 0) out.push_back(in_.integer(what.c_str(), low, kIntMax));
  }

  Reader& in_;
  LibsvmModel& m_;
  std::set<std::string> seen_;
  int total_ = 0;
};

void read_support_vectors(Reader& in, int total, LibsvmModel& m) {
  const auto k = static_cast<std::size_t>(m.n_classes);
  std::vector<std::vector<double>> coef(k - 1);
  for (int s = 0; s < total; ++s) {
    for (auto& row : coef) row.push_back(in.coefficient());
    const auto first = static_cast<std::int64_t>(m.indices.size());
    while (!in.at_line_end()) in.entry(m, first);
    m.indptr.push_back(static_cast<std::int64_t>(m.indices.size()));
    // How many values a line has is known by its end alone.
    if (s + 1 == total && in.ends_within_line())
      in.warn("the line has no end: if the file was cut, digits or values of its last support vector are missing");
    in.skip_line();
  }
  in.leave_rest(("the " + std::to_string(total) + " support vectors of total_sv").c_str());
  for (const auto& row : coef) m.sv_coef.insert(m.sv_coef.end(), row.begin(), row.end());
}

}  // namespace

bool libsvm::looks_like_libsvm(std::string_view text) {
  const std::string_view word = files::first_token(text);
  return std::find(std::begin(kKeys), std::end(kKeys), word) != std::end(kKeys);
}

LibsvmModel parse_libsvm_text(std::string_view text, const std::function<bool()>& interrupted, const Warn& warn) {
  Reader in(text, interrupted, warn);
  LibsvmModel m;
  const int total = Header(in, m).read();
  read_support_vectors(in, total, m);
  libsvm::check_libsvm(m);
  return m;
}

LibsvmModel load_libsvm_model(const std::string& path, const std::function<bool()>& interrupted, const Warn& warn) {
  const std::string text = files::read_file(path, interrupted);
  try {
    return parse_libsvm_text(text, interrupted, files::with_path(path, warn));
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace dcsvm
