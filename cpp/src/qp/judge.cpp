#include "qp/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/buffer.hpp"
#include "base/random.hpp"
#include "qp/outcome.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

namespace {

// The sample whose gradients tell the error of all.
constexpr Index kSpread = 32;   // spread evenly over all variables
constexpr Index kExtreme = 16;  // at either end of each group: the first that may decide

constexpr double kDeviations = 4.0;    // standard deviations that hardly any gradient's error exceeds
constexpr double kBeyondSample = 1.25;  // nor this multiple of the largest error in the sample
constexpr double kOverlooked = 0.05;  // of tol: by how much one above tol may come out too small, because not all are looked at

constexpr std::size_t kCheapSupport = 2000;  // support vectors up to which the objective in double costs little

// The error of the objective is 1/2 sum beta_i d_i with the gradients' errors d. These come from a symmetric matrix of rounding
// errors, and then its standard deviation is |beta| |d| / sqrt(2), or from sums, which give less. How many standard deviations
// must be below the error that is tolerated: few when there are many support vectors, because forming the objective anew costs
// the square of their number.
double objective_deviations(std::size_t n_support) {
  constexpr double kFewest = 1.25, kMost = 3.0;
  return kFewest + (kMost - kFewest) * std::min(1.0, static_cast<double>(kCheapSupport) / static_cast<double>(n_support));
}
constexpr double kCoherent = 4.0;  // standard errors from which the mean of an error is no chance
constexpr double kObjectiveError = 9e-7;  // relative to the objective
constexpr double kTermError = 9e-10;  // relative to its two terms

std::size_t group_of(const Problem& problem, Index i) { return problem.group != nullptr ? problem.group[i] : 0; }

// The `count` elements with the largest gradient, or the smallest, in any order.
template <class Compare>
void keep_first(std::vector<Index>& idx, Index count, Compare&& compare) {
  if (static_cast<Index>(idx.size()) <= count) return;
  std::nth_element(idx.begin(), idx.begin() + count, idx.end(), compare);
  idx.resize(count);
}

// out[k] = sum_j coef[j] K(rows[k], column j) over all columns, or with `lower` over j < k. Columns::multiply adds a few float
// values in float before it goes on in double; here every value is added in double, which loses several times less.
template <class T>
std::vector<double> products(const kernel_matrix::Columns<T>& columns, const std::vector<double>& coef,
                             const std::vector<Index>& rows, bool lower, base::ThreadPool& pool) {
  constexpr Index kGroup = 16;
  const auto m = static_cast<Index>(rows.size()), groups = (m + kGroup - 1) / kGroup;
  const Index piece = columns.grain();
  std::vector<double> out(rows.size(), 0.0);
  std::vector<base::Buffer<T>> scratch(static_cast<std::size_t>(pool.size()));
  pool.for_each(groups, [&](Index task, int worker) {
    auto& own = scratch[worker];
    if (own.size() == 0) own = base::Buffer<T>(kGroup * piece);
    const Index first = (groups - 1 - task) * kGroup, count = std::min(kGroup, m - first);  // the longest first
    const Index end = lower ? first + count : columns.size();
    const auto prepared = columns.prepare(rows.data() + first, count);
    std::array<T*, kGroup> at{};
    for (Index r = 0; r < count; ++r) at[r] = own.data() + r * piece;
    for (Index begin = 0; begin < end; begin += piece) {
      const Index stop = std::min(end, begin + piece);
      prepared->compute(begin, stop, at.data());
      for (Index r = 0; r < count; ++r) {
        const Index last = lower ? std::clamp(first + r, begin, stop) : stop;
        out[first + r] += simd::ops<T>().dot(at[r], coef.data() + begin, last - begin);
      }
    }
  });
  return out;
}

}  // namespace

GroupBounds bounds_of(const Problem& problem, const double* beta, const double* g) {
  GroupBounds all = kNoBounds;
  for (Index i = 0; i < problem.n; ++i) {
    Bounds& b = all.of[group_of(problem, i)];
    if (beta[i] < problem.hi[i]) b.up = std::max(b.up, g[i]);
    if (beta[i] > problem.lo[i]) b.low = std::min(b.low, g[i]);
  }
  return all;
}

