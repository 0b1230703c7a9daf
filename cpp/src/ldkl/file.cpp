// The file of a local deep kernel model (docs/model-format.md).
#include <cmath>

#include "files/model_checks.hpp"
#include "files/sections.hpp"
#include "ldkl/model_data.hpp"

namespace dcsvm::ldkl {

namespace {

/// problems x nodes vectors of n_features and the constant, all finite.
void check_vectors(const LdklData& m, const std::vector<double>& values, Index nodes, const char* section, const char* expected) {
  // Both factors are below 2^46: nodes below 2^18, and the others are checked before.
  const Index vectors = n_problems(m) * nodes;
  files::require(files::is_product(vectors, m.n_features + 1, files::size_of(values.size())), section, expected);
  files::require(files::finite(values), section, "a value is not finite");
}

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LdklData& m) {
  const char* const head = "LDKL";
  files::require_size(m.n_features, head, "n_features");
  files::require(m.depth >= 0 && m.depth <= kMostDepth, head, "depth must be from 0 to 16");
  files::require(std::isfinite(m.sigma) && m.sigma > 0, head, "sigma must be finite and above 0");
  files::check_classes(m.classes);
  files::require(m.classes.size() < (std::size_t{1} << 28), "CLAS", "too many classes");
  const Shape shape = m.shape();
  check_vectors(m, m.w, shape.nodes(), "LDKW", "problems x nodes x (n_features + 1) weights expected");
  check_vectors(m, m.v, shape.nodes(), "LDKV", "problems x nodes x (n_features + 1) values expected");
  check_vectors(m, m.theta, shape.inner(), "LDKT", "problems x inner nodes x (n_features + 1) values expected");
}

constexpr files::Section<LdklData> kSections[] = {
    {"LDKL", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.n_features);
       f(m.depth);
       f(m.sigma);
     }},
    {"CLAS", files::Presence::always, [](auto& f, auto& m) { f(m.classes); }},
    {"LDKW", files::Presence::always, [](auto& f, auto& m) { f(m.w); }},
    {"LDKV", files::Presence::always, [](auto& f, auto& m) { f(m.v); }},
    {"LDKT", files::Presence::always, [](auto& f, auto& m) { f(m.theta); }},
};

constexpr files::ModelFile<LdklData> kFile{"a local deep kernel model", kSections, check_model};

}  // namespace

const files::ModelFile<LdklData>& file_of(const LdklData* /*type*/) { return kFile; }

}  // namespace dcsvm::ldkl
