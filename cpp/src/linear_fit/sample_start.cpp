#include "linear_fit/sample_start.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace dcsvm::linear_fit {

namespace {

/// The entries of these rows; empty where `values` is.
std::vector<double> at(const std::vector<double>& values, const std::vector<Index>& rows) {
  std::vector<double> out;
  if (values.empty()) return out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(values[i]);
  return out;
}

}  // namespace

std::vector<Index> sample_rows(const Matrix& x, std::uint64_t seed, const std::function<bool(Index)>& takes_part) {
  constexpr Index kRowsOfColumn = 16;  // fewer rows in the sample say too little about w
  const Index n = x.rows() / kSampleShare;
  if (n < kRowsOfColumn * x.cols()) return {};
  base::Random random(seed);
  std::vector<Index> rows;
  for (Index b = 0; b < n; ++b) {
    const Index i = b * kSampleShare + random.below(kSampleShare);
    if (takes_part(i)) rows.push_back(i);
  }
  if (static_cast<Index>(rows.size()) < kRowsOfColumn * x.cols()) return {};
  return rows;
}

SolveOptions loosened(const SolveOptions& options) {
  constexpr double kLoose = 10.0;  // the sample's solution is farther than that from the whole problem's
  SolveOptions loose = options;
  loose.tol = kLoose * options.tol;
  loose.path = nullptr;  // which belongs to all rows
  loose.relative_gap = 0.0;
  loose.polish = 0.0;
  return loose;
}

std::vector<std::vector<double>> start_on_sample(const std::vector<Problem>& problems, const SolveOptions& options,
                                                 base::Context& context, const SampleSolver& solve) {
  const Matrix& x = *problems.front().x;
  const std::vector<Index> rows = sample_rows(x, options.seed, [&](Index i) {
    return std::any_of(problems.begin(), problems.end(), [i](const Problem& p) { return p.C[i] != 0; });
  });
  if (rows.empty()) return {};
  const std::unique_ptr<Matrix> sample = x.take(rows, context.cap_bytes);
  if (sample == nullptr) return {};
  std::vector<Problem> parts;
  for (const Problem& problem : problems) {
    Problem& part = parts.emplace_back(problem);
    part.x = sample.get();
    for (std::vector<double>* of_rows : {&part.y, &part.C, &part.shift}) *of_rows = at(*of_rows, rows);
    for (double& price : part.C) price *= static_cast<double>(kSampleShare);
  }
  SolveOptions loose = loosened(options);
  std::vector<std::vector<double>> starts;
  for (Solution& s : solve(parts, loose)) {
    const bool finite = std::all_of(s.w.begin(), s.w.end(), [](double v) { return std::isfinite(v); });
    if (!finite) return {};
    starts.push_back(std::move(s.w));
  }
  return starts;
}

}  // namespace dcsvm::linear_fit
