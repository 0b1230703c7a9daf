#include "linear/method.hpp"

#include <optional>
#include <stdexcept>

#include "linear/params.hpp"
#include "products/gram_matrix.hpp"

namespace dcsvm::linear {

namespace {

// Share of the values that are stored from which rows have so many columns in common that descent on one after another is slow.
constexpr double kOverlap = 1.0 / 16;  // usps, mnist and a9a are above it, text and w8a are below

/// Most rows have values in the same columns.
bool overlapping(const Matrix& x) {
  const double cells = static_cast<double>(x.rows()) * static_cast<double>(x.features());
  return static_cast<double>(x.stored()) >= kOverlap * cells;
}

/// What belongs to a solver beside LinearSolverTraits.
struct SolverRow {
  Loss loss;  ///< of Form::rows
  Form form = Form::rows;
  std::optional<Method> method = {};  ///< none: by X, and by the loss and the penalty
};

/// No default: the compiler names a solver that is missing.
constexpr SolverRow row_of(LinearSolver solver) {
  switch (solver) {
    case LinearSolver::logistic:
    case LinearSolver::logistic_dual:
    case LinearSolver::l1_logistic: return {Loss::logistic};
    case LinearSolver::squared_hinge:
    case LinearSolver::squared_hinge_dual:
    case LinearSolver::l1_squared_hinge: return {Loss::squared_hinge};
    case LinearSolver::hinge_dual: return {Loss::hinge};
    case LinearSolver::svr_squared:
    case LinearSolver::svr_squared_dual: return {Loss::squared_tube};
    case LinearSolver::svr_dual: return {Loss::tube};
    case LinearSolver::crammer_singer: return {Loss::hinge, Form::crammer_singer, Method::sequential_dual};
    case LinearSolver::one_class: return {Loss::hinge, Form::one_class, Method::greedy_pairs};
    case LinearSolver::multinomial: return {Loss::logistic, Form::softmax};
  }
  throw std::logic_error("a linear solver that does not exist");
}

}  // namespace

Loss loss_of(LinearSolver solver) { return row_of(solver).loss; }

linear_fit::Penalty penalty_of(const LinearParams& p) {
  if (std::isinf(p.C)) return {0.0, 0.0};
  return traits_of(p.solver).l1 ? linear_fit::Penalty{1.0, 0.0} : linear_fit::Penalty{p.l1_ratio, 1.0 - p.l1_ratio};
}

// A loss with a kink needs many Newton steps, so it is solved from the primal side only where dual descent is slow too.
bool solved_in_w(LinearSolver s, const Matrix& x) {
  if (starts_from_w(s)) return true;
  const bool kink = has_kink(loss_of(s));
  if (!x.rows_in_memory()) return !kink || overlapping(x);
  return is_narrow(x) && (!kink || overlapping(x));
}

// For a squared hinge X'DX is cheap also where rows have little in common: only rows with a loss are in it.
bool forms_hessian(LinearSolver s, const Matrix& x) {
  return is_narrow(x) && (s == LinearSolver::l1_squared_hinge || overlapping(x));
}

Form form_of(LinearSolver solver, std::size_t classes) {
  const Form form = row_of(solver).form;
  return form == Form::softmax && classes <= 2 ? Form::rows : form;
}

Index vectors_of(LinearSolver solver, std::size_t classes) {
  switch (form_of(solver, classes)) {
    case Form::rows: return is_classifier(solver) && classes != 2 ? static_cast<Index>(classes) : 1;
    case Form::crammer_singer:
    case Form::softmax: return static_cast<Index>(classes);
    case Form::one_class: break;
  }
  return 1;
}

Method method_of(const LinearParams& p, const Matrix& x) {
  if (const auto own = row_of(p.solver).method) return *own;
  if (has_l1(p)) return Method::l1_newton;
  if (!solved_in_w(p.solver, x)) return Method::dual_descent;
  return has_kink(loss_of(p.solver)) ? Method::augmented_lagrangian : Method::newton;
}

}  // namespace dcsvm::linear
