// The file of a linear model (docs/model-format.md).
#include <cmath>
#include <limits>

#include "files/model_checks.hpp"
#include "files/sections.hpp"
#include "linear/model_data.hpp"

namespace dcsvm::linear {

namespace {

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LinearData& m) {
  const char* const head = "LINR";
  files::require(m.n_features >= 1 && m.n_features <= std::numeric_limits<std::int32_t>::max(), head,
                 "n_features must be between 1 and 2^31 - 1");
  files::require(std::isfinite(m.bias) && std::isfinite(m.rho), head, "bias and rho must be finite");
  files::require(m.classes.size() < (std::size_t{1} << 28), "LICL", "too many classes");
  files::require(is_classifier(m.solver) != m.classes.empty(), "LICL", "classes belong to classifiers");
  files::require(files::finite(m.classes), "LICL", "a class is not finite");
  files::check_places(m.places, m.classes.size());
  files::require(files::is_product(m.n_features + (m.bias >= 0 ? 1 : 0), n_vectors(m), files::size_of(m.w.size())), "LIWT",
                 "one weight for each feature (and the bias) and vector expected");
  files::require(files::finite(m.w), "LIWT", "a weight is not finite");
}

constexpr files::Section<LinearData> kSections[] = {
    {"LINR", files::Presence::always,
     [](auto& f, auto& m) {
       f.choice(m.solver, last_of<LinearSolver>(), "solver");
       f(m.n_features);
       f(m.bias);
       f(m.rho);
     }},
    {"LICL", files::Presence::always, [](auto& f, auto& m) { f(m.classes); }},
    {"TIES", files::Presence::optional, [](auto& f, auto& m) { f(m.places); },
     [](const LinearData& m) { return !m.places.empty(); }},
    {"LIWT", files::Presence::always, [](auto& f, auto& m) { f(m.w); }},
};

constexpr files::ModelFile<LinearData> kFile{"a linear model", kSections, check_model};

}  // namespace

const files::ModelFile<LinearData>& file_of(const LinearData* /*type*/) { return kFile; }

}  // namespace dcsvm::linear
