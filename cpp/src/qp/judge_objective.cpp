// The rows that are drawn to test the bound, and how well the objective is known.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "qp/exact_products.hpp"
#include "qp/judge.hpp"
#include "qp/outcome.hpp"

namespace dcsvm::qp {

namespace {

// The sample whose gradients are compared with the bound where that is argued from chance. Errors that add up in rows which have
// a quarter of |b - b0| are missed by 16 draws with a probability of 0.75^16 = 0.01.
constexpr Index kSpread = 16;   // spread evenly over all variables
constexpr Index kWeighty = 16;  // of each origin, drawn by their share of |b - b0|
// Not the caller's: what is computed in double does not depend on random_state. Each purpose has its own, and each judge of a
// solve, as rows that the last one drew are exact since then and would test nothing that is older.
enum class Drawing : std::uint64_t { spread, weighty, objective };
std::uint64_t seed_of(Drawing purpose, std::uint64_t number) { return 1 + 3 * number + static_cast<std::uint64_t>(purpose); }

// The objective is linear in the gradients, so what float values make of it is 1/2 sum_i b_i e_i over the variables whose
// gradients are not exact. That sum is estimated from rows that are drawn with the probability of their share of |b_i|, times the
// size that errors of their origin have: the estimate corrects the objective, and its standard error is that of the draws alone.
// It is estimated too: rows with less than about a twentieth of |b| must not have most of the error. Four standard errors must be
// below what is tolerated.
constexpr double kStandardErrors = 4.0;
constexpr double kGammaSlope = 3.0;  // of b'K b by log gamma, in b'K b
constexpr double kObjectiveError = 4.8e-6;  // relative to the objective: six digits
constexpr double kTermError = 4.8e-9;  // relative to its two terms
constexpr Index kFirstDraws = 64;  // which also tell how many more are needed
constexpr double kMoreDraws = 1.5;  // times those that the first ones ask for, which tell it roughly
constexpr double kDrawsWorth = 0.25;  // of the support: with more draws, the sum itself costs as little

struct Drawn {
  std::size_t position;
  int times;
};
// `count` independent draws of positions, each with the probability of its share of the weights' sum.
std::vector<Drawn> draw(const std::vector<double>& weights, int count, std::uint64_t seed) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  base::Random random(seed);
  std::vector<double> at(static_cast<std::size_t>(count));
  for (double& share : at) share = random.uniform() * total;
  std::sort(at.begin(), at.end());
  std::vector<Drawn> found;
  double passed = 0;
  for (std::size_t s = 0, next = 0; s < weights.size() && next < at.size(); ++s) {
    passed += weights[s];
    if (at[next] >= passed) continue;
    found.push_back({s, 0});
    for (; next < at.size() && at[next] < passed; ++next) ++found.back().times;
  }
  return found;
}

}  // namespace

// One variable of each of `count` stretches.
void Judged::add_spread(Index count, std::vector<Index>& idx) const {
  base::Random random(seed_of(Drawing::spread, origins_.judged));
  for (Index k = 0; k < count; ++k) {
    const Index begin = k * problem_.n / count, end = (k + 1) * problem_.n / count;
    if (end > begin) idx.push_back(begin + random.below(end - begin));
  }
}

// Ascending, each once, those that are not exact yet.
std::vector<Index> Judged::not_yet_exact(std::vector<Index> idx) const {
  std::sort(idx.begin(), idx.end());
  idx.erase(std::unique(idx.begin(), idx.end()), idx.end());
  idx.erase(std::remove_if(idx.begin(), idx.end(), [this](Index i) { return exact_[i] != 0; }), idx.end());
  return idx;
}

// Rows of each origin, drawn by what its coefficients have changed since then; all of a few.
void Judged::draw_of_origins(std::vector<Index>& idx) const {
  struct OfOrigin {
    std::vector<Index> rows;
    std::vector<double> size;
  };
  std::vector<OfOrigin> all(origins_.known.size());
  for (Index i = 0; i < problem_.n; ++i) {
    const Origin& origin = origins_.known[origin_of(i)];
    OfOrigin& own = all[origin_of(i)];
    const double step = origin.beta.empty() ? 0.0 : std::abs(beta_[i] - origin.beta[i]);
    own.rows.push_back(i);
    const double size = origin.beta.empty() || origin.given ? std::max(std::abs(beta_[i]), step) : step;
    own.size.push_back(rounding_.by_columns ? std::max(size, path_of(origin, i)) : size);
  }
  for (auto& [rows, size] : all) {
    if (static_cast<Index>(rows.size()) <= kWeighty) {
      idx.insert(idx.end(), rows.begin(), rows.end());
      continue;
    }
    // Of variables that stayed where they were, each may have what the changes of others have left.
    if (std::all_of(size.begin(), size.end(), [](double one) { return one == 0; })) std::fill(size.begin(), size.end(), 1.0);
    for (const Drawn& one : draw(size, kWeighty, seed_of(Drawing::weighty, origins_.judged))) idx.push_back(rows[one.position]);
  }
}

