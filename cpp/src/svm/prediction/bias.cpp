#include "svm/prediction/bias.hpp"

#include "svm/prediction/route.hpp"

namespace dcsvm::svm {

Presence::Presence(const std::vector<int>& classes, Index k) {
  std::vector<int> present(k, 0);
  for (const int c : classes) present[c] = 1;
  for (std::size_t i = 0; i < present.size(); ++i) {
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      sign.push_back(present[i] - present[j]);
      both.push_back(static_cast<char>(present[i] * present[j]));
    }
  }
}

Bias::Bias(const ModelData& model, const DataView& x, base::ThreadPool& pool) {
  const Index k = model.n_classes();
  n_pairs_ = k * (k - 1) / 2;
  if (model.clustered() && !model.fit_intercept) {
    rho_.assign(n_pairs_, 0.0);
    return;
  }
  for (const Expansion& e : model.expansions) {
    const Presence presence(e.classes, k);
    std::size_t next = 0;
    for (std::size_t p = 0; p < presence.sign.size(); ++p) {
      rho_.push_back(presence.both[p] != 0 ? e.rho[next++] : -presence.sign[p]);
    }
  }
  if (model.clustered()) cluster_of_ = route(model, x, pool);
}

}  // namespace dcsvm::svm