Judged::Judged(const Problem& problem, const double* beta, double* gradient, base::Context& context)
    : problem_(problem), beta_(beta), g_(gradient), context_(context) {
  for (Index i = 0; i < problem.n; ++i) {
    if (beta[i] == 0.0) continue;
    support_.push_back(i);
    minus_.push_back(-beta[i]);
    sum_ += std::abs(beta[i]);
    square_ += beta[i] * beta[i];
  }
}

double Judged::judge(const Rows& rows, const ExactRows& exact, double tol, bool wants_objective, Result& result) const {
  std::vector<Index> looked_at = sample();
  const auto exact_columns = columns_of_support(exact);
  const Errors found = replace(*exact_columns, looked_at);
  const bool all = static_cast<Index>(looked_at.size()) == problem_.n;
  double error = all ? 0.0 : found.bound();
  const std::vector<Index> sampled = looked_at;
  for (bool grows = !all; grows;) {
    const std::vector<Index> more = may_decide(looked_at, error, tol);
    const double theirs = replace(*exact_columns, more).bound();
    grows = theirs > error;
    error = std::max(error, theirs);
    const auto middle = looked_at.insert(looked_at.end(), more.begin(), more.end());
    std::inplace_merge(looked_at.begin(), middle, looked_at.end());
  }
  describe<double>(problem_, beta_, g_, result);
  if (all || !wants_objective || is_known(result.objective, found)) return error;
  if (support_.size() <= kCheapSupport) {
    result.objective = objective_in(exact, *exact_columns);
    return error;
  }
  const auto columns = columns_of_support(rows);
  std::vector<double> errors = gradients(*columns, sampled);
  for (std::size_t k = 0; k < sampled.size(); ++k) errors[k] -= g_[sampled[k]];
  const bool float_is_enough = is_known(result.objective, summary_of(sampled, errors));
  result.objective = float_is_enough ? objective_in(rows, *columns) : objective_in(exact, *exact_columns);
  return error;
}

// Variables beyond the sample that may decide whether the violation is below tol.
std::vector<Index> Judged::may_decide(const std::vector<Index>& looked_at, double error, double tol) const {
  GroupBounds reached = kNoBounds;
  for (const Index i : looked_at) {
    Bounds& b = reached.of[group_of(problem_, i)];
    if (beta_[i] < problem_.hi[i]) b.up = std::max(b.up, g_[i]);
    if (beta_[i] > problem_.lo[i]) b.low = std::min(b.low, g_[i]);
  }
  // What a gradient may exceed these by before the violation reaches tol.
  const double violation = reached.violation(problem_.equality);
  const double room = 0.5 * (violation < tol ? tol - violation : kOverlooked * tol), reach = error - room;
  std::vector<Index> found;
  for (Index i = 0; i < problem_.n && reach > 0; ++i) {
    const Bounds& b = reached.of[group_of(problem_, i)];
    const bool decides =
        (beta_[i] < problem_.hi[i] && g_[i] + reach > b.up) || (beta_[i] > problem_.lo[i] && g_[i] - reach < b.low);
    if (decides && !std::binary_search(looked_at.begin(), looked_at.end(), i)) found.push_back(i);
  }
  return found;
}

double Judged::Errors::bound() const { return std::max(kDeviations * deviation, kBeyondSample * largest); }

std::vector<Index> Judged::sample() const {
  const Index n = problem_.n;
  std::vector<Index> idx;
  if (n <= 8 * kSpread) {
    idx.resize(n);
    std::iota(idx.begin(), idx.end(), Index{0});
    return idx;
  }
  base::Random random(context_.seed);
  for (Index k = 0; k < kSpread; ++k) {
    const Index begin = k * n / kSpread, end = (k + 1) * n / kSpread;
    idx.push_back(begin + random.below(end - begin));
  }
  for (std::size_t c = 0; c < (problem_.group != nullptr ? 2 : 1); ++c) {
    std::vector<Index> up, low;
    for (Index i = 0; i < n; ++i) {
      if (group_of(problem_, i) != c) continue;
      if (beta_[i] < problem_.hi[i]) up.push_back(i);
      if (beta_[i] > problem_.lo[i]) low.push_back(i);
    }
    keep_first(up, kExtreme, [this](Index a, Index b) { return g_[a] != g_[b] ? g_[a] > g_[b] : a < b; });
    keep_first(low, kExtreme, [this](Index a, Index b) { return g_[a] != g_[b] ? g_[a] < g_[b] : a < b; });
    idx.insert(idx.end(), up.begin(), up.end());
    idx.insert(idx.end(), low.begin(), low.end());
  }
  std::sort(idx.begin(), idx.end());
  idx.erase(std::unique(idx.begin(), idx.end()), idx.end());
  return idx;
}

