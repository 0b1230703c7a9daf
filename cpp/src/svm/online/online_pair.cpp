#include "svm/online/online_pair.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::online {

namespace {

constexpr double kLeastCurvature = 1e-12;  // LIBSVM's TAU: of K(x, x) where that is below 1
constexpr std::size_t kOneClass = 100;     // most rows of a working set while the other class has none

}  // namespace

template <class T>
OnlinePair<T>::OnlinePair(int first, int second, const Labelled& data, OnlineRows<T>& rows, double tau, double* beta,
                          double* gradient, std::uint8_t* working)
    : first_(first), second_(second), data_(data), rows_(rows), tau_(tau), beta_(beta), gradient_(gradient), working_(working) {
  for (Index i = 0; i < rows.source().size(); ++i) {
    if (working_[i] != 0) members_.push_back(i);
  }
}

template <class T>
typename OnlinePair<T>::Extremes OnlinePair<T>::extremes() const {
  Extremes found;
  for (const Index i : members_) {
    if (beta_[i] < hi(i) && (found.up < 0 || gradient_[i] > gradient_[found.up])) found.up = i;
    if (beta_[i] > lo(i) && (found.low < 0 || gradient_[i] < gradient_[found.low])) found.low = i;
  }
  return found;
}

template <class T>
double OnlinePair<T>::curvature(Index i, Index j, const T* row_i) const {
  const double diagonals = rows_.diagonal(i) + rows_.diagonal(j);
  const double least = kLeastCurvature * (diagonals > 0 ? std::min(diagonals, 1.0) : 1.0);
  return std::max(diagonals - 2.0 * static_cast<double>(row_i[j]), least);
}

// beta_up += t, beta_low -= t. Where t reaches a bound, beta becomes exactly that bound.
template <class T>
void OnlinePair<T>::move(Index up, Index low, double t) {
  const T* row_up = rows_.row(up);
  const T* row_low = rows_.row(low);
  beta_[up] = t >= hi(up) - beta_[up] ? hi(up) : beta_[up] + t;
  beta_[low] = t >= beta_[low] - lo(low) ? lo(low) : beta_[low] - t;
  for (const Index s : members_) gradient_[s] -= t * (static_cast<double>(row_up[s]) - static_cast<double>(row_low[s]));
  ++steps_;
}

template <class T>
void OnlinePair<T>::step(Index up, Index low) {
  const double wanted = (gradient_[up] - gradient_[low]) / curvature(up, low, rows_.row(up));
  move(up, low, std::min({wanted, hi(up) - beta_[up], beta_[low] - lo(low)}));
}

template <class T>
void OnlinePair<T>::process(Index k) {
  const T* row = rows_.row(k);
  double sum = 0;
  for (const Index s : members_) {
    if (beta_[s] != 0.0) sum += beta_[s] * static_cast<double>(row[s]);
  }
  beta_[k] = 0;
  gradient_[k] = label(k) - sum;
  working_[k] = 1;
  members_.push_back(k);
  const Extremes found = extremes();
  const Index up = label(k) > 0 ? k : found.up, low = label(k) > 0 ? found.low : k;
  if (violates(up, low)) step(up, low);
}

template <class T>
void OnlinePair<T>::release(Index i) {
  working_[i] = 0;
  gradient_[i] = 0;
}

template <class T>
void OnlinePair<T>::reprocess(std::vector<Index>& left) {
  Extremes found = extremes();
  if (violates(found.up, found.low)) {
    step(found.up, found.low);
    found = extremes();
  }
  if (found.up < 0 || found.low < 0) {
    if (members_.size() <= kOneClass) return;
    left.push_back(members_.back());
    release(members_.back());
    members_.pop_back();
    return;
  }
  const double least = gradient_[found.low], most = gradient_[found.up];
  const auto beyond = [&](Index i) {
    if (beta_[i] != 0.0 || (label(i) > 0 ? gradient_[i] > least : gradient_[i] < most)) return false;
    left.push_back(i);
    return true;
  };
  members_.erase(std::remove_if(members_.begin(), members_.end(), beyond), members_.end());
  for (const Index i : left) release(i);
}

template <class T>
void OnlinePair<T>::forget(Index r) {
  if (working_[r] == 0) return;
  while (beta_[r] != 0.0) {
    const T* row = rows_.row(r);
    const bool positive = beta_[r] > 0;
    Index partner = -1;
    double best = 0, best_t = 0;
    for (const Index s : members_) {
      const double room = positive ? hi(s) - beta_[s] : beta_[s] - lo(s);
      if (s == r || !(room > 0)) continue;
      const double t = std::min(std::abs(beta_[r]), room);
      const double slope = positive ? gradient_[s] - gradient_[r] : gradient_[r] - gradient_[s];
      const double gain = (slope - 0.5 * t * curvature(r, s, row)) * (std::abs(beta_[r]) / t);
      if (partner < 0 || gain > best) partner = s, best = gain, best_t = t;
    }
    if (partner < 0) {  // only rounding is left
      beta_[r] = 0;
    } else if (positive) {
      move(partner, r, best_t);
    } else {
      move(r, partner, best_t);
    }
  }
  release(r);
  members_.erase(std::find(members_.begin(), members_.end(), r));
}

template <class T>
void OnlinePair<T>::compute_gradient(std::size_t budget, base::ThreadPool& pool) {
  std::vector<Index> support;
  std::vector<double> coef;
  for (const Index i : members_) {
    if (beta_[i] == 0.0) continue;
    support.push_back(i);
    coef.push_back(beta_[i]);
  }
  const auto m = static_cast<Index>(members_.size());
  std::vector<double> sums(members_.size(), 0.0);
  if (!support.empty())
    rows_.source().multiply(members_.data(), m, support.data(), coef.data(), static_cast<Index>(support.size()), sums.data(),
                            budget, pool);
  for (std::size_t p = 0; p < members_.size(); ++p) gradient_[members_[p]] = label(members_[p]) - sums[p];
}

template <class T>
double OnlinePair<T>::bias() const {
  const Extremes found = extremes();
  if (found.up >= 0 && found.low >= 0) return 0.5 * (gradient_[found.up] + gradient_[found.low]);
  return found.up >= 0 ? gradient_[found.up] : found.low >= 0 ? gradient_[found.low] : 0.0;
}

template <class T>
double OnlinePair<T>::violation() const {
  const Extremes found = extremes();
  return found.up >= 0 && found.low >= 0 ? std::max(gradient_[found.up] - gradient_[found.low], 0.0) : 0.0;
}

template <class T>
double OnlinePair<T>::objective() const {
  double sum = 0;  // K beta = y - g, so f(beta) = -1/2 beta'(y + g)
  for (const Index i : members_) sum -= 0.5 * beta_[i] * (label(i) + gradient_[i]);
  return sum;
}

template class OnlinePair<float>;
template class OnlinePair<double>;

}  // namespace dcsvm::online
