#include "dc_pred/refine_landmarks.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "dc_pred/leaf_features.hpp"
#include "optimise/line_search.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

using Vector = std::vector<double>;

constexpr Index kLandmarkGrain = 512;  // rows of one piece of work
constexpr std::size_t kMemory = 10;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The objective over z = (u, m x d | beta, outputs x m | b, outputs).
class Objective {
 public:
  Objective(const RefineProblem& p, Index m, base::ThreadPool& pool) : p_(p), m_(m), pool_(pool) {
    map_.kind = KernelType::rbf;
    map_.gamma = static_cast<float>(p.gamma);
  }

  Index size() const { return m_ * p_.rows.d + p_.outputs * (m_ + 1); }

  double operator()(const Vector& z, Vector& gradient) const {
    unpack(z);
    const Index d = p_.rows.d, pieces = (p_.rows.n + kLandmarkGrain - 1) / kLandmarkGrain;
    std::vector<Piece> parts(pieces);
    pool_.for_range(p_.rows.n, kLandmarkGrain,
                    [&](Index begin, Index end, int) { parts[begin / kLandmarkGrain] = piece(begin, end); });
    gradient.assign(z.size(), 0.0);
    double value = 0;
    for (const Piece& part : parts) {
      value += part.value;
      for (Index j = 0; j < m_; ++j) {
        for (Index k = 0; k < d; ++k) gradient[j * d + k] += double{part.u[j * p_.rows.stride + k]};
      }
      for (Index o = 0; o < p_.outputs * (m_ + 1); ++o) gradient[m_ * d + o] += part.beta[o];
    }
    const double* beta = z.data() + m_ * d;
    for (Index o = 0; o < p_.outputs * m_; ++o) {
      value += 0.5 * beta[o] * beta[o];
      gradient[m_ * d + o] += beta[o];
    }
    return value;
  }

 private:
  struct Piece {
    double value = 0;
    std::vector<float> u;  // m x stride
    Vector beta;           // outputs x m, then outputs
  };

  void unpack(const Vector& z) const {
    const Index d = p_.rows.d, stride = p_.rows.stride;
    std::vector<float> u(m_ * stride, 0.0F);
    for (Index j = 0; j < m_; ++j) {
      for (Index k = 0; k < d; ++k) u[j * stride + k] = static_cast<float>(z[j * d + k]);
    }
    basis_ = make_basis(std::move(u), m_, d, stride, map_.gamma);
    coef_.assign(z.begin() + m_ * d, z.end());
  }

  Piece piece(Index begin, Index end) const {
    const Index stride = p_.rows.stride;
    const FeatureKind kind{map_, PseudoLandmarks::none};
    Piece part;
    part.u.assign(m_ * stride, 0.0F);
    part.beta.assign(p_.outputs * (m_ + 1), 0.0);
    constexpr Index kRows = 16;  // at a time
    std::vector<float> room(basis_.room(kRows)), block(static_cast<std::size_t>(kRows * basis_.width()));
    std::vector<const float*> rows(static_cast<std::size_t>(kRows));
    Vector pull(static_cast<std::size_t>(m_));
    for (Index i = begin; i < end; ++i) {
      const Index r = (i - begin) % kRows;
      if (r == 0) {
        const Index count = std::min(kRows, end - i);
        for (Index q = 0; q < count; ++q) rows[q] = p_.rows.row(i + q);
        leaf_features(kind, basis_, rows.data(), p_.rows.norms + i, count, room.data(), block.data());
      }
      const float* c = block.data() + r * basis_.width();
      bool counts = false;
      std::fill(pull.begin(), pull.end(), 0.0);
      for (Index o = 0; o < p_.outputs; ++o) {
        const double* beta = coef_.data() + o * m_;
        double f = coef_[p_.outputs * m_ + o];
        for (Index j = 0; j < m_; ++j) f += beta[j] * double{c[j]};
        const double y = p_.targets[o * p_.rows.n + i], missing = y - f;
        if (!p_.squared && y * f >= 1) continue;
        part.value += p_.C[i] * missing * missing;
        const double slope = -2 * p_.C[i] * missing;
        for (Index j = 0; j < m_; ++j) {
          part.beta[o * m_ + j] += slope * double{c[j]};
          pull[j] += slope * beta[j];
        }
        if (p_.fit_intercept) part.beta[p_.outputs * m_ + o] += slope;
        counts = true;
      }
      if (!counts) continue;
      for (Index j = 0; j < m_; ++j) {  // d c_j / d u_j = 2 gamma c_j (x - u_j)
        const auto scale = static_cast<float>(2 * p_.gamma * pull[j] * double{c[j]});
        const float *x = p_.rows.row(i), *u = basis_.landmarks.data() + j * stride;
        float* to = part.u.data() + j * stride;
        for (Index k = 0; k < stride; ++k) to[k] += scale * (x[k] - u[k]);
      }
    }
    return part;
  }