// Rows spread evenly, and rows drawn of each origin.
void Judged::look_at_sample(const Exact& exact) {
  std::vector<Index> all;
  draw_of_origins(all);
  add_spread(kSpread, all);
  compute_in_double(exact, not_yet_exact(all));
  sampled_ = true;
}

void Judged::make_objective_known(const Exact& exact, Result& result) {
  auto draws = static_cast<double>(kFirstDraws);
  while (draws < kDrawsWorth * static_cast<double>(support_.size())) {
    const double standard_error = estimate_objective(exact, static_cast<int>(draws), result);
    const double allowed = allowed_error(result.objective), share = kStandardErrors * standard_error / allowed;
    if (!(allowed > 0)) break;
    if (share <= 1) return;
    draws *= kMoreDraws * share * share;
  }
  result.objective = objective_in(exact);
}

// The error that six digits allow, less what the rounding of gamma takes.
double Judged::allowed_error(double objective) const {
  double linear = 0, square = 0;
  for (const Index i : support_) {
    linear += problem_.q[i] * beta_[i];
    square += (problem_.q[i] - g_[i]) * beta_[i];
  }
  const double of_gamma = 0.5 * kGammaSlope * rounding_.gamma * std::abs(square);
  return std::max(kObjectiveError * std::abs(objective), kTermError * (std::abs(linear) + std::abs(square))) - of_gamma;
}

// The objective, corrected by gradients that are drawn among those not exact yet, and then are. Returns the standard error.
double Judged::estimate_objective(const Exact& exact, int draws, Result& result) {
  std::vector<double> weight(support_.size());
  for (std::size_t s = 0; s < support_.size(); ++s) {
    const Index i = support_[s];
    weight[s] = exact_[i] == 0 ? std::abs(minus_beta_[s]) * changes_[origin_of(i)].path2 : 0.0;
  }
  result.objective = objective_of(problem_, beta_, g_);
  const std::vector<Drawn> drawn = draw(weight, draws, seed_of(Drawing::objective, static_cast<std::uint64_t>(draws)));
  std::vector<Index> idx;
  std::vector<double> before;
  for (const Drawn& one : drawn) {
    idx.push_back(support_[one.position]);
    before.push_back(g_[idx.back()]);
  }
  compute_in_double(exact, idx);
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  double sum = 0, squares = 0;
  for (std::size_t t = 0; t < idx.size(); ++t) {
    const double term = -minus_beta_[drawn[t].position] * (before[t] - g_[idx[t]]) * total / weight[drawn[t].position];
    sum += drawn[t].times * term;
    squares += drawn[t].times * term * term;
  }
  const double mean = sum / draws;
  result.objective += 0.5 * mean;
  return 0.5 * std::sqrt(std::max(squares / draws - mean * mean, 0.0) / (draws - 1));
}

// K is symmetric: values below its diagonal count twice.
double Judged::objective_in(const Exact& exact) const {
  const std::vector<double> below = exact_products(*exact.columns, minus_beta_, support_, true, *context_.pool);
  double sum = 0;
  for (std::size_t t = 0; t < support_.size(); ++t) {
    const double diagonal = exact.rows.diagonal(support_[t]);
    sum += minus_beta_[t] * (below[t] + 0.5 * minus_beta_[t] * diagonal + problem_.q[support_[t]]);
  }
  return sum;
}

double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context) {
  const auto exact = rows.in_double(*context.pool);
  if (!exact) return objective_of(problem, beta, gradient);
  Result result;
  const EqualRows equal(rows, *context.pool);
  Judged(problem, beta, gradient, rows.rounding(), context, result, {}, {}, equal).judge(rows, *exact, HUGE_VAL, true, result);
  return result.objective;
}

double judged_objective(const Judged::ExactRows&, const Problem& problem, const double* beta, double* gradient, base::Context&) {
  return objective_of(problem, beta, gradient);
}

}  // namespace dcsvm::qp
