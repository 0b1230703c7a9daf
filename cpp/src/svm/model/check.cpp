#include "svm/model/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "dcsvm/errors.hpp"
#include "files/model_checks.hpp"

namespace dcsvm::svm {

namespace {

void check_scalars(const ModelData& m) {
  files::check_kernel(m.kernel, "META");
  files::require(m.precision == Precision::single_ || m.precision == Precision::double_, "META", "unknown precision");
  files::require(m.prediction >= LevelPrediction::early && m.prediction <= LevelPrediction::naive, "META", "unknown prediction");
  files::require(m.C > 0, "META", "C is not positive");
  files::check_places(m.places, m.classes.size());
  files::require_size(m.n_features, "META", "n_features");
  files::require_size(m.n_train, "META", "n_train");
  // Predictions keep a decision for each pair of classes: beyond a few, the file must hold as many coefficients.
  constexpr Index kFree = Index{1} << 20;
  Index held = files::size_of(m.sv_coef.size());
  for (const Expansion& e : m.expansions) held += files::size_of(e.rho.size());
  files::require(m.n_classes() < (Index{1} << 28) && m.n_pairs() <= std::max(kFree, held), "CLAS",
                 "more pairs of classes than coefficients");
}

void check_formulation(const ModelData& m) {
  files::require(m.formulation >= Formulation{} && m.formulation <= last_of<Formulation>(), "FORM", "unknown formulation");
  files::require(m.nu > 0 && m.nu <= 1, "FORM", "nu is not in (0, 1]");
  files::require(m.epsilon >= 0 && std::isfinite(m.epsilon), "FORM", "epsilon is negative or not finite");
}

void check_support(const ModelData& m) {
  const Index n = files::size_of(m.support.size()), k = m.n_classes();
  files::require(files::size_of(m.sv_class.size()) == n, "SUPP", "one class for each support vector expected");
  for (const Index i : m.support) files::require(i >= 0 && i < m.n_train, "SUPP", "a training row is out of range");
  const int last = static_cast<int>(m.classes.empty() ? 0 : k - 1);
  for (const int c : m.sv_class) files::require(c >= 0 && c <= last, "SUPP", "a class is out of range");
  files::require(files::is_product(k - 1, n, files::size_of(m.sv_coef.size())), "COEF",
                 "(classes - 1) x support vectors expected");
  files::require(files::finite(m.sv_coef), "COEF", "a coefficient is not finite");
  files::check_points(m.points, "PNTS");
  if (m.kernel.type == KernelType::precomputed) {
    files::require(m.points.rows == 0, "PNTS", "a precomputed kernel has no points");
    files::require(m.n_features == m.n_train, "META", "a precomputed kernel has as many features as training rows");
  } else {
    files::require(m.points.rows == n, "PNTS", "one point for each support vector expected");
    files::require(m.points.cols == m.n_features, "PNTS", "points with n_features columns expected");
  }
}

// Returns the support vector behind the expansion's last one.
Index check_expansion(const ModelData& m, const Expansion& e, Index first, Index number) {
  const auto require = [&](bool good, const char* what) {
    if (!good) files::fail("EXPN", "expansion " + std::to_string(number) + ": " + what);
  };
  require(e.first_sv == first, "its support vectors do not follow those before");
  require(e.n_sv.size() == e.classes.size(), "one n_sv for each class expected");
  Index sv = first;
  for (std::size_t c = 0; c < e.classes.size(); ++c) {
    require(e.classes[c] >= 0 && e.classes[c] < m.n_classes(), "a class is out of range");
    require(c == 0 || e.classes[c] > e.classes[c - 1], "classes do not ascend");
    require(e.n_sv[c] >= 0 && e.n_sv[c] <= files::size_of(m.support.size()) - sv, "n_sv is out of range");
    for (const Index end = sv + e.n_sv[c]; sv < end; ++sv) {
      require(m.sv_class[sv] == e.classes[c], "a support vector is of another class");
    }
  }
  const Index k = files::size_of(e.classes.size());
  require(files::size_of(e.rho.size()) == k * (k - 1) / 2, "one rho for each pair expected");
  require(files::finite(e.rho), "a rho is not finite");
  return sv;
}

void check_expansions(const ModelData& m) {
  Index sv = 0;
  for (std::size_t i = 0; i < m.expansions.size(); ++i) {
    sv = check_expansion(m, m.expansions[i], sv, files::size_of(i));
  }
  files::require(sv == files::size_of(m.support.size()), "EXPN", "the expansions do not cover all support vectors");
  if (m.clustered()) return;
  files::require(m.expansions.size() == 1, "EXPN", "one expansion expected");
  files::require(files::size_of(m.expansions.front().classes.size()) == m.n_classes(), "EXPN", "all classes expected");
}

// The sample of a precomputed kernel is a column of training rows.
void check_sample_rows(const ModelData& m, const data::PointStore& sample) {
  files::require(!sample.sparse && sample.cols == 1 && sample.scalar == ScalarType::float64, "RTRK",
                 "one column of rows expected");
  for (const double v : sample.values64) {
    files::require(v >= 0 && v < static_cast<double>(m.n_train) && v == std::trunc(v), "RTRK", "a sample row is out of range");
  }
}

// Each returns the number of clusters.
Index check_router(const ModelData&, const std::monostate&) { return -1; }

Index check_router(const ModelData& m, const KernelRouter& r) {
  files::check_kernel(r.kernel, "RTRK");
  files::require(r.kernel.type == m.kernel.type, "RTRK", "the clustering's kernel is of another type");
  files::check_points(r.sample, "RTRK");
  if (m.kernel.type == KernelType::precomputed) {
    check_sample_rows(m, r.sample);
  } else {
    files::require(r.sample.cols == m.n_features, "RTRK", "sample points with n_features columns expected");
  }
  files::require(r.first.size() >= 2 && r.first.front() == 0 && r.first.back() == r.sample.rows, "RTRK",
                 "the clusters do not span the sample");
  for (std::size_t c = 0; c + 1 < r.first.size(); ++c) {
    files::require(r.first[c] <= r.first[c + 1], "RTRK", "the sample of a cluster has a negative size");
  }
  files::require(r.constant.size() + 1 == r.first.size(), "RTRK", "one constant for each cluster expected");
  files::require(files::finite(r.constant), "RTRK", "a constant is not finite");
  return files::size_of(r.constant.size());
}

Index check_router(const ModelData& m, const CentreRouter& r) {
  files::require(r.clusters >= 1, "RTRC", "no clusters");
  files::require(r.cols == m.n_features, "RTRC", "centres with n_features columns expected");
  files::require(files::is_product(r.clusters, r.cols, files::size_of(r.centres.size())), "RTRC",
                 "clusters x n_features values expected");
  files::require(files::finite(r.centres), "RTRC", "a centre is not finite");
  return r.clusters;
}

void check_clusters(const ModelData& m) {
  const Index clusters = std::visit([&](const auto& r) { return check_router(m, r); }, m.router);
  Index left = m.n_train;
  for (const Index size : m.cluster_sizes) {
    files::require(size >= 0 && size <= left, "CLSZ", "cluster sizes do not fit the training rows");
    left -= size;
  }
  if (clusters < 0) {
    files::require(m.cluster_sizes.empty(), "CLSZ", "sizes of clusters in a model that has none");
    return;
  }
  files::require(files::size_of(m.expansions.size()) == clusters, "EXPN", "one expansion for each cluster expected");
  files::require(files::size_of(m.cluster_sizes.size()) == clusters, "CLSZ", "one size for each cluster expected");
}

void check_calibration(const ModelData& m) {
  const Calibration& c = m.calibration;
  if (c.empty()) return files::require(c.b.empty(), "PROB", "b without a");
  files::require(files::finite(c.a) && files::finite(c.b) && files::finite(c.density_marks), "PROB", "a value is not finite");
  if (is_classifier(m.formulation)) {
    files::require(files::size_of(c.a.size()) == m.n_pairs() && c.b.size() == c.a.size(), "PROB",
                   "one a and one b for each pair expected");
    files::require(c.density_marks.empty(), "PROB", "density marks in a classifier");
  } else if (is_regression(m.formulation)) {
    files::require(c.a.size() == 1 && c.a[0] >= 0 && c.b.empty() && c.density_marks.empty(), "PROB", "one scale >= 0 expected");
  } else {
    files::require(c.a.empty() && c.b.empty() && c.density_marks.size() == 10, "PROB", "10 density marks expected");
    files::require(std::is_sorted(c.density_marks.begin(), c.density_marks.end()), "PROB", "density marks do not ascend");
  }
}

}  // namespace

void check_model(const ModelData& model) {
  check_formulation(model);
  check_scalars(model);
  if (is_classifier(model.formulation)) {
    files::check_classes(model.classes);
  } else {
    files::require(model.classes.empty(), "CLAS", "the formulation has no classes");
  }
  check_support(model);
  check_expansions(model);
  check_clusters(model);
  check_calibration(model);
}

}  // namespace dcsvm::svm
