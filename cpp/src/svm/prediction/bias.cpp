#include "svm/prediction/bias.hpp"

#include "svm/prediction/route.hpp"

namespace dcsvm::svm {

Bias::Bias(const ModelData& model, const DataView& x, base::ThreadPool& pool) : model_(model) {
  if (model.clustered() && model.fit_intercept) cluster_of_ = route(model, x, pool);
}

void Bias::subtract(Index r, double* decisions) const {
  if (model_.clustered() && cluster_of_.empty()) return;
  const Expansion& e = model_.expansions[cluster_of_.empty() ? 0 : static_cast<std::size_t>(cluster_of_[r])];
  const Index k = model_.n_classes();
  if (static_cast<Index>(e.classes.size()) == k) {
    for (std::size_t p = 0; p < e.rho.size(); ++p) decisions[p] -= e.rho[p];
    return;
  }
  const Presence presence(e.classes, k);
  std::size_t next = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j) *decisions++ -= presence.both(i, j) ? e.rho[next++] : -presence.sign(i, j);
  }
}

}  // namespace dcsvm::svm
