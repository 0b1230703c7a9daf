#include "linear/method.hpp"

#include "linear/params.hpp"
#include "products/gram_matrix.hpp"

namespace dcsvm::linear {

namespace {

// Share of the values that are stored from which rows have so many columns in common that descent on one after another is slow.
constexpr double kOverlap = 1.0 / 16;

/// Most rows have values in the same columns.
bool overlapping(const Matrix& x) {
  const double cells = static_cast<double>(x.rows()) * static_cast<double>(x.features());
  return static_cast<double>(x.stored()) >= kOverlap * cells;
}

/// What belongs to a solver beside LinearSolverTraits; the last two as tightening() and last_decrease() say.
struct SolverRow {
  Loss loss;
  double tightening = 1.0;
  double last_decrease = 5e-5;
};

/// No default: the compiler names a solver that is missing.
constexpr SolverRow row_of(LinearSolver solver) {
  switch (solver) {
    case LinearSolver::logistic: return {Loss::logistic};
    case LinearSolver::squared_hinge_dual: return {Loss::squared_hinge, 0.5};
    case LinearSolver::squared_hinge: return {Loss::squared_hinge};
    case LinearSolver::hinge_dual: return {Loss::hinge, 0.55};
    case LinearSolver::crammer_singer: return {Loss::squared_hinge, 0.4};  // its loss is its own: this one is not read
    case LinearSolver::l1_squared_hinge: return {Loss::squared_hinge, 0.03, 3e-5};
    case LinearSolver::l1_logistic: return {Loss::logistic, 0.2, 2e-4};
    case LinearSolver::logistic_dual: return {Loss::logistic, 0.3};
    case LinearSolver::svr_squared: return {Loss::squared_tube};
    case LinearSolver::svr_squared_dual: return {Loss::squared_tube, 0.4};
    case LinearSolver::svr_dual: return {Loss::tube, 0.3};
    case LinearSolver::one_class: return {Loss::squared_hinge};  // likewise
    case LinearSolver::multinomial: return {Loss::logistic};  // of two classes; of more its loss is its own
  }
  return {Loss::squared_hinge};
}

/// The solver with |w|_1 that has the same loss, where the penalty has |w|_1 and there is one.
LinearSolver with_l1(const LinearParams& p) {
  if (!(p.l1_ratio > 0)) return p.solver;
  return p.solver == LinearSolver::squared_hinge ? LinearSolver::l1_squared_hinge
         : p.solver == LinearSolver::svr_squared ? LinearSolver::svr_squared
                                                 : LinearSolver::l1_logistic;
}

}  // namespace

linear_fit::Penalty penalty_of(const LinearParams& p) {
  if (std::isinf(p.C)) return {0.0, 0.0};
  return traits_of(p.solver).l1 ? linear_fit::Penalty{1.0, 0.0} : linear_fit::Penalty{p.l1_ratio, 1.0 - p.l1_ratio};
}

Loss loss_of(LinearSolver solver) { return row_of(solver).loss; }

// A loss with a kink needs many Newton steps, so it is solved from the primal side only where dual descent is slow too.
bool solved_in_w(LinearSolver s, const Matrix& x) {
  if (starts_from_w(s)) return true;
  const bool kink = has_kink(loss_of(s)) || s == LinearSolver::crammer_singer;
  if (!x.rows_in_memory()) return !kink || overlapping(x);
  return is_narrow(x) && (!kink || overlapping(x));
}

// For a squared hinge X'DX is cheap also where rows have little in common: only rows with a loss are in it.
bool forms_hessian(LinearSolver s, const Matrix& x) {
  return is_narrow(x) && (s == LinearSolver::l1_squared_hinge || overlapping(x));
}

const char* method_of(const LinearParams& p, const Matrix& x) {
  const LinearSolver s = p.solver;
  if (has_l1(p)) return "l1_newton";
  if (starts_from_w(s)) return "newton";
  if (s == LinearSolver::crammer_singer) return "sequential_dual";
  if (s == LinearSolver::one_class) return "greedy_pairs";
  if (!solved_in_w(s, x)) return "dual_descent";
  return has_kink(loss_of(s)) ? "augmented_lagrangian" : "newton";
}

double tightening(const LinearParams& p, const Matrix& x) {
  if (has_l1(p) && forms_hessian(p.solver, x)) return 1.0;  // the objective decides there
  return row_of(with_l1(p)).tightening;
}

double last_decrease(const LinearParams& p) { return row_of(with_l1(p)).last_decrease; }

}  // namespace dcsvm::linear
