// TEMPORARY until probabilities arrive
#pragma once
#include <cstdint>
#include <vector>
#include "dcsvm/errors.hpp"
#include "dcsvm/train.hpp"
namespace dcsvm {
struct CrossValidation {
  Index n_unconverged = 0;
  std::int64_t n_iter = 0;
};
inline CrossValidation cross_validate(const DataView&, const double*, const TrainParams&, int, double*, const TrainInputs&,
                                      const Hooks&) {
  throw DataError("not yet");
}
struct Calibration {
  std::vector<double> a, b, density_marks;
};
inline Calibration calibration(const Model&) { return {}; }
inline void probabilities(const Model&, const double*, Index, double*) { throw DataError("not yet"); }
}  // namespace dcsvm
