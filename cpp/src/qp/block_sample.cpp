// A cold start on a sample (Balcazar, Dai and Watanabe 2001; docs/developers/performance.md): a random part of the variables is
// solved first, then those that violate or are near the margin, until the whole problem is solved.
#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "qp/block_solver.hpp"

namespace dcsvm::qp {

namespace {

constexpr Index kSampleFrom = 8192;  // variables
constexpr double kShare = 0.25;
constexpr double kMostWork = 100.0;  // multiply-adds per kernel value; above, the rows of the sample would be computed twice
constexpr double kLoose = 0.03;      // a stage is solved to this share of the violation at its start ...
constexpr double kFar = 0.25;        // ... while that is above this share of the violation at zero; after that, to tol
constexpr double kBand = 0.05;       // near the margin: within this share of the violation ...
constexpr double kWidest = 0.15;     // ... and of the violation at zero
constexpr double kUseless = 0.6;     // if more than this share of the variables remains, the sample did not help: abandon it

}  // namespace

template <class T>
void BlockSolver<T>::start_on_sample() {
  const Index n = active_.size();
  if (n < kSampleFrom || source_.work_per_value() >= kMostWork) return;
  base::Random random(0);
  std::vector<Index> keep;
  for (Index p = 0; p < n; ++p) {
    if (random.uniform() < kShare) keep.push_back(p);
  }
  at_zero_ = violation();
  stage_tol_ = std::max(options_.tol, kLoose * at_zero_);
  active_.shrink(keep);
  bounds_ = active_.bounds();
}

// After a stage whose threshold (of each group) was `centre`: the free variables, those in violation, and those in a band around
// the threshold.
template <class T>
bool BlockSolver<T>::next_stage(const std::array<double, 2>& centre) {
  const double v = violation();
  stage_tol_ = options_.tol;
  if (!(at_zero_ > 0) || v <= kFar * at_zero_) return false;  // a warm start, or nearly solved
  if (std::exchange(stage_began_, result_.n_iter) == result_.n_iter) return false;  // the last stage took no step
  const double band = std::min(kBand * v, kWidest * at_zero_);
  const auto keep = active_.within(centre, band);
  if (keep.size() < 2 || static_cast<double>(keep.size()) > kUseless * static_cast<double>(active_.size())) return false;
  stage_tol_ = std::max(options_.tol, kLoose * v);
  active_.shrink(keep);
  bounds_ = active_.bounds();
  return true;
}

template void BlockSolver<float>::start_on_sample();
template void BlockSolver<double>::start_on_sample();
template bool BlockSolver<float>::next_stage(const std::array<double, 2>&);
template bool BlockSolver<double>::next_stage(const std::array<double, 2>&);

}  // namespace dcsvm::qp
