// The file of a least-squares SVM (docs/model-format.md).
#include "files/model_checks.hpp"
#include "files/sections.hpp"
#include "least_squares/model_data.hpp"

namespace dcsvm::least_squares {

namespace {

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LsSvmData& m) {
  const char* const head = "LSSV";
  files::check_kernel(m.kernel, head);
  files::require(m.kernel.type != KernelType::precomputed, head, "a precomputed kernel has no points");
  files::require_size(m.n_features, head, "n_features");
  if (m.regression) {
    files::require(m.classes.empty(), "CLAS", "a regression has no classes");
  } else {
    files::check_classes(m.classes);
  }
  const Index outputs = files::size_of(m.intercept.size());
  files::require(outputs >= 1 && (m.regression || m.classes.size() == m.intercept.size()), "LSCF",
                 "one intercept for each output expected");
  files::check_points(m.points, "PNTS");
  files::require(m.points.rows >= 1 && m.points.cols == m.n_features, "PNTS", "points of n_features expected");
  files::require(files::is_product(outputs, m.points.rows, files::size_of(m.coef.size())), "LSCF",
                 "outputs x points coefficients expected");
  files::require(files::finite(m.coef) && files::finite(m.intercept), "LSCF", "a coefficient is not finite");
}

constexpr files::Section<LsSvmData> kSections[] = {
    {"LSSV", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.kernel);
       f(m.normalise);
       f(m.regression);
       f(m.n_features);
     }},
    {"CLAS", files::Presence::always, [](auto& f, auto& m) { f(m.classes); }},
    {"LSCF", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.coef);
       f(m.intercept);
     }},
    {"PNTS", files::Presence::always, [](auto& f, auto& m) { f(m.points); }},
};

constexpr files::ModelFile<LsSvmData> kFile{"a least-squares SVM", kSections, check_model};

}  // namespace

const files::ModelFile<LsSvmData>& file_of(const LsSvmData* /*type*/) { return kFile; }

}  // namespace dcsvm::least_squares
