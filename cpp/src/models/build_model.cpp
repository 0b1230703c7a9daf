#include "models/build_model.hpp"

#include <algorithm>
#include <utility>

#include "models/pairs.hpp"

namespace dcsvm::models {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// True when row i has a coefficient in a pair with another class of `present`.
bool is_support(const Solution& s, Index n, Index i, const std::vector<int>& present) {
  const int own = s.class_of[at(i)];
  if (own < 0) return false;
  return std::any_of(present.begin(), present.end(), [&](int other) {
    return other != own && s.coef[at(coef_row(own, other) * n + i)] != 0.0;
  });
}

/// Appends the support vectors among `rows` (ascending) as one expansion.
void append(const Solution& s, const std::vector<Index>& rows, const std::vector<int>& present,
            std::vector<double> rho, ModelData& model) {
  Expansion e;
  e.first_sv = static_cast<Index>(model.support.size());
  e.classes = present;
  e.rho = std::move(rho);
  for (const int c : present) {
    const std::size_t before = model.support.size();
    for (const Index i : rows) {
      if (s.class_of[at(i)] == c) model.support.push_back(i);
    }
    model.sv_class.resize(model.support.size(), c);
    e.n_sv.push_back(static_cast<Index>(model.support.size() - before));
  }
  model.expansions.push_back(std::move(e));
}

/// Coefficients of the chosen support vectors, only those in pairs of their own expansion.
void fill_coefficients(const Solution& s, Index n, ModelData& model) {
  const Index n_sv = static_cast<Index>(model.support.size());
  model.sv_coef.assign((s.classes.size() - 1) * at(n_sv), 0.0);
  for (const Expansion& e : model.expansions) {
    Index sv = e.first_sv;
    for (std::size_t g = 0; g < e.classes.size(); ++g) {
      const Index end = sv + e.n_sv[g];
      for (; sv < end; ++sv) {
        for (const int other : e.classes) {
          if (other == e.classes[g]) continue;
          const Index row = coef_row(e.classes[g], other);
          model.sv_coef[at(row * n_sv + sv)] = s.coef[at(row * n + model.support[at(sv)])];
        }
      }
    }
  }
}

ModelData start(const Solution& s) {
  ModelData model;
  model.n_train = rows_of(s.x);
  model.n_features = cols_of(s.x);
  model.classes = s.classes;
  return model;
}

void finish(const Solution& s, ModelData& model) {
  fill_coefficients(s, model.n_train, model);
  if (!s.precomputed) model.points = copy_points(s.x, model.support);
  model.report.n_support = static_cast<Index>(model.support.size());
}

}  // namespace

ModelData build_expansion(const Solution& solution, std::vector<double> rho) {
  ModelData model = start(solution);
  std::vector<int> present(solution.classes.size());
  for (std::size_t c = 0; c < present.size(); ++c) present[c] = static_cast<int>(c);
  std::vector<Index> rows;
  for (Index i = 0; i < model.n_train; ++i) {
    if (is_support(solution, model.n_train, i, present)) rows.push_back(i);
  }
  append(solution, rows, present, std::move(rho), model);
  finish(solution, model);
  return model;
}

ModelData build_clustered(const Solution& solution, Clustering clustering) {
  ModelData model = start(solution);
  const std::size_t n_clusters = clustering.classes.size();
  model.cluster_sizes.assign(n_clusters, 0);
  std::vector<std::vector<Index>> rows(n_clusters);
  for (Index i = 0; i < model.n_train; ++i) {
    const int c = clustering.cluster_of[at(i)];
    if (c < 0) continue;
    ++model.cluster_sizes[at(c)];
    if (is_support(solution, model.n_train, i, clustering.classes[at(c)])) rows[at(c)].push_back(i);
  }
  for (std::size_t c = 0; c < n_clusters; ++c) {
    append(solution, rows[c], clustering.classes[c], clustering.rho[c], model);
  }
  finish(solution, model);
  model.router = std::move(clustering.router);
  return model;
}

}  // namespace dcsvm::models
