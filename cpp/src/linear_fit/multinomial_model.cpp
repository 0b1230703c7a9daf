#include "linear_fit/multinomial_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/vectors.hpp"
#include "linear_fit/l1.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/stopping.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr Index kPassesBetween = 8;  // of descent, before conjugate gradients (pendigits, usps: 4 is the same, 2 is slower)

/// Sums over the nonzero weights, as ConjugateGradients takes them.
struct NonzeroSums {
  std::size_t size;
  double dot(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += a[k] * b[k];
    return sum;
  }
  template <class Fn>
  void each(const Fn& fn) const {
    for (std::size_t k = 0; k < size; ++k) fn(k);
  }
};

}  // namespace

MultinomialModel::MultinomialModel(const MultinomialProblem& problem, const products::Columns& columns, Index width,
                                   std::uint64_t seed, base::ThreadPool& pool)
    : problem_(problem),
      columns_(columns),
      pool_(pool),
      n_(problem.rows()),
      d_(problem.cols()),
      k_(problem.classes),
      width_(width),
      random_(seed),
      most_(static_cast<std::size_t>(d_), 0.0),
      changes_(n_ * width_),
      along_(n_ * width_),
      curvature_(n_ * width_),
      of_mean_(static_cast<std::size_t>(n_), 1.0) {
  s_.assign(static_cast<std::size_t>(d_ * width_), 0.0);
  h_ = direction_ = s_;
  pool_.for_range(d_, products::kLinePiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) columns_.each(j, [&](Index, double x) { most_[j] = std::max(most_[j], std::abs(x)); });
  });
}

double MultinomialModel::bytes(Index rows, Index width) {
  return (2.0 * sizeof(double) + sizeof(float)) * static_cast<double>(rows * width);
}

void MultinomialModel::set(const std::vector<double>& w, const std::vector<double>& g, const base::Buffer<float>& p,
                           std::vector<Index> chosen) {
  w_ = &w;
  g_ = &g;
  p_ = &p;
  chosen_ = std::move(chosen);
  set_curvature();
}

void MultinomialModel::damp(double t) { damping_ = damped(damping_, 0.0, t, mean_curvature_); }

void MultinomialModel::set_curvature() {
  pool_.for_range(n_, products::kLinePiece, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const float* p = probabilities(i);
      float* to = curvature_.data() + i * width_;
      const int y = problem_.class_of[i];
      float others = 0;
      for (Index m = 0; m < width_; ++m) {
        to[m] = p[m] * (1.0F - p[m]);
        others += m == y ? 0.0F : p[m];
      }
      to[y] = p[y] * others;
      const double sum = static_cast<double>(p[y]) + static_cast<double>(others);
      of_mean_[i] = sum > 0 ? 1.0 / sum : 0.0;  // rows of weight 0 have no probabilities
    }
  });
  pool_.for_range(static_cast<Index>(chosen_.size()), 1, [&](Index begin, Index end, int) {
    for (Index c = begin; c < end; ++c) {
      double* const h = h_.data() + chosen_[c] * width_;
      std::fill_n(h, width_, 0.0);
      columns_.each(chosen_[c], [&](Index i, double x) {
        const double weight = problem_.C[i] * x * x;
        const float* own = curvature_.data() + i * width_;
        for (Index m = 0; m < width_; ++m) h[m] += weight * static_cast<double>(own[m]);
      });
    }
  });
  double sum = 0;
  for (const Index j : chosen_) {
    for (Index m = 0; m < k_; ++m) sum += h_[j * width_ + m];
  }
  mean_curvature_ = sum / static_cast<double>(std::max<std::size_t>(1, chosen_.size() * static_cast<std::size_t>(k_)));
  damping_ = std::max(damping_, kTiny * mean_curvature_);
}

void MultinomialModel::column_sums(Index j, const base::Buffer<double>& changes, double* g) const {
  std::fill_n(g, width_, 0.0);
  columns_.pieces(j, [&](const auto* values, const std::int32_t* rows, Index count) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(*values)>>;
    simd::lane_ops<T>().dot(values, rows, count, changes.data(), width_, g);
  });
}

