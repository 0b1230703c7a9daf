// The file of a support vector machine (docs/model-format.md).
#include <variant>

#include "files/sections.hpp"
#include "svm/model/check.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

namespace {

/// The router of type R: what a model has, or a new one of a model that is being read.
template <class R>
const R& router(const ModelData& m) {
  return std::get<R>(m.router);
}
template <class R>
R& router(ModelData& m) {
  if (m.clustered()) throw ModelError("model: section RTRC: a model has one router");
  return m.router.emplace<R>();
}

constexpr files::Section<ModelData> kSections[] = {
    {"META", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.kernel);
       f.choice(m.precision, last_of<Precision>(), "precision");
       f(m.fit_intercept);
       f.choice(m.prediction, last_of<LevelPrediction>(), "prediction");
       f(m.C);
       f(m.n_features);
       f(m.n_train);
     }},
    // The first readers knew C-SVC alone; they read a model without this section.
    {"FORM", files::Presence::required,
     [](auto& f, auto& m) {
       f.choice(m.formulation, last_of<Formulation>(), "formulation");
       f(m.nu);
       f(m.epsilon);
     },
     [](const ModelData& m) { return m.formulation != Formulation::c_svc; }},
    {"CLAS", files::Presence::always, [](auto& f, auto& m) { f(m.classes); }},
    {"SUPP", files::Presence::always,
     [](auto& f, auto& m) {
       f(m.support);
       f(m.sv_class);
     }},
    {"COEF", files::Presence::always, [](auto& f, auto& m) { f(m.sv_coef); }},
    {"EXPN", files::Presence::always,
     [](auto& f, auto& m) {
       constexpr std::size_t least_bytes = 32;  // first_sv and three empty arrays
       f.list(m.expansions, least_bytes, [](auto& fields, auto& e) {
         fields(e.first_sv);
         fields(e.classes);
         fields(e.n_sv);
         fields(e.rho);
       });
     }},
    {"RTRK", files::Presence::required,
     [](auto& f, auto& m) {
       auto& r = router<KernelRouter>(m);
       f(r.kernel);
       f(r.sample);
       f(r.first);
       f(r.constant);
     },
     [](const ModelData& m) { return std::holds_alternative<KernelRouter>(m.router); }},
    {"RTRC", files::Presence::required,
     [](auto& f, auto& m) {
       auto& r = router<CentreRouter>(m);
       f(r.clusters);
       f(r.cols);
       f(r.centres);
     },
     [](const ModelData& m) { return std::holds_alternative<CentreRouter>(m.router); }},
    {"CLSZ", files::Presence::required, [](auto& f, auto& m) { f(m.cluster_sizes); },
     [](const ModelData& m) { return m.clustered(); }},
    {"PROB", files::Presence::optional,
     [](auto& f, auto& m) {
       f(m.calibration.a);
       f(m.calibration.b);
       f(m.calibration.density_marks);
     },
     [](const ModelData& m) { return !m.calibration.empty(); }},
    {"TIES", files::Presence::optional, [](auto& f, auto& m) { f(m.places); },
     [](const ModelData& m) { return !m.places.empty(); }},
    {"PNTS", files::Presence::always, [](auto& f, auto& m) { f(m.points); }},
};

constexpr files::ModelFile<ModelData> kFile{"a support vector machine", kSections, check_model};

}  // namespace

const files::ModelFile<ModelData>& file_of(const ModelData* /*type*/) { return kFile; }

}  // namespace dcsvm::svm
