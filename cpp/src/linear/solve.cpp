#include "linear/solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/params.hpp"
#include "linear_fit/l1.hpp"
#include "linear_fit/sample_start.hpp"
#include "linear_fit/stopping.hpp"
#include "products/gram_matrix.hpp"
#include "products/several_vectors.hpp"

namespace dcsvm::linear {

namespace {

// Dual problems that are solved from the primal side, or by descent on blocks of a file, end at this relative duality gap times
// tol.
constexpr double kDualGap = 2e-3;    // LIBLINEAR's own steps leave more at its default tol of 0.1
constexpr double kSmoothGap = 1e-5;  // of smooth losses: w is as near as its square root, and a last step makes two digits of it
constexpr double kLeastGap = 1e-18;  // of smooth losses: a smaller one is not asked for, only rounding would end the solve
constexpr std::int64_t kSwitchPasses = 300;  // LIBLINEAR's: of descent, before it leaves a smooth problem to Newton's method

/// The solution `second`, with the steps of both; where it gave up and has the larger gap, `first`.
Solution better_of(const Problem& p, Solution first, Solution second, base::Context& context) {
  first.n_iter = second.n_iter += first.n_iter;
  first.n_inner = second.n_inner += first.n_inner;
  if (!linear_fit::gave_up(second.stop_reason)) return second;
  const auto gap = [&](const Solution& at) { return certificate(p, at, *context.pool).quality.gap; };
  return gap(first) < gap(second) ? first : second;
}

std::vector<Solution> one(Solution s) {
  std::vector<Solution> out;
  out.push_back(std::move(s));
  return out;
}

}  // namespace

Index ProblemSolver::group_size(Index vectors, const base::Context& context) const {
  const Matrix& x = data_.solver_x();
  if (method() != Method::newton || !is_narrow(x)) return 1;
  const double d = static_cast<double>(x.cols());
  // Rows for the tiles are counted for each problem, although each thread has them once: groups must not depend on threads.
  const double of_one = static_cast<double>(sizeof(double)) *
                            (linear_fit::kHeldVectors * static_cast<double>(x.rows()) + linear_fit::kHeldMatrices * d * d) +
                        products::TileRows::bytes(x.cols());
  const double fit = std::min(static_cast<double>(products::kMostLanes),
                              products::kShareOfCap * static_cast<double>(context.cap_bytes) / of_one);
  const Index most = std::max<Index>(1, static_cast<Index>(fit)), groups = (vectors + most - 1) / most;
  return (vectors + groups - 1) / groups;
}

std::vector<Solution> ProblemSolver::solve(const std::vector<Problem>& problems, std::vector<SolveOptions> options,
                                           base::Context& context) const {
  const Problem& first = problems.front();
  if (method() == Method::dual_descent) return one(descend(first, options.front(), context));
  const auto started = [](const SolveOptions& o) { return o.start != nullptr || (o.path != nullptr && !o.path->points.empty()); };
  std::vector<std::vector<double>> starts;
  if (std::none_of(options.begin(), options.end(), started) && !has_kink(first.loss) && is_narrow(*first.x) &&
      (!first.l1() || forms_hessian(params_.solver, *first.x))) {
    starts =
        start_on_sample(problems, options.front(), context, [&](const std::vector<Problem>& parts, const SolveOptions& loose) {
          return solve(parts, std::vector<SolveOptions>(parts.size(), loose), context);
        });
  }
  for (std::size_t k = 0; k < starts.size(); ++k) options[k].start = &starts[k];
  return from_primal_side(problems, std::move(options), context);
}

std::vector<Solution> ProblemSolver::from_primal_side(const std::vector<Problem>& problems, std::vector<SolveOptions> options,
                                                      base::Context& context) const {
  const Problem& first = problems.front();
  if (params_.solver == LinearSolver::multinomial && !first.penalty.none()) {  // of two classes, with the tolerance for more
    for (SolveOptions& o : options) o.relative_gap = std::max(kLeastGap, o.tol);
  }
  if (first.l1()) return one(solve_l1(first, columns_of(*first.x, context), options.front(), context));
  const bool kink = has_kink(first.loss);
  if (!starts_from_w(params_.solver)) {
    for (SolveOptions& o : options) {
      o.relative_gap = kink ? std::max(linear_fit::kRounding, kDualGap * o.tol) : std::max(kLeastGap, kSmoothGap * o.tol);
    }
  }
  if (kink) return one(lagrangian(first, options.front(), context));
  std::vector<linear_fit::NewtonProblem> tasks;
  tasks.reserve(problems.size());
  for (std::size_t k = 0; k < problems.size(); ++k) tasks.push_back({&problems[k], options[k]});
  return linear_fit::solve_newton(tasks, context);
}

/// Descent on the dual variables takes over where rounding leads the Lagrangian astray: features and C so large that most of them
/// must become far smaller than C.
Solution ProblemSolver::lagrangian(const Problem& p, const SolveOptions& options, base::Context& context) const {
  Solution s = solve_augmented_lagrangian(p, options, context);
  if (!linear_fit::gave_up(s.stop_reason) || options.max_iter > 0 || !p.x->rows_in_memory()) return s;
  if (!std::isfinite(s.violation)) return s;  // the range of double, which the training then names
  SolveOptions own = options;
  own.start = nullptr;
  return better_of(p, std::move(s), solve_dual_descent(p, own, context), context);
}

Solution ProblemSolver::descend(const Problem& p, const SolveOptions& options, base::Context& context) const {
  // Newton's method finishes what needs more than kSwitchPasses: smooth losses, as in LIBLINEAR; others where X comes from a
  // file, on whose blocks the descent can be very slow, or is so small that either costs little.
  const bool may_leave = !has_kink(p.loss) || !p.x->rows_in_memory() || small(*p.x);
  const bool may_switch = may_leave && (options.max_iter == 0 || options.max_iter > kSwitchPasses);
  SolveOptions own = options;
  if (may_switch) own.max_iter = kSwitchPasses;
  own.relative_gap = std::max(linear_fit::kRounding, kDualGap * tol_of(params_));
  Solution s = solve_dual_descent(p, own, context);
  if (!may_switch || s.stop_reason != StopReason::max_iter) return s;
  own.max_iter = options.max_iter > 0 ? options.max_iter - kSwitchPasses : 0;
  own.start = &s.w;
  Solution on_w = std::move(from_primal_side({p}, {own}, context).front());  // before s, from which it starts, is moved
  return better_of(p, std::move(s), std::move(on_w), context);
}

/// The columns of x, which is X or the copy that solvers read.
const products::Columns* ProblemSolver::columns_of(const Matrix& x, base::Context& context) const {
  if (data_.columns == nullptr || &x == &data_.solver_x()) return data_.columns.get();
  std::call_once(exact_columns_made_,
                 [&] { exact_columns_ = std::make_unique<const products::Columns>(x, context.cap_bytes, *context.pool); });
  return exact_columns_.get();
}

}  // namespace dcsvm::linear
