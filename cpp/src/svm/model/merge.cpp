// dcsvm/merge.hpp.
#include "dcsvm/merge.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/require_model.hpp"
#include "base/stop_reason.hpp"
#include "data/one_vs_one.hpp"
#include "svm/model/check.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm {

namespace {

[[noreturn]] void refuse(std::size_t part, const std::string& what) {
  throw DataError("part " + std::to_string(part) + ": " + what);
}

bool same_kernel(const KernelParams& a, const KernelParams& b) {
  return a.type == b.type && a.degree == b.degree && a.gamma == b.gamma && a.coef0 == b.coef0;
}

int position(const std::vector<double>& classes, double label, std::size_t part) {
  const auto at = std::lower_bound(classes.begin(), classes.end(), label);
  if (at == classes.end() || *at != label) refuse(part, "its class " + std::to_string(label) + " is not in classes");
  return static_cast<int>(at - classes.begin());
}

/// What all parts share, from the first model.
svm::ModelData frame_of(const std::vector<ClusterPart>& parts) {
  for (const ClusterPart& part : parts) {
    if (part.model.empty()) continue;
    const svm::ModelData& first = *part.model.data();
    svm::ModelData m;
    m.formulation = first.formulation;
    m.nu = first.nu;
    m.epsilon = first.epsilon;
    m.kernel = first.kernel;
    // One that was finished in double needs it for its decisions too.
    const bool in_double = std::any_of(parts.begin(), parts.end(), [](const ClusterPart& p) {
      return !p.model.empty() && p.model.data()->precision == Precision::double_;
    });
    m.precision = in_double ? Precision::double_ : Precision::single_;
    m.fit_intercept = first.fit_intercept;
    m.n_features = first.n_features;
    m.C = first.C;
    m.points.scalar = first.points.scalar;
    m.points.sparse = first.points.sparse;
    m.points.cols = first.points.cols;
    if (m.points.sparse) m.points.indptr.push_back(0);
    m.report.solver = "dc";
    m.report.solver_reason = "clusters were trained apart and merged";
    m.report.precision = in_double ? "double" : "single";
    m.report.gamma = first.report.gamma;
    m.report.isa = first.report.isa;
    return m;
  }
  throw DataError("parts: at least one must have a model");
}

void check_part(const svm::ModelData& whole, const svm::ModelData& own, const ClusterPart& part, std::size_t number) {
  if (own.clustered()) refuse(number, "its model is clustered itself");
  if (own.kernel.type == KernelType::precomputed) refuse(number, "a precomputed kernel has no points to merge");
  if (own.formulation != whole.formulation || !same_kernel(own.kernel, whole.kernel))
    refuse(number, "another formulation or kernel than in the parts before");
  if (own.n_features != whole.n_features || own.points.scalar != whole.points.scalar || own.points.sparse != whole.points.sparse)
    refuse(number, "other features or another storage of X than in the parts before");
  if (own.support.size() != part.support.size()) {
    refuse(number, "support has " + std::to_string(part.support.size()) + " entries, its model " +
                       std::to_string(own.support.size()) + " support vectors");
  }
}

void add_report(const Report& own, Report& total, LevelReport& level) {
  total.objective += own.objective;
  total.violation = std::max(total.violation, own.violation);
  total.tol = total.tol > 0 ? std::min(total.tol, own.tol) : own.tol;
  total.n_iter += own.n_iter;
  total.n_kernel_values += own.n_kernel_values;
  total.peak_cache_bytes = std::max(total.peak_cache_bytes, own.peak_cache_bytes);
  total.n_threads = std::max(total.n_threads, own.n_threads);
  total.stop_reason = base::worse(total.stop_reason, own.stop_reason);
  level.objective = total.objective;
  level.violation = total.violation;
  level.n_iter = static_cast<Index>(total.n_iter);
}

/// Coefficients of the parts' support vectors as columns of the whole: one vector for each row of ModelData::sv_coef.
using Rows = std::vector<std::vector<double>>;

void add_model(const svm::ModelData& own, const std::vector<Index>& support, const std::vector<int>& place, svm::ModelData& whole,
               Rows& coef) {
  svm::Expansion e;
  e.first_sv = static_cast<Index>(whole.support.size());
  e.classes = place;
  e.n_sv = own.expansions.front().n_sv;
  e.rho = own.expansions.front().rho;
  whole.expansions.push_back(std::move(e));
  const auto n = static_cast<Index>(own.support.size());
  for (auto& row : coef) row.resize(row.size() + static_cast<std::size_t>(n), 0.0);
  const Index k = own.n_classes();
  for (Index s = 0; s < n; ++s) {
    whole.support.push_back(support[s]);
    whole.sv_class.push_back(place[own.sv_class[s]]);
    for (Index other = 0; other < k; ++other) {
      if (other == own.sv_class[s]) continue;
      const Index to = own.classes.empty() ? 0 : data::coef_row(place[own.sv_class[s]], place[other]);
      coef[to][whole.support.size() - 1] = own.sv_coef[data::coef_row(own.sv_class[s], other) * n + s];
    }
  }
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  data::append_points(own.points.view(), all, whole.points);
}

std::vector<int> places(const svm::ModelData& own, const std::vector<double>& classes, std::size_t part) {
  if (own.classes.empty()) return {0, 1};
  std::vector<int> place;
  place.reserve(own.classes.size());
  for (const double label : own.classes) place.push_back(position(classes, label, part));
  return place;
}

}  // namespace

Model merge_clusters(const std::vector<ClusterPart>& parts, Index n_train, const std::vector<double>& classes,
                     const std::vector<double>& centres) {
  auto whole = std::make_shared<svm::ModelData>(frame_of(parts));
  whole->n_train = n_train;
  whole->classes = classes;
  whole->cluster_sizes.reserve(parts.size());
  LevelReport level;
  level.level = 1;
  Rows coef(static_cast<std::size_t>(whole->n_classes() - 1));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ClusterPart& part = parts[p];
    for (const Index row : part.support) {
      if (row < 0 || row >= n_train) refuse(p, "row " + std::to_string(row) + " is not in [0, n_train)");
    }
    whole->cluster_sizes.push_back(part.n_rows);
    level.sizes.push_back(part.n_rows);
    if (part.model.empty()) {
      if (classes.empty()) refuse(p, "only a classifier's cluster can be without a model");
      svm::Expansion e;
      e.first_sv = static_cast<Index>(whole->support.size());
      e.classes = {position(classes, part.only_class, p)};
      e.n_sv = {0};
      whole->expansions.push_back(std::move(e));
      continue;
    }
    const svm::ModelData& own = *part.model.data();
    check_part(*whole, own, part, p);
    add_model(own, part.support, places(own, classes, p), *whole, coef);
    add_report(own.report, whole->report, level);
  }
  for (const auto& row : coef) whole->sv_coef.insert(whole->sv_coef.end(), row.begin(), row.end());
  whole->router = svm::CentreRouter{static_cast<Index>(parts.size()), whole->n_features, centres};
  level.clusters = static_cast<Index>(parts.size());
  level.n_support = whole->report.n_support = static_cast<Index>(whole->support.size());
  whole->report.levels.push_back(std::move(level));
  try {
    svm::check_model(*whole);
  } catch (const ModelError& error) {
    throw DataError(std::string("the merged ") + error.what());
  }
  return Model(std::move(whole));
}

}  // namespace dcsvm
