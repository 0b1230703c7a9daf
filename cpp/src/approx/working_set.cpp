#include "approx/working_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "rows/kernel_rows.hpp"

namespace dcsvm::approx {

namespace {
std::size_t at(Index i) { return static_cast<std::size_t>(i); }
}  // namespace

template <class T>
formulations::Solution solve_on(const PairData<T>& data, const std::vector<Index>& idx, std::vector<double>& beta,
                                std::vector<double> gradient, solver::Options options, base::Context& context,
                                const Progress& progress) {
  std::vector<std::int8_t> sign;
  std::vector<double> upper;
  for (const Index i : idx) {
    sign.push_back(data.sign[i]);
    upper.push_back(data.upper[i]);
  }
  const auto rows = rows::make_subset(data.rows, idx);
  options.gradient_given = !gradient.empty();
  return formulations::solve_pair(*rows, sign.data(), upper.data(), data.fit_intercept, options, beta.data(), context, progress,
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
WholePoint<T>::WholePoint(const PairData<T>& data, const std::vector<double>& beta, std::size_t budget, base::ThreadPool& pool)
    : data_(data), beta_(beta.size(), 0.0), gradient_(beta.size()) {
  std::vector<Index> all(beta.size());
  std::iota(all.begin(), all.end(), Index{0});
  columns_ = data.rows.columns(all.data(), data.rows.size(), budget, pool);
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = data.sign[i];
  move(all, beta, pool);
}

template <class T>
void WholePoint<T>::move(const std::vector<Index>& idx, const std::vector<double>& values, base::ThreadPool& pool) {
  std::vector<double> next(beta_.size(), 0.0);
  for (std::size_t t = 0; t < idx.size(); ++t) next[at(idx[t])] = values[t];
  std::vector<Index> changed;
  std::vector<double> step;  // g -= K step
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] == beta_[i]) continue;
    changed.push_back(static_cast<Index>(i));
    step.push_back(beta_[i] - next[i]);
  }
  beta_ = std::move(next);
  columns_->multiply(changed.data(), step.data(), static_cast<Index>(changed.size()), gradient_.data(), pool);
}

template <class T>
void WholePoint<T>::place(const std::vector<Index>& idx, const std::vector<double>& values) {
  std::fill(beta_.begin(), beta_.end(), 0.0);
  for (std::size_t t = 0; t < idx.size(); ++t) beta_[at(idx[t])] = values[t];
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
double WholePoint<T>::violation() const {
  double up = -std::numeric_limits<double>::infinity(), low = -up;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    const double lo = data_.sign[i] > 0 ? 0.0 : -data_.upper[i], hi = data_.sign[i] > 0 ? data_.upper[i] : 0.0;
    if (beta_[i] < hi) up = std::max(up, gradient_[i]);
    if (beta_[i] > lo) low = std::min(low, gradient_[i]);
  }
  return std::max(0.0, data_.fit_intercept ? up - low : std::max(up, -low));
}

template <class T>
std::vector<Index> WholePoint<T>::violators(double bias, double slack) const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < beta_.size(); ++i) {
    if (beta_[i] == 0.0 && data_.upper[i] > 0.0 && data_.sign[i] * (gradient_[i] - bias) > slack)
      found.push_back(static_cast<Index>(i));
  }
  return found;
}

template class WholePoint<float>;
template class WholePoint<double>;
template formulations::Solution solve_on<float>(const PairData<float>&, const std::vector<Index>&, std::vector<double>&,
                                                std::vector<double>, solver::Options, base::Context&, const Progress&);
template formulations::Solution solve_on<double>(const PairData<double>&, const std::vector<Index>&, std::vector<double>&,
                                                 std::vector<double>, solver::Options, base::Context&, const Progress&);
template void need_both_signs<float>(const PairData<float>&, std::vector<Index>&);
template void need_both_signs<double>(const PairData<double>&, std::vector<Index>&);

}  // namespace dcsvm::approx
