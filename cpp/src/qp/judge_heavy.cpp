// Concentrated coefficients: which of them are treated in double.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/vectors.hpp"
#include "qp/exact_products.hpp"
#include "qp/judge.hpp"

namespace dcsvm::qp {

namespace {

constexpr double kDoubleCost = 2.5;  // a value in double, in values in float
// Of all values in float: up to this cost the gradient stays as it is. Forming it anew costs at least all of them, and to find
// out with how many coefficients in double costs kSpreadToPlan rows.
constexpr double kWorthSplitting = 0.25;
constexpr Index kSpreadToPlan = 64;  // rows spread over all, that tell how many would have to be computed

}  // namespace

// What it costs to leave the gradient as it is, or to form it anew with 0, 16, 32, ... of the coefficients in double. How many
// gradients would then have to be computed is seen from the true ones of a sample: those of float may be too far off to tell.
Judged::Split Judged::cheapest(const Exact& exact, double tol) {
  const auto n = static_cast<double>(problem_.n), size = static_cast<double>(support_.size());
  Split best{-1, kDoubleCost * size * static_cast<double>(may_decide(tol).size())};
  if (best.cost <= kWorthSplitting * n * size) return best;
  std::vector<Index> spread;
  add_spread(kSpreadToPlan, spread);
  compute_in_double(exact, not_yet_exact(spread));
  const auto cost_of_deciding = [&](const GradientError& error) {
    const Ends known = ends(Errors(errors_.size(), error), tol);
    const auto deciding = std::count_if(spread.begin(), spread.end(), [&](Index i) { return decides(known, i); });
    return kDoubleCost * size * n * static_cast<double>(deciding) / static_cast<double>(spread.size());
  };
  by_size_ = base::index_range(static_cast<Index>(support_.size()));
  std::sort(by_size_.begin(), by_size_.end(), [this](Index a, Index b) {
    const double u = std::abs(minus_beta_[a]), v = std::abs(minus_beta_[b]);
    return u != v ? u > v : a < b;
  });
  const double f = std::sqrt(square_of_f({}) + sum_ * largest(errors_, &GradientError::bound));
  std::vector<double> tail(support_.size() + 1, 0.0), tail1(support_.size() + 1, 0.0);
  for (std::size_t k = support_.size(); k-- > 0;) {
    const double b = std::abs(minus_beta_[by_size_[k]]);
    tail[k] = tail[k + 1] + b * b;
    tail1[k] = tail1[k + 1] + b;
  }
  const double equal = tail[0] > 0 ? square_ / tail[0] : 1.0;  // what equal points add, here of all
  for (std::size_t k = 0;; k = std::min(support_.size(), std::max<std::size_t>(16, 2 * k))) {
    const bool all = k == support_.size();
    const auto heavy = static_cast<double>(k);
    const double norm2 = std::sqrt(equal * tail[k]);
    const GradientError error = error_bound(rounding_, problem_.n, {tail1[k], norm2, tail1[k], norm2}, f, 0.0);
    const double cost = n * (size - heavy + kDoubleCost * heavy) + (all ? 0.0 : cost_of_deciding(error));
    if (cost < best.cost) best = {static_cast<Index>(k), cost};
    if (all) return best;
  }
}

// The gradient anew: the first of by_size_ in double, the others in float. So the heavy coefficients are its origin.
void Judged::renew(const Rows& rows, const ExactRows& exact, Index heavy) {
  const Index n = problem_.n;
  std::vector<Index> light, chosen;
  std::vector<double> minus_light, minus_chosen;
  Origin origin{std::vector<double>(static_cast<std::size_t>(n), 0.0), {problem_.q, problem_.q + n}};
  double heavy_sum = 0;
  for (std::size_t t = 0; t < by_size_.size(); ++t) {
    const Index s = by_size_[t];
    const bool is_light = static_cast<Index>(t) >= heavy;
    (is_light ? light : chosen).push_back(support_[s]);
    (is_light ? minus_light : minus_chosen).push_back(minus_beta_[s]);
    if (is_light) continue;
    origin.beta[support_[s]] = -minus_beta_[s];
    heavy_sum += std::abs(minus_beta_[s]);
  }
  const std::vector<Index> all = base::index_range(n);
  if (!chosen.empty()) {
    const auto columns = exact.columns(chosen.data(), static_cast<Index>(chosen.size()), context_.cap_bytes / 4, *context_.pool);
    const std::vector<double> part = exact_products(*columns, minus_chosen, all, false, *context_.pool);
    for (Index i = 0; i < n; ++i) origin.gradient[i] += part[i];
  }
  std::fill(g_, g_ + n, 0.0);
  rows.multiply(all.data(), n, light.data(), minus_light.data(), static_cast<Index>(light.size()), g_, context_.cap_bytes / 4,
                *context_.pool);
  std::transform(g_, g_ + n, origin.gradient.begin(), g_, std::plus<>());
  origins_ = {{std::move(origin)}, {}, origins_.judged + 1};
  path_.assign(static_cast<std::size_t>(n), 0.0);  // what float contributes is one step
  for (std::size_t s = 0; s < light.size(); ++s) path_[light[s]] = std::abs(minus_light[s]);
  note_changes();
  forget_exact();
  left_out_ = rows.negligible() * changes_[0].norm1 + exact.negligible() * heavy_sum;
  errors_ = errors_now();
}

}  // namespace dcsvm::qp
