#include "svm/sampled/whole_solution.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::sampled {

void SampledSolution::add_costs(const qp::Result& of) {
  n_iter += of.n_iter;
  peak_bytes = std::max(peak_bytes, of.peak_bytes);
  seconds_rows += of.seconds_rows;
  seconds_inner += of.seconds_inner;
  seconds_select += of.seconds_select;
  seconds_update += of.seconds_update;
}

void SampledSolution::add_round(Index clusters, Index points, std::int64_t steps, base::Clock::time_point start) {
  const auto number = static_cast<int>(rounds.size()) + 1;
  rounds.push_back(
      {number, clusters, {points}, base::seconds_since(start), 0, n_support, objective, violation, steps, {}, {}, {}});
}

template <class T>
svm::Solution solve_on(const WholeProblem<T>& whole, const std::vector<Index>& idx, std::vector<double>& beta,
                       std::vector<double> gradient, qp::Options options, base::Context& context, const Progress& progress) {
  svm::BinaryProblem sample;
  const svm::BinaryProblem& all = whole.binary;
  for (std::size_t t = 0; t < idx.size(); ++t) sample.add(idx[t], all.y[idx[t]], all.hi[idx[t]] - all.lo[idx[t]], beta[t]);
  const auto rows = kernel_matrix::make_subset(whole.rows, idx);
  options.gradient_given = !gradient.empty();
  const auto solution = svm::solve_c_svc(*rows, sample, whole.fit_intercept, options, context, progress,
                                         options.gradient_given ? gradient.data() : nullptr);
  beta = std::move(sample.beta);
  return solution;
}

std::vector<Index> union_of(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

void add_missing_sign(const svm::BinaryProblem& problem, std::vector<Index>& idx) {
  for (const double wanted : {1.0, -1.0}) {
    if (std::any_of(idx.begin(), idx.end(), [&](Index i) { return problem.y[i] == wanted; })) continue;
    const auto found = std::find(problem.y.begin(), problem.y.end(), wanted);
    if (found == problem.y.end()) continue;
    const Index i = found - problem.y.begin();
    idx.insert(std::lower_bound(idx.begin(), idx.end(), i), i);
  }
}

template <class T>
WholeSolution<T>::WholeSolution(const WholeProblem<T>& problem, const std::vector<double>& beta, std::size_t budget,
                                base::ThreadPool& pool, Index part_rows, std::uint64_t seed)
    : problem_(problem), budget_(budget), beta_(beta.size(), 0.0), gradient_(problem.binary.y), path_(beta.size(), 0.0) {
  now_ = std::make_shared<const Coefficients>();
  std::vector<Index> order(beta.size());
  std::iota(order.begin(), order.end(), Index{0});
  set_beta(order, beta);
  const auto n = static_cast<Index>(order.size()), count = std::max<Index>(1, n / part_rows);
  base::Random random(seed);
  for (Index i = n - 1; count > 1 && i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  for (Index p = 0; p < count; ++p) {
    Part part;
    part.idx.assign(order.begin() + n * p / count, order.begin() + n * (p + 1) / count);
    std::sort(part.idx.begin(), part.idx.end());
    part.seen = std::make_shared<const Coefficients>();
    parts_.push_back(std::move(part));
  }
  update_all(pool);
}

template <class T>
void WholeSolution<T>::set_beta(const std::vector<Index>& idx, const std::vector<double>& values) {
  const std::vector<double> before = beta_;
  std::fill(beta_.begin(), beta_.end(), 0.0);
  Coefficients now;
  for (std::size_t t = 0; t < idx.size(); ++t) {
    beta_[idx[t]] = values[t];
    if (values[t] != 0.0) now.emplace_back(idx[t], values[t]);
  }
  for (std::size_t i = 0; i < path_.size(); ++i) path_[i] += std::abs(beta_[i] - before[i]);
  now_ = std::make_shared<const Coefficients>(std::move(now));
}

template <class T>
void WholeSolution<T>::update(Part& part, base::ThreadPool& pool) {
  std::vector<Index> changed;
  std::vector<double> step;  // g -= K step
  const auto end = static_cast<Index>(beta_.size());
  for (auto was = part.seen->begin(), is = now_->begin(); was != part.seen->end() || is != now_->end();) {
    const Index i = std::min(was != part.seen->end() ? was->first : end, is != now_->end() ? is->first : end);
    double d = 0.0;
    if (was != part.seen->end() && was->first == i) d += was++->second;
    if (is != now_->end() && is->first == i) d -= is++->second;
    if (d == 0.0) continue;
    changed.push_back(i);
    step.push_back(d);
  }
  part.seen = now_;
  if (changed.empty()) return;
  const auto n = static_cast<Index>(part.idx.size());
  if (!part.columns) {
    const double share = static_cast<double>(n) / static_cast<double>(beta_.size());
    part.columns =
        problem_.rows.columns(part.idx.data(), n, static_cast<std::size_t>(static_cast<double>(budget_) * share), pool);
  }
  std::vector<double> change(part.idx.size(), 0.0);
  part.columns->multiply(changed.data(), step.data(), static_cast<Index>(changed.size()), change.data(), pool);
  for (std::size_t t = 0; t < change.size(); ++t) gradient_[part.idx[t]] += change[t];
}

template <class T>
void WholeSolution<T>::update_all(base::ThreadPool& pool) {
  for (Part& part : parts_) update(part, pool);
}

template <class T>
Violators WholeSolution<T>::violators(double bias, double slack, Index enough, base::ThreadPool& pool) {
  const svm::BinaryProblem& binary = problem_.binary;
  Violators found;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    if (t > 0 && static_cast<Index>(found.idx.size()) >= enough) {
      found.all = false;
      break;
    }
    Part& part = parts_[next_];
    next_ = (next_ + 1) % parts_.size();
    update(part, pool);
    std::copy_if(part.idx.begin(), part.idx.end(), std::back_inserter(found.idx), [&](Index i) {
      return beta_[i] == 0.0 && binary.lo[i] < binary.hi[i] && binary.y[i] * (gradient_[i] - bias) > slack;
    });
  }
  std::sort(found.idx.begin(), found.idx.end());
  return found;
}

template <class T>
std::size_t WholeSolution<T>::bytes() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.idx.capacity() * sizeof(Index) + (part.columns ? part.columns->bytes() : 0);
  return sum;
}