void MultinomialModel::slopes(Index j, double* g) const {
  column_sums(j, changes_, g);
  for (Index m = 0; m < k_; ++m) g[m] += (*g_)[j * width_ + m] + damping_ * s_[j * width_ + m];
}

void MultinomialModel::move(Index j, const double* delta) {
  columns_.each(j, [&](Index i, double x) {
    const float* const p = probabilities(i);
    double* const to = changes_.data() + i * width_;
    double mean = 0;
    for (Index m = 0; m < width_; ++m) mean += static_cast<double>(p[m]) * delta[m];
    mean *= of_mean_[i];
    const double weight = problem_.C[i] * x;
    for (Index m = 0; m < width_; ++m) to[m] += weight * static_cast<double>(p[m]) * (delta[m] - mean);
  });
}

void MultinomialModel::multiply() {
  std::fill_n(along_.data(), n_ * width_, 0.0);
  for (const Index j : of_nonzero_) {
    const double* const from = direction_.data() + j * width_;
    columns_.each(j, [&](Index i, double x) {
      double* const to = along_.data() + i * width_;
      for (Index m = 0; m < width_; ++m) to[m] += x * from[m];
    });
  }
  pool_.for_range(n_, products::kLinePiece, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const float* const p = probabilities(i);
      double* const u = along_.data() + i * width_;
      double mean = 0;
      for (Index m = 0; m < width_; ++m) mean += static_cast<double>(p[m]) * u[m];
      mean *= of_mean_[i];
      for (Index m = 0; m < width_; ++m) u[m] = problem_.C[i] * static_cast<double>(p[m]) * (u[m] - mean);
    }
  });
}

void MultinomialModel::multiply_direction() {
  for (std::size_t k = 0; k < nonzero_.size(); ++k) direction_[nonzero_[k]] = cg_.direction[k];
  multiply();
  pool_.for_range(static_cast<Index>(of_nonzero_.size()), 1, [&](Index begin, Index end, int) {
    std::vector<double> g(static_cast<std::size_t>(width_));
    for (Index c = begin; c < end; ++c) {
      column_sums(of_nonzero_[c], along_, g.data());
      std::copy_n(g.data(), width_, direction_.data() + of_nonzero_[c] * width_);
    }
  });
  for (std::size_t k = 0; k < nonzero_.size(); ++k) {
    const Index t = nonzero_[k];
    cg_.image[k] = direction_[t] + (damping_ + problem_.of(t / width_).l2) * cg_.direction[k];
  }
  for (const Index j : of_nonzero_) std::fill_n(direction_.data() + j * width_, width_, 0.0);
  ++n_passes_;
}

void MultinomialModel::solve_nonzero(double accuracy, const std::function<bool()>& ends) {
  nonzero_.clear();
  of_nonzero_.clear();
  std::vector<double> b, slopes_of(static_cast<std::size_t>(width_));
  for (const Index j : chosen_) {
    const Penalty penalty = problem_.of(j);
    slopes(j, slopes_of.data());
    for (Index m = 0; m < k_; ++m) {
      const Index t = j * width_ + m;
      const double u = (*w_)[t] + s_[t];
      // A constant in a free weight of all classes changes nothing: that of the last one stays.
      if (u == 0 || (penalty.none() && m == k_ - 1)) continue;
      if (of_nonzero_.empty() || of_nonzero_.back() != j) of_nonzero_.push_back(j);
      nonzero_.push_back(t);
      b.push_back(-(slopes_of[m] + penalty.l2 * u + std::copysign(penalty.l1, u)));
    }
  }
  const NonzeroSums sums{nonzero_.size()};
  cg_.begin(b, sums);
  double model = 0;
  while (cg_.steps < kMostInnerPasses && !ends()) {
    for (std::size_t k = 0; k < nonzero_.size(); ++k) {
      const Index t = nonzero_[k];
      cg_.preconditioned[k] = cg_.residual[k] / (h_[t] + damping_ + problem_.of(t / width_).l2);
    }
    if (cg_.turn(sums) <= multinomial::kSolved * cg_.first_square) break;
    multiply_direction();
    if (!(cg_.advance(sums) > 0)) break;
    model += cg_.gain;
    if (static_cast<double>(cg_.steps) * cg_.gain <= accuracy * model) break;
  }
  double slope = 0, bend = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    slope -= b[k] * cg_.solution[k];
    bend += (b[k] - cg_.residual[k]) * cg_.solution[k];
  }
  if (!(slope < 0 && bend > 0)) return;
  Index zero = -1;
  const double part = best_part(slope, bend, zero);
  for (std::size_t k = 0; k < b.size(); ++k) {
    const Index t = nonzero_[k];
    direction_[t] = t == zero ? -((*w_)[t] + s_[t]) : part * cg_.solution[k];
    s_[t] = t == zero ? -(*w_)[t] : s_[t] + direction_[t];
  }
  multiply();
  for (const Index j : of_nonzero_) std::fill_n(direction_.data() + j * width_, width_, 0.0);
  for (Index at = 0; at < n_ * width_; ++at) changes_.data()[at] += along_.data()[at];
}

