#include "qp/judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "qp/exact_products.hpp"
#include "qp/outcome.hpp"

namespace dcsvm::qp {

namespace {

// Values that are computed at once without an argument: the whole gradient of a small problem costs less than a sample of it.
constexpr double kAllAtOnce = 1 << 16;

constexpr std::size_t kMostOrigins = 6;  // 24 bytes for each variable and origin; more come from solves one after another

constexpr Index kExtreme = 4;  // at either end of each group: the first that may decide

constexpr double kTestFailure = 1e-6;  // probability that gradients in double refute a bound that is right

// A violation is reported to this share of itself, or this share of tol.
constexpr double kDigits = 5e-3, kDigitsOfTol = 1e-3;

constexpr double kLikelyBeyondFound = 1.25;  // what an error of the next gradient may be, in the largest found

// The `count` elements with the largest gradient, or the smallest, in any order.
template <class Compare>
void keep_first(std::vector<Index>& idx, Index count, Compare&& compare) {
  if (static_cast<Index>(idx.size()) <= count) return;
  std::nth_element(idx.begin(), idx.begin() + count, idx.end(), compare);
  idx.resize(count);
}

}  // namespace

Judged::Judged(const Problem& problem, const double* beta, double* gradient, const kernels::Rounding& rounding,
               base::Context& context, const Result& result, std::vector<double> path, Origins origins, const EqualRows& equal)
    : problem_(problem),
      beta_(beta),
      g_(gradient),
      rounding_(rounding),
      context_(context),
      origins_(std::move(origins)),
      path_(std::move(path)),
      left_out_(result.left_out),
      equal_(equal),
      square_(equal.square(beta, nullptr, problem.n)) {
  for (Index i = 0; i < problem.n; ++i) {
    if (beta[i] == 0.0) continue;
    support_.push_back(i);
    minus_beta_.push_back(-beta[i]);
    sum_ += std::abs(beta[i]);
  }
  of_additions_ = bound_of_additions(problem.n, largest_gradient(problem, gradient), most_additions(result, problem.n));
  note_changes();
}

// What gradients of each origin have from float values.
void Judged::note_changes() {
  changes_.clear();
  for (const Origin& origin : origins_.known) {
    double norm1 = 0, square = 0;
    if (!origin.beta.empty()) {
      for (Index i = 0; i < problem_.n; ++i) norm1 += std::abs(beta_[i] - origin.beta[i]);
      square = equal_.square(beta_, origin.beta.data(), problem_.n);
    }
    if (origin.beta.empty() || origin.given) {
      norm1 = std::max(norm1, sum_);
      square = std::max(square, square_);
    }
    std::vector<double> path(static_cast<std::size_t>(problem_.n));
    for (Index i = 0; i < problem_.n; ++i) path[i] = path_of(origin, i);
    const double of_path = equal_.square(path.data(), nullptr, problem_.n);
    const double path1 = std::accumulate(path.begin(), path.end(), 0.0);
    changes_.push_back({norm1, std::sqrt(square), std::max(path1, norm1), std::sqrt(std::max(of_path, square))});
  }
  largest_seen_.assign(changes_.size(), 0.0);
}

double Judged::path_of(const Origin& origin, Index i) const {
  return (path_.empty() ? 0.0 : path_[i]) + (origin.path.empty() ? 0.0 : origin.path[i]);
}

// (b - b0)'K (b - b0) as the gradients tell it, which are wrong: (b - b0)'(g0 - g), where at b0 = 0 g0 is q.
double Judged::square_of_f(const Origin& origin) const {
  double square = 0;
  for (Index i = 0; i < problem_.n; ++i) {
    square +=
        origin.beta.empty() ? beta_[i] * (problem_.q[i] - g_[i]) : (beta_[i] - origin.beta[i]) * (origin.gradient[i] - g_[i]);
  }
  return std::max(square, 0.0);
}

// First without the norms of f, which are then told by gradients that are as wrong as that allows.
Judged::Errors Judged::errors_now() const {
  const auto error_of = [&](std::size_t k, double norm) {
    const Origin& origin = origins_.known[k];
    return error_bound(rounding_, problem_.n, changes_[k], norm, origin.left_out + left_out_).with(of_additions_);
  };
  Errors errors(changes_.size());
  for (std::size_t k = 0; k < errors.size(); ++k) errors[k] = error_of(k, -1.0);
  // Of either bound by itself: `coherent` must not rest on what `bound` assumes.
  const double widest = largest(errors, &GradientError::bound), coherent = largest(errors, &GradientError::coherent);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Origin& origin = origins_.known[k];
    if (origin.given) continue;
    const double square = square_of_f(origin);
    const auto norm = [&](double off, double before) { return std::sqrt(square + changes_[k].norm1 * (off + before)); };
    errors[k] = error_of(k, norm(widest, origin.error));
    errors[k].coherent = error_of(k, norm(coherent, origin.coherent)).coherent;
  }
  return errors;
}

double Judged::left_out() const {
  double largest = 0;
  for (const Origin& origin : origins_.known) largest = std::max(largest, origin.left_out + left_out_);
  return largest;
}