template <class T>
qp::Origins WholeSolution<T>::origins() const {
  qp::Origins origins;
  origins.known[0].path = path_;
  return origins;
}

template <class T>
std::vector<Index> WholeSolution<T>::support() const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (beta_[i] != 0.0) found.push_back(static_cast<Index>(i));
  }
  return found;
}

template <class T>
double WholeSolution<T>::objective() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < beta_.size(); ++i) sum += beta_[i] * (problem_.binary.y[i] + gradient_[i]);
  return -0.5 * sum;
}

template <class T>
typename WholeSolution<T>::Extremes WholeSolution<T>::extremes() const {
  Extremes found;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (can_grow(i) && gradient_[i] > found.up) found.up = gradient_[i], found.up_at = static_cast<Index>(i);
    if (can_fall(i) && gradient_[i] < found.low) found.low = gradient_[i], found.low_at = static_cast<Index>(i);
  }
  return found;
}

template <class T>
double WholeSolution<T>::violation() const {
  const Extremes e = extremes();
  return std::max(0.0, problem_.fit_intercept ? e.up - e.low : std::max(e.up, -e.low));
}

template <class T>
std::vector<Index> WholeSolution<T>::worst_violators() const {
  const Extremes e = extremes();
  if (e.up_at < 0 || e.low_at < 0 || e.up_at == e.low_at) return {std::max(e.up_at, e.low_at)};
  if (!problem_.fit_intercept) return {e.up > -e.low ? e.up_at : e.low_at};
  return {std::min(e.up_at, e.low_at), std::max(e.up_at, e.low_at)};
}

template <class T>
double WholeSolution<T>::bias() const {
  if (!problem_.fit_intercept) return 0.0;
  double sum = 0.0;
  Index free = 0;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (can_grow(i) && can_fall(i)) sum += gradient_[i], ++free;
  }
  if (free > 0) return sum / static_cast<double>(free);
  const Extremes e = extremes();
  return e.up_at < 0 ? e.low : e.low_at < 0 ? e.up : 0.5 * (e.up + e.low);
}

template <class T>
SampledSolution SampledRun<T>::finish(const SampledOptions& options, std::vector<double>& beta) {
  beta = whole.beta();
  total.peak_bytes += static_cast<std::int64_t>(whole.bytes());
  const bool by_itself = total.stop_reason == StopReason::converged || total.stop_reason == StopReason::stagnated;
  qp::Options last{options.tol, by_itself ? solver.max_iter : 0, options.shrinking};
  last.accepted_tol = options.accepted_tol;
  qp::Result found;
  if (std::isfinite(total.violation)) {
    std::vector<double> gradient = whole.gradient();
    qp::Origins origins = whole.origins();
    last.gradient_given = true;
    last.origins = &origins;
    found =
        qp::solve(problem.rows, problem.binary.qp(problem.fit_intercept), last, beta.data(), gradient.data(), context, progress);
    total.violation = found.violation;
    if (by_itself || found.stop_reason == StopReason::converged) total.stop_reason = found.stop_reason;
  } else {  // the support vectors are known, the violation is not
    const std::vector<Index> support = whole.support();
    std::vector<double> values;
    values.reserve(support.size());
    for (const Index i : support) values.push_back(beta[i]);
    found = solve_on(problem, support, values, {}, last, context, progress);
  }
  // Without free points the support vectors alone leave the bias more room than the last sample did.
  if (std::isfinite(total.violation) || found.n_support > found.n_bounded) total.bias = found.bias;
  total.objective = found.objective;
  total.n_support = found.n_support;
  total.n_bounded = found.n_bounded;
  total.in_double = found.in_double;
  total.add_costs(found);
  return std::move(total);
}

template struct SampledRun<float>;
template struct SampledRun<double>;
template class WholeSolution<float>;
template class WholeSolution<double>;
template svm::Solution solve_on<float>(const WholeProblem<float>&, const std::vector<Index>&, std::vector<double>&,
                                       std::vector<double>, qp::Options, base::Context&, const Progress&);
template svm::Solution solve_on<double>(const WholeProblem<double>&, const std::vector<Index>&, std::vector<double>&,
                                        std::vector<double>, qp::Options, base::Context&, const Progress&);

}  // namespace dcsvm::sampled
