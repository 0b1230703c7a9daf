// TEMPORARY until probabilities arrive
#pragma once
#include "dcsvm/predict.hpp"
#include "dcsvm/errors.hpp"
namespace dcsvm {
inline Calibration calibration(const Model&) { return {}; }
inline void probabilities(const Model&, const double*, Index, double*) { throw DataError("not yet"); }
}