bool Judged::is_known(const Result& result, double tol, bool wants_objective, bool claims) const {
  if (claims && result.stop_reason != StopReason::converged) return false;
  const Errors errors = errors_now();
  // Where the bound is a guess, only gradients in double tell whether it holds.
  for (std::size_t k = 0; k < errors.size(); ++k) {
    if (claims && is_guess(k)) return false;
  }
  const double off = 2.0 * largest(errors, &GradientError::coherent);
  if (claims && !(result.violation + off < tol)) return false;
  return off <= std::max(2.0 * kDigits * result.violation, kDigitsOfTol * tol) &&
         (!wants_objective || 0.25 * sum_ * off <= allowed_error(result.objective));
}

double Judged::judge(const Rows& rows, const ExactRows& exact, double tol, bool wants_objective, Result& result, bool claims) {
  claims_ = claims;
  const Exact support = in_double(exact);
  forget_exact();
  errors_ = errors_now();
  if (static_cast<double>(problem_.n) * static_cast<double>(support_.size()) <= kAllAtOnce) {
    make_all_exact(support);
  } else {
    compute_in_double(support, extremes());
    const double reached_now = reached().violation(problem_.equality);
    // Without need of independent roundings of values no row is drawn, and may_decide() below is asked with that bound.
    bool may_add_up = true;
    for (std::size_t k = 0; k < errors_.size(); ++k)
      may_add_up = may_add_up && !is_guess(k) && (rounding_.alike || reached_now + 2.0 * errors_[k].coherent < tol);
    if (may_add_up) {
      for (GradientError& error : errors_) error.bound = error.coherent;
    } else {
      look_at_sample(support);
    }
    const auto everything = static_cast<Index>(support_.size());
    const Split split = refuted() ? Split{everything, 0.0} : cheapest(support, tol);
    const Index heavy = refuted() ? everything : split.heavy;
    if (heavy >= 0 && heavy < everything) {
      renew(rows, exact, heavy);
      compute_in_double(support, extremes());
      look_at_sample(support);
    }
    std::vector<Index> more;
    while (heavy < everything && !refuted() && !(more = may_decide(tol)).empty()) compute_in_double(support, more);
    if (heavy == everything || refuted()) {
      make_all_exact(support);
    } else if (origins_.known.size() >= kMostOrigins) {
      compute_in_double(support, of_smallest_origin());
    }
  }
  describe<double>(problem_, beta_, g_, result);
  if (!all_exact() && wants_objective) make_objective_known(support, result);
  if (refuted()) {  // by rows that were drawn for the objective
    make_all_exact(support);
    describe<double>(problem_, beta_, g_, result);
  }
  if (all_exact()) return 0.0;
  if (sampled_) return kLikelyBeyondFound * *std::max_element(largest_seen_.begin(), largest_seen_.end());
  return largest(errors_, &GradientError::likely);
}

void Judged::refine(const ExactRows& exact) {
  const Exact support = in_double(exact);
  compute_in_double(support, may_decide(std::nullopt));
  if (refuted()) make_all_exact(support);
}

bool Judged::all_exact() const {
  return !exact_.empty() && std::all_of(exact_.begin(), exact_.end(), [](std::uint8_t e) { return e != 0; });
}

Origins Judged::origins() const {
  Origins now;
  if (all_exact()) {
    now.judged = origins_.judged;
  } else {
    now = origins_;
    now.went(path_);
    for (Origin& origin : now.known) origin.left_out += left_out_;
    if (exact_.empty()) return now;
    now.of.resize(exact_.size(), 0);
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      if (exact_[i] != 0) now.of[i] = static_cast<std::uint8_t>(now.known.size());
    }
    now.known.emplace_back();
  }
  ++now.judged;
  now.known.back() = {{beta_, beta_ + problem_.n},
                      {g_, g_ + problem_.n},
                      largest(errors_, &GradientError::bound),
                      largest(errors_, &GradientError::coherent)};
  now.drop_unused();
  return now;
}

// The gradients that are not in double of the origin that has the fewest of them.
std::vector<Index> Judged::of_smallest_origin() const {
  std::vector<Index> count(origins_.known.size(), 0), found;
  for (Index i = 0; i < problem_.n; ++i) count[origin_of(i)] += exact_[i] == 0;
  const auto least = static_cast<std::size_t>(std::min_element(count.begin(), count.end()) - count.begin());
  for (Index i = 0; i < problem_.n; ++i) {
    if (exact_[i] == 0 && origin_of(i) == least) found.push_back(i);
  }
  return found;
}

void Judged::forget_exact() {
  exact_.assign(static_cast<std::size_t>(problem_.n), 0);
  std::fill(largest_seen_.begin(), largest_seen_.end(), 0.0);
  sampled_ = false;
}

// The gradients in double are few beside n: what refutes the bound is an error above the part of it that is for so many.
bool Judged::refuted() const {
  const auto seen = static_cast<double>(std::count(exact_.begin(), exact_.end(), std::uint8_t{1}));
  const double share = std::min(1.0, factor_of(seen, kTestFailure) / factor_of(static_cast<double>(problem_.n), kFailure));
  for (std::size_t k = 0; k < errors_.size(); ++k) {
    if (!(largest_seen_[k] <= share * errors_[k].bound)) return true;
  }
  return false;
}

