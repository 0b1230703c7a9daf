#include "qp/path.hpp"

#include <algorithm>

#include "qp/origins.hpp"
#include "qp/scaled_solve.hpp"

namespace dcsvm::qp {

namespace {

// The t in [1, ratio] with least 1/2 t^2 b'Kb - t q'b, where Kb = q - g.
double best_multiple(const Problem& unit, const double* beta, const double* g, double ratio) {
  double linear = 0, slope = 0;
  for (Index i = 0; i < unit.n; ++i) {
    linear += unit.q[i] * beta[i];
    slope += g[i] * beta[i];
  }
  const double curvature = linear - slope;
  return curvature > 0 ? std::clamp(linear / curvature, 1.0, ratio) : ratio;
}

// b within [lo, hi]; a value that only rounding keeps from a bound is set to it.
double snapped(double b, double lo, double hi) {
  const double near = 1e-14 * (hi - lo);
  return b <= lo + near ? lo : b >= hi - near ? hi : b;
}

// Turns the solution beta of `unit` with lo and hi multiplied by `scale`, and its gradient g = q - K beta, into a start for
// `next` >= scale: t beta, and its gradient. mostly_free: t = 1. Returns t.
double extend_solution(const Problem& unit, double scale, double next, bool mostly_free, double* beta, double* g) {
  const double t = mostly_free ? 1.0 : best_multiple(unit, beta, g, next / scale);
  for (Index i = 0; i < unit.n; ++i) {
    beta[i] = snapped(t * beta[i], next * unit.lo[i], next * unit.hi[i]);
    g[i] = unit.q[i] + t * (g[i] - unit.q[i]);
  }
  return t;
}

}  // namespace

template <class T>
void solve_path(const kernel_matrix::RowSource<T>& source, const Problem& unit, const std::vector<double>& scales,
                const Options& options, base::Context& context, const Progress& progress,
                const std::function<void(std::size_t, const double*, const Result&)>& done) {
  const auto n = static_cast<std::size_t>(unit.n);
  std::vector<double> lo(n), hi(n), beta(n, 0.0), g(unit.q, unit.q + n);
  Problem problem = unit;
  problem.lo = lo.data();
  problem.hi = hi.data();
  Options own = options;
  own.gradient_given = true;
  own.left_out = 0;
  Origins origins;
  own.origins = &origins;
  bool mostly_free = false;
  for (std::size_t s = 0; s < scales.size(); ++s) {
    if (s > 0) {
      const double t = extend_solution(unit, scales[s - 1], scales[s], mostly_free, beta.data(), g.data());
      own.left_out *= t;
      origins.scale(t, unit.q);
    }
    for (std::size_t i = 0; i < n; ++i) {
      lo[i] = scales[s] * unit.lo[i];
      hi[i] = scales[s] * unit.hi[i];
    }
    const Result result = solve_to_scale(source, problem, own, beta.data(), g.data(), context, progress);
    own.left_out = result.left_out;
    mostly_free = 2 * result.n_bounded < result.n_support;
    done(s, beta.data(), result);
  }
}

template void solve_path<float>(const kernel_matrix::RowSource<float>&, const Problem&, const std::vector<double>&,
                                const Options&, base::Context&, const Progress&,
                                const std::function<void(std::size_t, const double*, const Result&)>&);
template void solve_path<double>(const kernel_matrix::RowSource<double>&, const Problem&, const std::vector<double>&,
                                 const Options&, base::Context&, const Progress&,
                                 const std::function<void(std::size_t, const double*, const Result&)>&);

}  // namespace dcsvm::qp
