#include "linear/params.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"

namespace dcsvm::linear {

void check_params(const LinearParams& p, const LinearInputs& inputs) {
  base::check_ranges(p);
  base::check_class_weight(p.class_weight, p.balanced);
  if (!p.regularize_bias && p.bias != 1.0)
    throw ParameterError("regularize_bias: false needs bias = 1: another value would change nothing but the scale of its weight");
  const std::string solver = name_of(p.solver);
  if (!is_classifier(p.solver) && (p.balanced || !p.class_weight.empty()))
    throw ParameterError("class_weight is for classifiers; " + solver + " has no classes");
  if (!p.regularize_bias && !starts_from_w(p.solver)) {
    throw ParameterError("regularize_bias: false is possible with the solvers from the primal side, not with " + solver +
                         "; use logistic, squared_hinge, l1_squared_hinge, l1_logistic, svr_squared or multinomial");
  }
  const bool smooth = starts_from_w(p.solver) && !traits_of(p.solver).l1;
  const char* const which = "; use logistic, squared_hinge, svr_squared or multinomial";
  if (p.l1_ratio > 0 && !smooth)
    throw ParameterError("l1_ratio: a share of |w|_1 in the penalty is not possible with " + solver + which);
  if (std::isinf(p.C) && !smooth) throw ParameterError("C: infinity, no penalty, is not possible with " + solver + which);
  if (p.solver == LinearSolver::multinomial && p.tol >= 1) {
    std::ostringstream text;
    text << "tol: multinomial's must be below 1, which is the share of a gap or gradient that w = 0 has; got " << p.tol
         << "; give a smaller number, or none for the default, " << default_tol(p.solver);
    throw ParameterError(text.str());
  }
  if (std::isinf(p.C) && p.l1_ratio > 0)
    throw ParameterError("l1_ratio: with C = infinity there is no penalty of which |w|_1 could be a share; give one of the two");
  if (inputs.initial_w != nullptr && !starts_from_w(p.solver))
    throw ParameterError("initial_w: " + solver + " starts from dual variables; use a solver from the primal side");
  auto classes = inputs.classes;
  std::sort(classes.begin(), classes.end());
  if (std::adjacent_find(classes.begin(), classes.end()) != classes.end())
    throw ParameterError("classes must differ from each other");
  if (!is_classifier(p.solver) && !classes.empty()) throw ParameterError("classes: " + solver + " has none");
}

void check_start(const double* w, Index columns, Index vectors) {
  for (Index t = 0; t < columns * vectors; ++t) {
    if (!std::isfinite(w[t])) {
      throw DataError("initial_w is not finite at row " + std::to_string(t / vectors) + ", column " +
                      std::to_string(t % vectors));
    }
  }
}

}  // namespace dcsvm::linear
