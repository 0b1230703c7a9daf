// dcsvm/probability.hpp.
#include <cmath>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/probability.hpp"
#include "svm/probability/pairwise_coupling.hpp"
#include "svm/probability/platt.hpp"

namespace dcsvm {

std::pair<double, double> fit_sigmoid(const double* decisions, const bool* positive, Index n) {
  if (n < 1) throw DataError("decision values: at least one row is needed to fit a sigmoid");
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(decisions[i])) throw DataError("decision values must be finite, row " + std::to_string(i) + " is not");
  }
  return svm::fit_sigmoid({decisions, decisions + n}, {positive, positive + n});
}

void couple_pairs(const double* a, const double* b, Index k, const double* decisions, Index n, double* out) {
  if (k < 2) throw DataError("pairs of classes: at least 2 classes are needed, got " + std::to_string(k));
  Calibration calibration;
  calibration.a.assign(a, a + k * (k - 1) / 2);
  calibration.b.assign(b, b + k * (k - 1) / 2);
  svm::probabilities(calibration, k, decisions, n, out);
}

}  // namespace dcsvm
