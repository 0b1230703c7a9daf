#include "linear/sample_start.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace dcsvm::linear {

namespace {

constexpr Index kShare = 8;         // one row of so many
constexpr Index kRowsPerColumn = 8; // fewer in the sample say too little about w
constexpr double kLoose = 10.0;     // times the tolerance: the sample's own error is larger
constexpr double kDecrease = 1e-2;

}  // namespace

std::vector<double> start_on_sample(const Problem& problem, const SolveOptions& options, base::Context& context,
                                    const SampleSolver& solve) {
  const Matrix& x = *problem.x;
  const Index n = x.rows() / kShare;
  if (n < kRowsPerColumn * x.cols()) return {};
  base::Random random(options.seed);
  std::vector<Index> rows;
  Problem part;
  for (Index b = 0; b < n; ++b) {
    const Index i = b * kShare + random.below(kShare);
    if (problem.C[i] == 0) continue;
    rows.push_back(i);
    part.y.push_back(problem.y[i]);
    part.C.push_back(static_cast<double>(kShare) * problem.C[i]);
  }
  if (static_cast<Index>(rows.size()) < kRowsPerColumn * x.cols()) return {};
  const std::unique_ptr<Matrix> sample = x.take(rows, context.cap_bytes);
  if (sample == nullptr) return {};
  part.x = sample.get();
  part.loss = problem.loss;
  part.l1 = problem.l1;
  part.width = problem.width;
  part.regularize_bias = problem.regularize_bias;
  SolveOptions loose = options;
  loose.tol = kLoose * options.tol;
  loose.relative_gap = 0.0;
  loose.last_decrease = kDecrease;
  std::vector<double> w = solve(part, loose).w;
  if (!std::all_of(w.begin(), w.end(), [](double v) { return std::isfinite(v); })) w.clear();
  return w;
}

}  // namespace dcsvm::linear