void Judged::make_all_exact(const Exact& exact) {
  std::vector<Index> rest;
  for (Index i = 0; i < problem_.n; ++i) {
    if (exact_[i] == 0) rest.push_back(i);
  }
  compute_in_double(exact, rest);
}

GroupBounds Judged::reached() const {
  GroupBounds all = kNoBounds;
  for (Index i = 0; i < problem_.n; ++i) {
    if (exact_[i] == 0) continue;
    all.of[problem_.group_of(i)].see(g_[i], beta_[i]<problem_.hi[i], beta_[i]> problem_.lo[i]);
  }
  return all;
}

// tol: none where no claim is made, and the bound alone tells what may decide.
Judged::Ends Judged::ends(const Errors& errors, std::optional<double> tol) const {
  const GroupBounds known = reached();
  Ends ends{{}, {}, std::vector<std::array<double, 2>>(errors.size())};
  for (std::size_t c = 0; c < 2; ++c) {
    const Bounds& b = known.of[c];
    const double violation = b.violation(problem_.equality);
    double room = 0, digits = HUGE_VAL;
    if (tol.has_value()) {
      // Where the violation is not below tol, it is not, whatever the others are.
      room = claims_ && violation < *tol ? (problem_.equality ? 0.5 : 1.0) * (*tol - violation) : HUGE_VAL;
      digits = 0.25 * std::max(kDigits * violation, kDigitsOfTol * *tol);
    }
    for (std::size_t k = 0; k < errors.size(); ++k)
      ends.reach[k][c] = std::max(errors[k].bound - room, errors[k].likely - digits);
    ends.up[c] = problem_.equality ? b.up : std::max(b.up, 0.0);
    ends.low[c] = problem_.equality ? b.low : std::min(b.low, 0.0);
  }
  return ends;
}

// Whether a variable may lift the violation to tol, or change a digit of it.
bool Judged::decides(const Ends& ends, Index i) const {
  const std::size_t c = problem_.group_of(i);
  const double reach = ends.reach[origin_of(i)][c];
  // A gradient that is not a number decides.
  return (beta_[i] < problem_.hi[i] && !(g_[i] + reach <= ends.up[c])) ||
         (beta_[i] > problem_.lo[i] && !(g_[i] - reach >= ends.low[c]));
}

// Those not yet computed in double.
std::vector<Index> Judged::may_decide(std::optional<double> tol) const {
  const Ends known = ends(errors_, tol);
  std::vector<Index> found;
  for (Index i = 0; i < problem_.n; ++i) {
    if (exact_[i] == 0 && decides(known, i)) found.push_back(i);
  }
  return found;
}

std::vector<Index> Judged::extremes() const {
  const Index n = problem_.n;
  std::vector<Index> idx;
  for (std::size_t c = 0; c < (problem_.group != nullptr ? 2 : 1); ++c) {
    std::vector<Index> up, low;
    for (Index i = 0; i < n; ++i) {
      if (problem_.group_of(i) != c) continue;
      if (beta_[i] < problem_.hi[i]) up.push_back(i);
      if (beta_[i] > problem_.lo[i]) low.push_back(i);
    }
    keep_first(up, kExtreme, [this](Index a, Index b) { return g_[a] != g_[b] ? g_[a] > g_[b] : a < b; });
    keep_first(low, kExtreme, [this](Index a, Index b) { return g_[a] != g_[b] ? g_[a] < g_[b] : a < b; });
    idx.insert(idx.end(), up.begin(), up.end());
    idx.insert(idx.end(), low.begin(), low.end());
  }
  return not_yet_exact(idx);
}

Judged::Exact Judged::in_double(const ExactRows& rows) const {
  const auto size = static_cast<Index>(support_.size());
  return {rows, rows.columns(support_.data(), size, context_.cap_bytes / 4, *context_.pool)};
}

// Their gradients become those in double, and those of all variables of the same points.
void Judged::compute_in_double(const Exact& exact, const std::vector<Index>& idx) {
  const Index per_point = equal_.per_point();
  std::vector<Index> first;  // variable of each point
  for (const Index i : idx) {
    const Index v = i - i % per_point;
    if (first.empty() || first.back() != v) first.push_back(v);
  }
  const std::vector<double> sums =
      exact_products(exact.rows, {support_, minus_beta_, *exact.columns}, first, context_.cap_bytes / 8, *context_.pool);
  for (std::size_t k = 0; k < first.size(); ++k) {
    for (Index i = first[k]; i < first[k] + per_point; ++i) {
      if (exact_[i] != 0) continue;
      const double g = problem_.q[i] + sums[k];
      const std::size_t from = origin_of(i);
      if (const double error = std::abs(g_[i] - g); !(error <= largest_seen_[from])) largest_seen_[from] = error;
      errors_[from].likely = std::max(errors_[from].likely, kLikelyBeyondFound * largest_seen_[from]);
      g_[i] = g;
      exact_[i] = 1;
    }
  }
}

}  // namespace dcsvm::qp
