#include "svm/sampled/whole_problem.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::sampled {

template <class T>
svm::Solution solve_on(const PairData<T>& data, const std::vector<Index>& idx, std::vector<double>& beta,
                       std::vector<double> gradient, qp::Options options, base::Context& context, const Progress& progress) {
  std::vector<std::int8_t> sign;
  std::vector<double> upper;
  for (const Index i : idx) {
    sign.push_back(data.sign[i]);
    upper.push_back(data.upper[i]);
  }
  const auto rows = kernel_matrix::make_subset(data.rows, idx);
  options.gradient_given = !gradient.empty();
  return svm::solve_pair(*rows, sign.data(), upper.data(), data.fit_intercept, options, beta.data(), context, progress,
                         options.gradient_given ? gradient.data() : nullptr);
}

template <class T>
void need_both_signs(const PairData<T>& data, std::vector<Index>& idx) {
  for (const int wanted : {1, -1}) {
    if (std::any_of(idx.begin(), idx.end(), [&](Index i) { return data.sign[i] == wanted; })) continue;
    for (Index i = 0; i < data.rows.size(); ++i) {
      if (data.sign[i] != wanted) continue;
      idx.insert(std::lower_bound(idx.begin(), idx.end(), i), i);
      break;
    }
  }
}

template <class T>
WholePoint<T>::WholePoint(const PairData<T>& data, const std::vector<double>& beta, std::size_t budget, base::ThreadPool& pool,
                          Index part_rows, std::uint64_t seed)
    : data_(data), budget_(budget), beta_(beta.size(), 0.0), gradient_(data.sign, data.sign + beta.size()) {
  now_ = std::make_shared<const Coefficients>();
  std::vector<Index> order(beta.size());
  std::iota(order.begin(), order.end(), Index{0});
  place(order, beta);
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
  look(pool);
}

template <class T>
void WholePoint<T>::place(const std::vector<Index>& idx, const std::vector<double>& values) {
  std::fill(beta_.begin(), beta_.end(), 0.0);
  Coefficients now;
  for (std::size_t t = 0; t < idx.size(); ++t) {
    beta_[idx[t]] = values[t];
    if (values[t] != 0.0) now.emplace_back(idx[t], values[t]);
  }
  now_ = std::make_shared<const Coefficients>(std::move(now));
}

template <class T>
void WholePoint<T>::update(Part& part, base::ThreadPool& pool) {
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
    part.columns = data_.rows.columns(part.idx.data(), n, static_cast<std::size_t>(static_cast<double>(budget_) * share), pool);
  }
  std::vector<double> change(part.idx.size(), 0.0);
  part.columns->multiply(changed.data(), step.data(), static_cast<Index>(changed.size()), change.data(), pool);
  for (std::size_t t = 0; t < change.size(); ++t) gradient_[part.idx[t]] += change[t];
}

template <class T>
void WholePoint<T>::look(base::ThreadPool& pool) {
  for (Part& part : parts_) update(part, pool);
}

template <class T>
Violators WholePoint<T>::violators(double bias, double slack, Index enough, base::ThreadPool& pool) {
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
      return beta_[i] == 0.0 && data_.upper[i] > 0.0 && data_.sign[i] * (gradient_[i] - bias) > slack;
    });
  }
  std::sort(found.idx.begin(), found.idx.end());
  return found;
}

template <class T>
std::size_t WholePoint<T>::bytes() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.idx.capacity() * sizeof(Index) + (part.columns ? part.columns->bytes() : 0);
  return sum;
}

template <class T>
std::vector<Index> WholePoint<T>::support() const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (beta_[i] != 0.0) found.push_back(static_cast<Index>(i));
  }
  return found;
}

template <class T>
double WholePoint<T>::objective() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < beta_.size(); ++i) sum += beta_[i] * (data_.sign[i] + gradient_[i]);
  return -0.5 * sum;
}

template <class T>
typename WholePoint<T>::Extremes WholePoint<T>::extremes() const {
  Extremes found;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (below_high(i) && gradient_[i] > found.up) found.up = gradient_[i], found.up_at = static_cast<Index>(i);
    if (above_low(i) && gradient_[i] < found.low) found.low = gradient_[i], found.low_at = static_cast<Index>(i);
  }
  return found;
}

template <class T>
double WholePoint<T>::violation() const {
  const Extremes e = extremes();
  return std::max(0.0, data_.fit_intercept ? e.up - e.low : std::max(e.up, -e.low));
}

template <class T>
std::vector<Index> WholePoint<T>::worst() const {
  const Extremes e = extremes();
  if (e.up_at < 0 || e.low_at < 0 || e.up_at == e.low_at) return {std::max(e.up_at, e.low_at)};
  if (!data_.fit_intercept) return {e.up > -e.low ? e.up_at : e.low_at};
  return {std::min(e.up_at, e.low_at), std::max(e.up_at, e.low_at)};
}

template <class T>
double WholePoint<T>::bias() const {
  if (!data_.fit_intercept) return 0.0;
  double sum = 0.0;
  Index free = 0;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (below_high(i) && above_low(i)) sum += gradient_[i], ++free;
  }
  if (free > 0) return sum / static_cast<double>(free);
  const Extremes e = extremes();
  return e.up_at < 0 ? e.low : e.low_at < 0 ? e.up : 0.5 * (e.up + e.low);
}

template class WholePoint<float>;
template class WholePoint<double>;
template svm::Solution solve_on<float>(const PairData<float>&, const std::vector<Index>&, std::vector<double>&,
                                       std::vector<double>, qp::Options, base::Context&, const Progress&);
template svm::Solution solve_on<double>(const PairData<double>&, const std::vector<Index>&, std::vector<double>&,
                                        std::vector<double>, qp::Options, base::Context&, const Progress&);
template void need_both_signs<float>(const PairData<float>&, std::vector<Index>&);
template void need_both_signs<double>(const PairData<double>&, std::vector<Index>&);

}  // namespace dcsvm::sampled