  const RefineProblem& p_;
  Index m_;
  base::ThreadPool& pool_;
  simd::MapParams<float> map_;
  mutable LeafBasis basis_;
  mutable Vector coef_;
};

struct Step {
  Vector s, y;
  double rho = 0;
};

/// Two-loop recursion: -H g.
Vector descent(const Vector& gradient, const std::deque<Step>& memory) {
  Vector q = gradient;
  std::vector<double> a(memory.size());
  for (std::size_t i = memory.size(); i-- > 0;) {
    a[i] = memory[i].rho * dot(memory[i].s, q);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] -= a[i] * memory[i].y[k];
  }
  if (!memory.empty()) {
    const double scale = 1 / (memory.back().rho * dot(memory.back().y, memory.back().y));
    for (double& v : q) v *= scale;
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const double b = memory[i].rho * dot(memory[i].y, q);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += (a[i] - b) * memory[i].s[k];
  }
  for (double& v : q) v = -v;
  return q;
}

double minimise(const Objective& objective, int max_steps, Vector& z) {
  Vector gradient, next, next_gradient;
  double value = objective(z, gradient);
  std::deque<Step> memory;
  for (int step = 0; step < max_steps; ++step) {
    Vector direction = descent(gradient, memory);
    const double slope = dot(gradient, direction);
    const double size = std::sqrt(dot(gradient, gradient));
    if (!(size > 0) || !std::isfinite(size)) break;
    const auto value_after = [&](double t) {
      next = z;
      for (std::size_t k = 0; k < z.size(); ++k) next[k] += t * direction[k];
      return objective(next, next_gradient);
    };
    const auto [length, next_value] =
        slope < 0 ? optimise::armijo(value_after, value, slope, memory.empty() ? 1 / size : 1.0) : optimise::LineStep();
    if (!(length > 0)) {
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    Step made;
    made.s.resize(z.size());
    made.y.resize(z.size());
    for (std::size_t k = 0; k < z.size(); ++k) {
      made.s[k] = next[k] - z[k];
      made.y[k] = next_gradient[k] - gradient[k];
    }
    const double curvature = dot(made.s, made.y);
    const bool flat = value - next_value <= 1e-7 * value;
    if (curvature > 1e-12 * dot(made.y, made.y)) {
      made.rho = 1 / curvature;
      memory.push_back(std::move(made));
      if (memory.size() > kMemory) memory.pop_front();
    }
    std::swap(z, next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (flat) break;
  }
  return value;
}

}  // namespace

double refine_landmarks(const RefineProblem& problem, int max_steps, base::ThreadPool& pool, std::vector<float>& landmarks) {
  const Index stride = problem.rows.stride, d = problem.rows.d, m = static_cast<Index>(landmarks.size()) / stride;
  if (m == 0) return 0.0;
  const Objective objective(problem, m, pool);
  Vector z(static_cast<std::size_t>(objective.size()), 0.0);
  for (Index j = 0; j < m; ++j) {
    for (Index k = 0; k < d; ++k) z[j * d + k] = double{landmarks[j * stride + k]};
  }
  FeatureKind kind;
  kind.map.kind = KernelType::rbf;
  kind.map.gamma = static_cast<float>(problem.gamma);
  const auto features = feature_matrix(kind, make_basis(landmarks, m, d, stride, kind.map.gamma), problem.rows);
  for (Index o = 0; o < problem.outputs; ++o) {
    LinearFit fit{features.data(), problem.rows.n, m, problem.targets + o * problem.rows.n, problem.C, problem.fit_intercept};
    fit.squared = problem.squared;
    const Vector w = fit_linear(fit);
    std::copy(w.begin(), w.begin() + m, z.begin() + m * d + o * m);
    z[m * d + problem.outputs * m + o] = w.back();
  }
  const double value = minimise(objective, max_steps, z);
  for (Index j = 0; j < m; ++j) {
    for (Index k = 0; k < d; ++k) landmarks[j * stride + k] = static_cast<float>(z[j * d + k]);
  }
  return value;
}

}  // namespace dcsvm::dc_pred
