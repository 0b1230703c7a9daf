// The file of a low-rank model (docs/model-format.md).
#include "files/model_checks.hpp"
#include "files/sections.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

namespace {

// Sizes, ranges and values that prediction relies on: a checksum does not stop someone who recomputes it.
void check_model(const LowRankData& m) {
  const char* const head = "LRNK";
  files::check_kernel(m.kernel, head);
  files::require_size(m.n_features, head, "n_features");
  files::check_classes(m.classes);
  files::require(m.classes.size() < (std::size_t{1} << 28), "CLAS", "too many classes");
  const Index problems = n_problems(m), k = files::size_of(m.used.size());
  files::require(k >= 1, "LRUS", "no landmarks");
  files::require(files::is_product(problems, k, files::size_of(m.coef.size())), "LRCF",
                 "problems x landmarks coefficients expected");
  files::require(files::size_of(m.intercept.size()) == problems, "LRCF", "one intercept for each problem expected");
  files::require(files::finite(m.coef) && files::finite(m.intercept), "LRCF", "a coefficient is not finite");
  files::check_points(m.points, "PNTS");
  const bool precomputed = m.kernel.type == KernelType::precomputed;
  for (const Index i : m.used) files::require(i >= 0 && (!precomputed || i < m.n_features), "LRUS", "a landmark is out of range");
  if (precomputed) {
    files::require(m.points.rows == 0, "PNTS", "a precomputed kernel has no points");
  } else {
    files::require(m.points.rows == k && m.points.cols == m.n_features, "PNTS", "landmarks x n_features expected");
  }
  const bool fourier = is_fourier(m.features);
  files::require(!fourier || m.kernel.type == KernelType::rbf, head, "random Fourier features belong to the rbf kernel");
  files::require(m.phases.size() == (fourier ? m.used.size() : 0), "LRPH", "one phase for each direction expected");
  files::require(files::finite(m.phases), "LRPH", "a phase is not finite");
}

constexpr files::Section<LowRankData> kSections[] = {
    {"LRNK", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.kernel);
       f.choice(m.features, last_of<LowRankFeatures>(), "features");
       f.choice(m.multi_class, last_of<MultiClass>(), "multi_class");
       f(m.n_features);
     }},
    {"CLAS", files::Presence::always, [](auto& f, auto& m) { f(m.classes); }},
    {"LRUS", files::Presence::always, [](auto& f, auto& m) { f(m.used); }},
    {"LRCF", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.coef);
       f(m.intercept);
     }},
    {"PNTS", files::Presence::always, [](auto& f, auto& m) { f(m.points); }},
    {"LRPH", files::Presence::required, [](auto& f, auto& m) { f(m.phases); },
     [](const LowRankData& m) { return !m.phases.empty(); }},
};

constexpr files::ModelFile<LowRankData> kFile{"a low-rank model", kSections, check_model};

}  // namespace

const files::ModelFile<LowRankData>& file_of(const LowRankData* /*type*/) { return kFile; }

}  // namespace dcsvm::low_rank