template <class T>
std::unique_ptr<kernel_matrix::Columns<T>> Judged::columns_of_support(const kernel_matrix::RowSource<T>& rows) const {
  return rows.columns(support_.data(), static_cast<Index>(support_.size()), context_.cap_bytes / 4, *context_.pool);
}

template <class T>
std::vector<double> Judged::gradients(const kernel_matrix::Columns<T>& columns, const std::vector<Index>& idx) const {
  std::vector<double> g = products(columns, minus_, idx, false, *context_.pool);
  for (std::size_t k = 0; k < idx.size(); ++k) g[k] += problem_.q[idx[k]];
  return g;
}

// Their gradients (idx ascending) become those in double.
Judged::Errors Judged::replace(const kernel_matrix::Columns<double>& exact, const std::vector<Index>& idx) const {
  const std::vector<double> g = gradients(exact, idx);
  std::vector<double> errors;
  errors.reserve(idx.size());
  for (std::size_t k = 0; k < idx.size(); ++k) {
    errors.push_back(g_[idx[k]] - g[k]);
    g_[idx[k]] = g[k];
  }
  return summary_of(idx, errors);
}

Judged::Errors Judged::summary_of(const std::vector<Index>& idx, const std::vector<double>& errors) const {
  Errors found;
  if (idx.empty()) return found;
  double squares = 0, signed_sum = 0;
  Index supporting = 0;
  for (std::size_t k = 0; k < idx.size(); ++k) {
    const double b = beta_[idx[k]], d = errors[k];
    squares += d * d;
    found.largest = std::max(found.largest, std::abs(d));
    if (b != 0.0) signed_sum += b > 0 ? d : -d, ++supporting;
  }
  found.deviation = std::sqrt(squares / static_cast<double>(idx.size()));
  if (std::abs(signed_sum) > kCoherent * found.deviation * std::sqrt(static_cast<double>(supporting)))
    found.coherent = std::abs(signed_sum) / static_cast<double>(supporting);
  return found;
}

bool Judged::is_known(double objective, const Errors& errors) const {
  double linear = 0, square = 0;
  for (const Index i : support_) {
    linear += problem_.q[i] * beta_[i];
    square += (problem_.q[i] - g_[i]) * beta_[i];
  }
  const double terms = std::abs(linear) + std::abs(square);
  return std::max(objective_deviations(support_.size()) * std::sqrt(0.5 * square_) * errors.deviation,
                  0.5 * sum_ * errors.coherent) <= std::max(kObjectiveError * std::abs(objective), kTermError * terms);
}

// K is symmetric: values below its diagonal count twice.
template <class T>
double Judged::objective_in(const kernel_matrix::RowSource<T>& rows, const kernel_matrix::Columns<T>& columns) const {
  const std::vector<double> below = products(columns, minus_, support_, true, *context_.pool);
  double sum = 0;
  for (std::size_t t = 0; t < support_.size(); ++t) {
    const double diagonal = static_cast<double>(rows.diagonal(support_[t]));
    sum += minus_[t] * (below[t] + 0.5 * minus_[t] * diagonal + problem_.q[support_[t]]);
  }
  return sum;
}

double judged_objective(const Judged::Rows& rows, const Problem& problem, const double* beta, double* gradient,
                        base::Context& context) {
  const auto exact = rows.in_double(*context.pool);
  if (!exact) return objective_of(problem, beta, gradient);
  Result result;
  Judged(problem, beta, gradient, context).judge(rows, *exact, HUGE_VAL, true, result);
  return result.objective;
}

double judged_objective(const Judged::ExactRows&, const Problem& problem, const double* beta, double* gradient, base::Context&) {
  return objective_of(problem, beta, gradient);
}

}  // namespace dcsvm::qp
