#include "predict/bias.hpp"

#include "predict/route.hpp"

namespace dcsvm::prediction {

Presence::Presence(const std::vector<int>& classes, Index k) {
  std::vector<int> present(static_cast<std::size_t>(k), 0);
  for (const int c : classes) present[static_cast<std::size_t>(c)] = 1;
  for (std::size_t i = 0; i < present.size(); ++i) {
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      sign.push_back(present[i] - present[j]);
      both.push_back(static_cast<char>(present[i] * present[j]));
    }
  }
}

Bias::Bias(const models::ModelData& model, const DataView& x, base::ThreadPool& pool) {
  const Index k = model.n_classes();
  n_pairs_ = k * (k - 1) / 2;
  if (model.clustered() && !model.fit_intercept) {
    rho_.assign(static_cast<std::size_t>(n_pairs_), 0.0);
    return;
  }
  for (const models::Expansion& e : model.expansions) {
    const Presence presence(e.classes, k);
    std::size_t next = 0;
    for (std::size_t p = 0; p < presence.sign.size(); ++p) {
      rho_.push_back(presence.both[p] != 0 ? e.rho[next++] : -presence.sign[p]);
    }
  }
  if (model.clustered()) cluster_of_ = route(model, x, pool);
}

}  // namespace dcsvm::prediction
