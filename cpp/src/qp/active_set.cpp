#include "qp/active_set.hpp"

namespace dcsvm::qp {

double Bounds::violation(bool equality) const {
  if (equality) return up > low ? up - low : 0.0;
  return std::max({up, -low, 0.0});
}

void GroupBounds::merge(const GroupBounds& other) {
  for (std::size_t c = 0; c < 2; ++c) {
    of[c].up = std::max(of[c].up, other.of[c].up);
    of[c].low = std::min(of[c].low, other.of[c].low);
  }
}

template <class T>
void ActiveSet<T>::begin(const kernel_matrix::RowSource<T>& source, const Problem& problem, double* full_beta, double* gradient) {
  source_ = &source;
  problem_ = &problem;
  full_beta_ = full_beta;
  full_g_ = gradient;
  activate_all();
}

template <class T>
void ActiveSet<T>::activate_all() {
  idx.resize(problem_->n);
  for (Index i = 0; i < problem_->n; ++i) idx[i] = i;
  events_.clear();
  base_ = 0;
  load();
}

template <class T>
void ActiveSet<T>::load() {
  const auto gather = [&](const double* from, std::vector<double>& to) {
    to.resize(idx.size());
    for (std::size_t p = 0; p < idx.size(); ++p) to[p] = from[idx[p]];
  };
  gather(full_beta_, beta);
  gather(full_g_, g);
  gather(problem_->lo, lo);
  gather(problem_->hi, hi);
  if (problem_->group == nullptr) return group.clear();
  group.resize(idx.size());
  for (std::size_t p = 0; p < idx.size(); ++p) group[p] = problem_->group[idx[p]];
}

template <class T>
void ActiveSet<T>::write_back() {
  for (std::size_t p = 0; p < idx.size(); ++p) {
    full_beta_[idx[p]] = beta[p];
    full_g_[idx[p]] = g[p];
  }
}

template <class T>
GroupBounds ActiveSet<T>::bounds(Index begin, Index end) const {
  GroupBounds all = kNoBounds;
  if (group.empty()) {
    Bounds b = all.of[0];
    for (Index p = begin; p < end; ++p) b.see(g[p], in_up(p), in_low(p));
    all.of[0] = b;
    return all;
  }
  for (Index p = begin; p < end; ++p) all.of[group[p]].see(g[p], in_up(p), in_low(p));
  return all;
}

template <class T>
std::vector<Index> ActiveSet<T>::unshrinkable(const GroupBounds& bounds) const {
  // Without equality the variables are independent: the thresholds are those of the largest violation.
  std::array<double, 2> floor{}, ceiling{};
  for (std::size_t c = 0; c < 2; ++c) {
    const Bounds& b = bounds.of[c];
    floor[c] = problem_->equality ? b.low : -std::max(b.up, -b.low);
    ceiling[c] = problem_->equality ? b.up : std::max(b.up, -b.low);
  }
  std::vector<Index> keep;
  keep.reserve(idx.size());
  for (Index p = 0; p < size(); ++p) {
    const bool up = in_up(p), low = in_low(p);
    const std::size_t c = group_of(p);
    if ((up && low) || (up && g[p] >= floor[c]) || (low && g[p] <= ceiling[c])) keep.push_back(p);
  }
  return keep;
}

template <class T>
std::vector<Index> ActiveSet<T>::within(const std::array<double, 2>& centre, double band) const {
  std::vector<Index> keep;
  for (Index p = 0; p < size(); ++p) {
    const double middle = centre[group_of(p)];
    if ((in_up(p) && g[p] >= middle - band) || (in_low(p) && g[p] <= middle + band)) keep.push_back(p);
  }
  return keep;
}

template <class T>
void ActiveSet<T>::shrink(const std::vector<Index>& keep) {
  write_back();
  Event event;
  std::size_t k = 0;
  std::vector<Index> kept;
  kept.reserve(keep.size());
  for (Index p = 0; p < size(); ++p) {
    if (k < keep.size() && keep[k] == p) {
      kept.push_back(idx[p]);
      ++k;
    } else {
      event.dropped.push_back(idx[p]);
    }
  }
  idx = std::move(kept);
  load();
  event.active = idx;
  event.beta = beta;
  events_.push_back(std::move(event));
}

template <class T>
double ActiveSet<T>::reconstruct(std::size_t first, std::size_t budget, base::ThreadPool& pool) {
  write_back();
  std::vector<Index> changed;
  std::vector<double> change, update;
  double largest = 0.0;
  for (std::size_t e = first; e < events_.size(); ++e) {
    const Event& event = events_[e];
    double sum = 0.0;
    changed.clear();
    change.clear();
    for (std::size_t p = 0; p < event.active.size(); ++p) {
      const double delta = full_beta_[event.active[p]] - event.beta[p];
      if (delta == 0.0) continue;
      changed.push_back(event.active[p]);
      change.push_back(-delta);
      sum += std::abs(delta);
    }
    largest = std::max(largest, sum);
    if (changed.empty()) continue;
    const auto n = static_cast<Index>(event.dropped.size());
    update.assign(event.dropped.size(), 0.0);
    source_->multiply(event.dropped.data(), n, changed.data(), change.data(), static_cast<Index>(changed.size()), update.data(),
                      budget, pool);
    for (std::size_t p = 0; p < event.dropped.size(); ++p) full_g_[event.dropped[p]] += update[p];
  }
  return largest;
}

template <class T>
void ActiveSet<T>::shrink_to_base(const std::vector<Index>& keep) {
  shrink(keep);
  base_ = events_.size();
}

template <class T>
void ActiveSet<T>::return_to_base(std::size_t budget, base::ThreadPool& pool) {
  reconstruct(base_, budget, pool);
  idx = events_[base_ - 1].active;
  events_.resize(base_);
  load();
}

template class ActiveSet<float>;
template class ActiveSet<double>;

}  // namespace dcsvm::qp
