#include "linear/all_classes.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "dcsvm/errors.hpp"
#include "linear/method.hpp"
#include "linear_fit/multiclass.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/stopping.hpp"
#include "products/gram_matrix.hpp"
#include "products/several_vectors.hpp"

namespace dcsvm::linear {

namespace {

template <class P>
P problem_of(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs, const LinearLabels& labels) {
  P p;
  p.x = &data.solver_x();
  p.exact_x = &data.x;
  p.classes = static_cast<Index>(labels.classes.size());
  p.class_of = labels.class_of;
  p.C.resize(data.x.rows());
  for (Index i = 0; i < data.x.rows(); ++i) {
    const double weight = inputs.sample_weight != nullptr ? inputs.sample_weight[i] : 1.0;
    p.C[i] = price_of(params) * labels.factor[labels.class_of[i]] * weight;
    if (!std::isfinite(p.C[i])) throw ParameterError("C times weights overflows at row " + std::to_string(i));
  }
  return p;
}

/// Crammer and Singer's problem, as a hinge: where the augmented Lagrangian method may hold what it needs. Small problems that
/// it finds hard cost it more than the descent.
bool wants_lagrangian(const Matrix& x, Index classes, const LinearParams& params, const base::Context& context) {
  if (!solved_in_w(params.solver, x) || small(x) || classes > products::kMostLanes) return false;
  const double n = static_cast<double>(x.rows()), d = static_cast<double>(x.cols()), k = static_cast<double>(classes);
  const double bytes =
      static_cast<double>(sizeof(double)) * (linear_fit::kHeldVectors * n * k + linear_fit::kHeldMatrices * d * d);
  return bytes <= products::kShareOfCap * static_cast<double>(context.cap_bytes);
}

AllClasses crammer_singer(const linear_fit::MulticlassProblem& p, const LinearParams& params, const SolveOptions& options,
                          base::Context& context) {
  AllClasses out;
  Solution s;
  bool by_lagrangian = wants_lagrangian(*p.exact_x, p.classes, params, context);
  if (by_lagrangian) {
    s = solve_multiclass_lagrangian(p, options, context);
    // C or features so large that rounding hides what its steps gain.
    const bool ended = s.stop_reason == StopReason::converged || s.stop_reason == StopReason::cancelled;
    by_lagrangian = ended || params.max_iter > 0;
  }
  if (!by_lagrangian) s = solve_multiclass_descent(p, options, context);
  if (linear_fit::gave_up(s.stop_reason) && linear_fit::zero_is_optimum(p, *context.pool)) {
    const Solution before = std::exchange(s, linear_fit::zero_solution(p));
    s.n_iter = before.n_iter;
    s.n_inner = before.n_inner;
  }
  out.report = certificate(p, s, *context.pool).report;
  out.method = by_lagrangian ? Method::augmented_lagrangian : method_of(params, *p.exact_x);
  out.w = std::move(s.w);
  return out;
}

AllClasses multinomial(const linear_fit::MultinomialProblem& p, const LinearParams& params, const double* initial_w,
                       SolveOptions options, base::Context& context) {
  AllClasses out;
  std::vector<double> start;
  if (initial_w != nullptr) {
    start.assign(initial_w, initial_w + p.cols() * p.classes);
    options.start = &start;
  }
  const bool wide = p.cols() > p.rows() && initial_w == nullptr && !p.penalty.none();
  Solution s = p.penalty.l1 > 0 ? solve_multinomial_sparse(p, options, context, out.report)
               : wide           ? solve_multinomial_wide(p, options, context, out.report)
                                : solve_multinomial(p, options, context, out.report);
  out.method = method_of(params, *p.exact_x);
  out.w = std::move(s.w);
  return out;
}

}  // namespace

AllClasses solve_all_classes(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs,
                             const LinearLabels& labels, const SolveOptions& options, base::Context& context) {
  switch (form_of(params.solver, labels.classes.size())) {
    case Form::crammer_singer:
      return crammer_singer(problem_of<linear_fit::MulticlassProblem>(data, params, inputs, labels), params, options, context);
    case Form::softmax: {
      auto p = problem_of<linear_fit::MultinomialProblem>(data, params, inputs, labels);
      p.regularize_bias = params.regularize_bias;
      p.penalty = penalty_of(params);
      p.columns = data.columns.get();
      return multinomial(p, params, inputs.initial_w, options, context);
    }
    case Form::rows:
    case Form::one_class: break;
  }
  throw std::logic_error("not a problem of all classes");
}

}  // namespace dcsvm::linear