double MultinomialModel::best_part(double slope, double bend, Index& zero) const {
  std::vector<std::pair<double, Index>> kinks;
  for (std::size_t k = 0; k < nonzero_.size(); ++k) {
    const Index t = nonzero_[k];
    const double at = -((*w_)[t] + s_[t]) / cg_.solution[k];
    if (at > 0 && slope + at * bend < 0 && problem_.of(t / width_).l1 > 0) kinks.emplace_back(at, static_cast<Index>(k));
  }
  std::sort(kinks.begin(), kinks.end());
  for (const auto& [at, k] : kinks) {
    if (slope + at * bend >= 0) break;
    slope += 2.0 * problem_.penalty.l1 * std::abs(cg_.solution[k]);
    if (slope + at * bend < 0) continue;
    zero = nonzero_[k];
    return at;
  }
  return -slope / bend;
}

void MultinomialModel::solve(double accuracy, const std::function<bool()>& ends) {
  std::fill(s_.begin(), s_.end(), 0.0);
  std::fill_n(changes_.data(), n_ * width_, 0.0);
  std::vector<Index> active = chosen_;
  std::vector<double> g(static_cast<std::size_t>(width_)), delta(static_cast<std::size_t>(width_));
  double margin = -1.0, first = -1.0;
  for (Index pass = 0; pass < kMostInnerPasses && !ends(); ++pass) {
    base::shuffle(active, random_);
    const bool all = active.size() == chosen_.size();
    std::size_t kept = 0;
    double squares = 0, most = 0;
    for (const Index j : active) {
      const Penalty penalty = problem_.of(j);
      slopes(j, g.data());
      bool moves = false, stays = margin >= 0;
      const double longest = most_[j] > 0 ? kMostMove / most_[j] : kInfinity;
      std::fill(delta.begin(), delta.end(), 0.0);
      for (Index m = 0; m < k_; ++m) {
        const Index t = j * width_ + m;
        const double u = (*w_)[t] + s_[t], far = penalty.distance(u, g[m]), h = 2.0 * h_[t] + damping_;  // a bound
        stays = stays && u == 0 && penalty.keeps_zero(g[m], margin);
        squares += far * far;
        most = std::max(most, far);
        if (far == 0) continue;
        delta[m] = std::clamp(penalty.step(u, g[m], h), -longest, longest);
        s_[t] = u + delta[m] == 0 ? -(*w_)[t] : s_[t] + delta[m];
        moves = moves || delta[m] != 0;
      }
      if (moves) move(j, delta.data());
      if (!stays) active[kept++] = j;
    }
    active.resize(kept);
    ++n_passes_;
    if (first < 0) first = squares;
    if (squares <= accuracy * accuracy * first) {
      if (all) return;
      active = chosen_;
      margin = -1.0;
      continue;
    }
    margin = std::min(most, kNearActive * problem_.penalty.l1);
    if (pass % kPassesBetween == kPassesBetween - 1) solve_nonzero(accuracy, ends);
  }
}

}  // namespace dcsvm::linear_fit
