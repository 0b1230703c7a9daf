#include "svm/model/build_model.hpp"

#include <utility>

namespace dcsvm::svm {

namespace {

bool is_support(const OneVsOneSolution& s, Index n, Index i) {
  for (std::size_t e = static_cast<std::size_t>(i); e < s.coef.size(); e += static_cast<std::size_t>(n)) {
    if (s.coef[e] != 0.0) return s.class_of[i] >= 0;
  }
  return false;
}

/// Appends the support vectors among `rows` (ascending) as one expansion.
void append(const OneVsOneSolution& s, const std::vector<Index>& rows, const std::vector<int>& present, std::vector<double> rho,
            ModelData& model) {
  Expansion e;
  e.first_sv = static_cast<Index>(model.support.size());
  e.classes = present;
  e.rho = std::move(rho);
  for (const int c : present) {
    const std::size_t before = model.support.size();
    for (const Index i : rows) {
      if (s.class_of[i] == c) model.support.push_back(i);
    }
    model.sv_class.resize(model.support.size(), c);
    e.n_sv.push_back(static_cast<Index>(model.support.size() - before));
  }
  model.expansions.push_back(std::move(e));
}

void fill_coefficients(const OneVsOneSolution& s, Index n, ModelData& model) {
  const auto rows = static_cast<std::size_t>(model.n_classes() - 1);
  model.sv_coef.reserve(rows * model.support.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Index i : model.support)
      model.sv_coef.push_back(s.coef[row * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)]);
  }
}

ModelData start(const OneVsOneSolution& s) {
  ModelData model;
  model.n_train = rows_of(s.x);
  model.n_features = cols_of(s.x);
  model.classes = s.classes;
  return model;
}

void finish(const OneVsOneSolution& s, ModelData& model) {
  fill_coefficients(s, model.n_train, model);
  if (!s.precomputed) model.points = data::copy_points(s.x, model.support);
  model.report.n_support = static_cast<Index>(model.support.size());
}

}  // namespace

ModelData build_expansion(const OneVsOneSolution& solution, std::vector<double> rho) {
  ModelData model = start(solution);
  std::vector<int> present(model.n_classes());
  for (std::size_t c = 0; c < present.size(); ++c) present[c] = static_cast<int>(c);
  std::vector<Index> rows;
  for (Index i = 0; i < model.n_train; ++i) {
    if (is_support(solution, model.n_train, i)) rows.push_back(i);
  }
  append(solution, rows, present, std::move(rho), model);
  finish(solution, model);
  return model;
}

ModelData build_clustered(const OneVsOneSolution& solution, Clustering clustering) {
  ModelData model = start(solution);
  const std::size_t n_clusters = clustering.classes.size();
  model.cluster_sizes.assign(n_clusters, 0);
  std::vector<std::vector<Index>> rows(n_clusters);
  for (Index i = 0; i < model.n_train; ++i) {
    const int c = clustering.cluster_of[i];
    if (c < 0) continue;
    ++model.cluster_sizes[c];
    if (is_support(solution, model.n_train, i)) rows[c].push_back(i);
  }
  for (std::size_t c = 0; c < n_clusters; ++c) {
    append(solution, rows[c], clustering.classes[c], clustering.rho[c], model);
  }
  finish(solution, model);
  model.router = std::move(clustering.router);
  return model;
}

}  // namespace dcsvm::svm
