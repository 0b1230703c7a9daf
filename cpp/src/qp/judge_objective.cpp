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
// a quarter of |b| are missed by 16 draws with a probability of 0.75^16 = 0.01.
constexpr Index kSpread = 16;   // spread evenly over all variables
constexpr Index kWeighty = 16;  // drawn by their share of |b|
// Not the caller's: what is computed in double does not depend on random_state. Each judge of a solve adds its number of origins:
// rows that the one before drew tell of its own origin alone.
constexpr std::uint64_t kSeed = 1;

// The error of the objective is 1/2 sum_i b_i e_i over the variables whose gradients are not exact. The e_i come from a symmetric
// matrix, so its standard deviation is |b|_2 |e| / sqrt(2) where e is what a gradient is off by, in the mean square weighted with
// b_i^2. With several origins e_i is the sum over j of E_ij (b_j - b0_j), b0 that of i; as (u + v)^2 <= 2 u^2 + 2 v^2 for the two
// places of E_ij = E_ji, the same is an upper bound. Four deviations must be below the error that is tolerated.
constexpr double kDeviations = 4.0;
constexpr double kGammaSlope = 3.0;  // of b'K b by log gamma, in b'K b
constexpr double kObjectiveError = 4e-6;  // relative to the objective: six digits
constexpr double kTermError = 4e-9;  // relative to its two terms
constexpr Index kDrawnBySquare = 32;  // rows that tell that mean square
constexpr double kOfFewDraws = 2.0;  // times the deviation that the few rows drawn by |b| tell
constexpr std::size_t kCheapSupport = 500;  // support vectors up to which the objective in double costs little

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
  base::Random random(kSeed + origins_.known.size());
  for (Index k = 0; k < count; ++k) {
    const Index begin = k * problem_.n / count, end = (k + 1) * problem_.n / count;
    if (end > begin) idx.push_back(begin + random.below(end - begin));
  }
}

// Rows spread evenly, and rows drawn by |b_i|, from which sum b_i^2 e_i^2 is estimated: the mean of |b_i| e_i^2, times sum |b|.
void Judged::look_at_sample(const Exact& exact) {
  std::vector<double> size(minus_.size());
  std::transform(minus_.begin(), minus_.end(), size.begin(), [](double b) { return std::abs(b); });
  const std::vector<Drawn> drawn = draw(size, kWeighty, kSeed + 1 + origins_.known.size());
  std::vector<Index> idx;
  std::vector<double> before;
  for (const Drawn& one : drawn) {
    idx.push_back(support_[one.position]);
    before.push_back(g_[idx.back()]);
  }
  std::vector<Index> all = idx;
  add_spread(kSpread, all);
  replace(exact, not_yet_exact(all));
  double squares = 0;
  for (std::size_t t = 0; t < idx.size(); ++t) {
    const double error = before[t] - g_[idx[t]];
    squares += drawn[t].times * size[drawn[t].position] * error * error;
  }
  sampled_deviation_ = kOfFewDraws * std::sqrt(0.5 * sum_ * squares / kWeighty);
}

// The few rows of the sample tell the deviation where gradients have errors of one size: those of one origin, which is known.
void Judged::make_objective_known(const Exact& exact, Result& result) {
  if (objective_is_known(result.objective, widest_deviation())) return;
  const bool one_size = parts_.size() == 1 && !origins_.known[0].or_zero;
  if (one_size && objective_is_known(result.objective, sampled_deviation_)) return;
  const bool few = support_.size() <= kCheapSupport;
  const bool known = !few && objective_is_known(result.objective, found_deviation(exact));
  result.objective = known ? objective_of(problem_, beta_, g_) : objective_in(exact);
}

// deviation: of the error of the objective.
bool Judged::objective_is_known(double objective, double deviation) const {
  double linear = 0, square = 0;
  for (const Index i : support_) {
    linear += problem_.q[i] * beta_[i];
    square += (problem_.q[i] - g_[i]) * beta_[i];
  }
  const double error = kDeviations * deviation + 0.5 * kGammaSlope * rounding_.gamma * std::abs(square);
  return error <= std::max(kObjectiveError * std::abs(objective), kTermError * (std::abs(linear) + std::abs(square)));
}

// From the bounds of the values.
double Judged::widest_deviation() const {
  double square = 0, steps = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    square = std::max(square, parts_[k].square);
    steps = std::max(steps, origins_.known[k].squared_steps + squared_steps_);
  }
  const double of_sums = kFloatRounding * rounding_.value * std::sqrt(steps);
  return std::sqrt(0.5 * square_) * std::hypot(rounding_.deviation * std::sqrt(square), of_sums);
}

// From some gradients that are drawn by b_i^2 and the squared error that those of their origin have on average, up to a factor,
// among those that are not exact yet, and then are.
double Judged::found_deviation(const Exact& exact) {
  const auto scale = [&](Index i) {
    const std::size_t k = origin_of(i);
    return parts_[k].square + origins_.known[k].squared_steps + squared_steps_;
  };
  std::vector<double> weight(support_.size());
  for (std::size_t s = 0; s < support_.size(); ++s)
    weight[s] = exact_[support_[s]] == 0 ? minus_[s] * minus_[s] * scale(support_[s]) : 0.0;
  const std::vector<Drawn> drawn = draw(weight, kDrawnBySquare, kSeed + origins_.known.size());
  std::vector<Index> idx;
  std::vector<double> before;
  for (const Drawn& one : drawn) {
    idx.push_back(support_[one.position]);
    before.push_back(g_[idx.back()]);
  }
  replace(exact, idx);
  double squares = 0;
  for (std::size_t t = 0; t < idx.size(); ++t) {
    const double error = before[t] - g_[idx[t]];
    squares += drawn[t].times * error * error / scale(idx[t]);
  }
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  return std::sqrt(0.5 * total * squares / kDrawnBySquare);
}

// K is symmetric: values below its diagonal count twice.
double Judged::objective_in(const Exact& exact) const {
  const std::vector<double> below = exact_products(*exact.columns, minus_, support_, true, *context_.pool);
  double sum = 0;
  for (std::size_t t = 0; t < support_.size(); ++t) {
    const double diagonal = exact.rows.diagonal(support_[t]);
    sum += minus_[t] * (below[t] + 0.5 * minus_[t] * diagonal + problem_.q[support_[t]]);
  }
  return sum;
}

double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context) {
  const auto exact = rows.in_double(*context.pool);
  if (!exact) return objective_of(problem, beta, gradient);
  Result result;
  Judged(problem, beta, gradient, rows.rounding(), context, result).judge(rows, *exact, HUGE_VAL, true, result);
  return result.objective;
}

double judged_objective(const Judged::ExactRows&, const Problem& problem, const double* beta, double* gradient, base::Context&) {
  return objective_of(problem, beta, gradient);
}

}  // namespace dcsvm::qp
