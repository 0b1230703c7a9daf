#include "io/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "dcsvm/errors.hpp"

namespace dcsvm::io {

namespace {

using models::Expansion;
using models::ModelData;
using models::PointStore;

[[noreturn]] void fail(const char* section, const std::string& what) {
  throw ModelError(std::string("model: section ") + section + ": " + what);
}

void require(bool good, const char* section, const char* what) {
  if (!good) fail(section, what);
}

Index size_of(std::size_t n) { return static_cast<Index>(n); }

// a * b == product, without overflow. All >= 0.
bool is_product(Index a, Index b, Index product) {
  if (a == 0 || b == 0) return product == 0;
  return product % a == 0 && product / a == b;
}

bool finite(const std::vector<double>& values) {
  bool ok = true;
  for (const double v : values) ok &= std::isfinite(v);
  return ok;
}

bool finite(const std::vector<float>& values) {
  bool ok = true;
  for (const float v : values) ok &= std::isfinite(v);
  return ok;
}

void check_sparse(const PointStore& p, Index nnz, const char* section) {
  require(!p.indptr.empty() && size_of(p.indptr.size()) - 1 == p.rows, section, "indptr does not have rows + 1 entries");
  require(size_of(p.indices.size()) == nnz, section, "as many indices as values expected");
  require(p.indptr.front() == 0 && p.indptr.back() == nnz, section, "indptr does not span the values");
  for (std::size_t i = 0; i + 1 < p.indptr.size(); ++i) {
    const std::int64_t begin = p.indptr[i], end = p.indptr[i + 1];
    if (begin > end || end > nnz) fail(section, "indptr decreases at point " + std::to_string(i));
    bool ok = true;
    for (std::int64_t k = begin; k < end; ++k) {
      const auto column = p.indices[static_cast<std::size_t>(k)];
      ok &= column >= 0 && column < p.cols && (k == begin || column > p.indices[static_cast<std::size_t>(k - 1)]);
    }
    if (!ok) fail(section, "columns of point " + std::to_string(i) + " are out of range or do not ascend");
  }
}

void check_points(const PointStore& p, const char* section) {
  const bool single = p.scalar == ScalarType::float32;
  require(single || p.scalar == ScalarType::float64, section, "unknown scalar type");
  require(p.rows >= 0 && p.cols >= 0, section, "negative size");
  require(single ? p.values64.empty() : p.values32.empty(), section, "values of two types");
  const Index values = size_of(single ? p.values32.size() : p.values64.size());
  if (p.sparse) {
    check_sparse(p, values, section);
  } else {
    require(is_product(p.rows, p.cols, values), section, "rows x cols values expected");
    require(p.indptr.empty() && p.indices.empty(), section, "a dense store has no indices");
  }
  require(finite(p.values32) && finite(p.values64), section, "a value is not finite");
}

void check_scalars(const ModelData& m) {
  check_kernel(m.kernel, "META");
  require(m.precision == Precision::single_ || m.precision == Precision::double_, "META", "unknown precision");
  require(m.prediction >= LevelPrediction::early && m.prediction <= LevelPrediction::bcm, "META", "unknown prediction");
  require(m.prediction != LevelPrediction::bcm || is_classifier(m.formulation), "META", "bcm is of classifiers");
  require(m.C > 0, "META", "C is not positive");
  require(m.n_features >= 1 && m.n_train >= 1, "META", "n_features and n_train must be positive");
  // Model::support_vectors and Model::alpha multiply these: keep the products below 2^62.
  constexpr Index most = Index{1} << 62;
  const Index k = m.n_classes(), n = size_of(m.support.size());
  require(m.n_features <= most / (n + 1), "META", "n_features is too large");
  require(k < (Index{1} << 28) && m.n_train <= most / (k * k + 1), "META", "n_train is too large");
}

void check_formulation(const ModelData& m) {
  require(m.formulation >= Formulation::c_svc && m.formulation <= Formulation::kernel_ridge, "FORM", "unknown formulation");
  require(m.nu > 0 && m.nu <= 1, "FORM", "nu is not in (0, 1]");
  require(m.epsilon >= 0 && std::isfinite(m.epsilon), "FORM", "epsilon is negative or not finite");
}

void check_support(const ModelData& m) {
  const Index n = size_of(m.support.size()), k = m.n_classes();
  require(size_of(m.sv_class.size()) == n, "SUPP", "one class for each support vector expected");
  for (const Index i : m.support) require(i >= 0 && i < m.n_train, "SUPP", "a training row is out of range");
  const int last = static_cast<int>(m.classes.empty() ? 0 : k - 1);
  for (const int c : m.sv_class) require(c >= 0 && c <= last, "SUPP", "a class is out of range");
  require(is_product(k - 1, n, size_of(m.sv_coef.size())), "COEF", "(classes - 1) x support vectors expected");
  require(finite(m.sv_coef), "COEF", "a coefficient is not finite");
  check_points(m.points, "PNTS");
  if (m.kernel.type == KernelType::precomputed) {
    require(m.points.rows == 0, "PNTS", "a precomputed kernel has no points");
    require(m.n_features == m.n_train, "META", "a precomputed kernel has as many features as training rows");
  } else {
    require(m.points.rows == n, "PNTS", "one point for each support vector expected");
    require(m.points.cols == m.n_features, "PNTS", "points with n_features columns expected");
  }
}

// Returns the support vector behind the expansion's last one.
Index check_expansion(const ModelData& m, const Expansion& e, Index first, Index number) {
  const auto need = [&](bool good, const char* what) {
    if (!good) fail("EXPN", "expansion " + std::to_string(number) + ": " + what);
  };
  need(e.first_sv == first, "its support vectors do not follow those before");
  need(e.n_sv.size() == e.classes.size(), "one n_sv for each class expected");
  Index sv = first;
  for (std::size_t c = 0; c < e.classes.size(); ++c) {
    need(e.classes[c] >= 0 && e.classes[c] < m.n_classes(), "a class is out of range");
    need(c == 0 || e.classes[c] > e.classes[c - 1], "classes do not ascend");
    need(e.n_sv[c] >= 0 && e.n_sv[c] <= size_of(m.support.size()) - sv, "n_sv is out of range");
    for (const Index end = sv + e.n_sv[c]; sv < end; ++sv) {
      need(m.sv_class[static_cast<std::size_t>(sv)] == e.classes[c], "a support vector is of another class");
    }
  }
  const Index k = size_of(e.classes.size());
  need(size_of(e.rho.size()) == k * (k - 1) / 2, "one rho for each pair expected");
  need(finite(e.rho), "a rho is not finite");
  return sv;
}

void check_expansions(const ModelData& m) {
  Index sv = 0;
  for (std::size_t i = 0; i < m.expansions.size(); ++i) {
    sv = check_expansion(m, m.expansions[i], sv, size_of(i));
  }
  require(sv == size_of(m.support.size()), "EXPN", "the expansions do not cover all support vectors");
  if (m.clustered()) return;
  require(m.expansions.size() == 1, "EXPN", "one expansion expected");
  require(size_of(m.expansions.front().classes.size()) == m.n_classes(), "EXPN", "all classes expected");
}

// The sample of a precomputed kernel is a column of training rows.
void check_sample_rows(const ModelData& m, const PointStore& sample) {
  require(!sample.sparse && sample.cols == 1 && sample.scalar == ScalarType::float64, "RTRK", "one column of rows expected");
  for (const double v : sample.values64) {
    require(v >= 0 && v < static_cast<double>(m.n_train) && v == std::trunc(v), "RTRK", "a sample row is out of range");
  }
}

// Each returns the number of clusters.
Index check_router(const ModelData&, const std::monostate&) { return -1; }

Index check_router(const ModelData& m, const models::KernelRouter& r) {
  check_kernel(r.kernel, "RTRK");
  require(r.kernel.type == m.kernel.type, "RTRK", "the clustering's kernel is of another type");
  check_points(r.sample, "RTRK");
  if (m.kernel.type == KernelType::precomputed) {
    check_sample_rows(m, r.sample);
  } else {
    require(r.sample.cols == m.n_features, "RTRK", "sample points with n_features columns expected");
  }
  require(r.first.size() >= 2 && r.first.front() == 0 && r.first.back() == r.sample.rows, "RTRK",
          "the clusters do not span the sample");
  for (std::size_t c = 0; c + 1 < r.first.size(); ++c) {
    require(r.first[c] <= r.first[c + 1], "RTRK", "the sample of a cluster has a negative size");
  }
  require(r.constant.size() + 1 == r.first.size(), "RTRK", "one constant for each cluster expected");
  require(finite(r.constant), "RTRK", "a constant is not finite");
  return size_of(r.constant.size());
}

Index check_router(const ModelData& m, const models::CentreRouter& r) {
  require(r.clusters >= 1, "RTRC", "no clusters");
  require(r.cols == m.n_features, "RTRC", "centres with n_features columns expected");
  require(is_product(r.clusters, r.cols, size_of(r.centres.size())), "RTRC", "clusters x n_features values expected");
  require(finite(r.centres), "RTRC", "a centre is not finite");
  return r.clusters;
}

void check_clusters(const ModelData& m) {
  const Index clusters = std::visit([&](const auto& r) { return check_router(m, r); }, m.router);
  Index left = m.n_train;
  for (const Index size : m.cluster_sizes) {
    require(size >= 0 && size <= left, "CLSZ", "cluster sizes do not fit the training rows");
    left -= size;
  }
  if (clusters < 0) {
    require(m.cluster_sizes.empty(), "CLSZ", "sizes of clusters in a model that has none");
    return;
  }
  require(size_of(m.expansions.size()) == clusters, "EXPN", "one expansion for each cluster expected");
  require(size_of(m.cluster_sizes.size()) == clusters, "CLSZ", "one size for each cluster expected");
}

void check_calibration(const ModelData& m) {
  const Calibration& c = m.calibration;
  if (c.empty()) return require(c.b.empty(), "PROB", "b without a");
  require(finite(c.a) && finite(c.b) && finite(c.density_marks), "PROB", "a value is not finite");
  if (is_classifier(m.formulation)) {
    require(size_of(c.a.size()) == m.n_pairs() && c.b.size() == c.a.size(), "PROB", "one a and one b for each pair expected");
    require(c.density_marks.empty(), "PROB", "density marks in a classifier");
  } else if (is_regression(m.formulation)) {
    require(c.a.size() == 1 && c.a[0] >= 0 && c.b.empty() && c.density_marks.empty(), "PROB", "one scale >= 0 expected");
  } else {
    require(c.a.empty() && c.b.empty() && c.density_marks.size() == 10, "PROB", "10 density marks expected");
    require(std::is_sorted(c.density_marks.begin(), c.density_marks.end()), "PROB", "density marks do not ascend");
  }
}

}  // namespace

void check_kernel(const KernelParams& kernel, const char* section) {
  require(kernel.type >= KernelType::linear && kernel.type <= KernelType::precomputed, section, "unknown kernel");
  require(kernel.degree >= 0, section, "degree is negative");
  require(std::isfinite(kernel.gamma) && kernel.gamma >= 0, section, "gamma is negative or not finite");
  require(std::isfinite(kernel.coef0), section, "coef0 is not finite");
}

void check_classes(const std::vector<double>& classes) {
  require(classes.size() >= 2, "CLAS", "at least two classes expected");
  require(finite(classes), "CLAS", "a class is not finite");
  for (std::size_t c = 1; c < classes.size(); ++c) require(classes[c - 1] < classes[c], "CLAS", "classes do not ascend");
}

void check_model(const ModelData& model) {
  check_formulation(model);
  check_scalars(model);
  if (is_classifier(model.formulation)) {
    check_classes(model.classes);
  } else {
    require(model.classes.empty(), "CLAS", "the formulation has no classes");
  }
  check_support(model);
  check_expansions(model);
  check_clusters(model);
  check_calibration(model);
}

void check_model(const models::LowRankData& m) {
  const char* const head = "LRNK";
  check_kernel(m.kernel, head);
  require(m.n_features >= 1, head, "n_features must be positive");
  check_classes(m.classes);
  require(m.classes.size() < (std::size_t{1} << 28), "CLAS", "too many classes");
  const Index problems = models::n_problems(m), k = size_of(m.used.size());
  require(k >= 1, "LRUS", "no landmarks");
  require(is_product(problems, k, size_of(m.coef.size())), "LRCF", "problems x landmarks coefficients expected");
  require(size_of(m.intercept.size()) == problems, "LRCF", "one intercept for each problem expected");
  require(finite(m.coef) && finite(m.intercept), "LRCF", "a coefficient is not finite");
  check_points(m.points, "PNTS");
  const bool precomputed = m.kernel.type == KernelType::precomputed;
  for (const Index i : m.used) require(i >= 0 && (!precomputed || i < m.n_features), "LRUS", "a landmark is out of range");
  if (precomputed) {
    require(m.points.rows == 0, "PNTS", "a precomputed kernel has no points");
  } else {
    require(m.points.rows == k && m.points.cols == m.n_features, "PNTS", "landmarks x n_features expected");
  }
  const bool fourier = m.features != LowRankFeatures::nystrom;
  require(!fourier || m.kernel.type == KernelType::rbf, head, "random Fourier features belong to the rbf kernel");
  require(m.phases.size() == (fourier ? m.used.size() : 0), "LRPH", "one phase for each direction expected");
  require(finite(m.phases), "LRPH", "a phase is not finite");
}

void check_model(const models::LsSvmData& m) {
  const char* const head = "LSSV";
  check_kernel(m.kernel, head);
  require(m.kernel.type != KernelType::precomputed, head, "a precomputed kernel has no points");
  require(m.n_features >= 1, head, "n_features must be positive");
  if (m.regression) {
    require(m.classes.empty(), "CLAS", "a regression has no classes");
  } else {
    check_classes(m.classes);
  }
  const Index outputs = size_of(m.intercept.size());
  require(outputs >= 1 && (m.regression || m.classes.size() == m.intercept.size()), "LSCF",
          "one intercept for each output expected");
  check_points(m.points, "PNTS");
  require(m.points.rows >= 1 && m.points.cols == m.n_features, "PNTS", "points of n_features expected");
  require(is_product(outputs, m.points.rows, size_of(m.coef.size())), "LSCF", "outputs x points coefficients expected");
  require(finite(m.coef) && finite(m.intercept), "LSCF", "a coefficient is not finite");
}

}  // namespace dcsvm::io
