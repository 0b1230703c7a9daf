#include "linear/column_vectors.hpp"

#include <string>

#include "base/table_cap.hpp"
#include "linear/form.hpp"
#include "linear/method.hpp"
#include "linear/params.hpp"
#include "linear_fit/multinomial_preconditioner.hpp"
#include "products/lane_pass.hpp"

namespace dcsvm::linear {

namespace {

constexpr Index kNewton = 11;  // w, g, five of conjugate gradients and what one of them was before, three of the preconditioner
constexpr Index kL1 =
    12;  // seven of the solve with the longest steps and the bias's column, three active lists, begin; the start
constexpr Index kDescent = 3;  // w, and the certificate's gradient and dual point

/// With the weights of the model.
Index all_vectors(const LinearParams& params, std::size_t classes, bool few) {
  const Index k = vectors_of(params.solver, classes);
  switch (form_of(params.solver, classes)) {
    case Form::rows: return k + solver_vectors(params, few);
    // The descent's, and two of the certificate, all of which pad the classes.
    case Form::crammer_singer: return k + products::lane_width<double>(k) + 2 * products::lane_width<float>(k);
    case Form::softmax: return k + 2;  // where columns begin, and to where each is filled
    case Form::one_class: break;
  }
  return k + 1;
}

/// More than what each solver of the multinomial model counts of its own: besides kHeldVectors of the columns a preconditioner,
/// or 15 vectors of the rows.
double softmax_bytes(Index rows, Index cols, Index classes, Index stored) {
  const products::LanePass by_rows(rows, cols, classes, stored), by_columns(cols, rows, classes, stored);
  const double vectors = 2 * linear_fit::kHeldVectors, entries = static_cast<double>((rows + cols) * by_rows.width());
  return static_cast<double>(sizeof(double)) * vectors * entries + by_rows.bytes() + by_columns.bytes() +
         linear_fit::MultinomialPreconditioner::bytes(cols, by_rows.width());
}

}  // namespace

Index solver_vectors(const LinearParams& params, bool few) {
  if (has_l1(params)) return kL1;
  if (starts_from_w(params.solver)) return kNewton;
  // The descent may leave a problem to Newton's method, which starts from its weights.
  const bool may_leave = few || !has_kink(loss_of(params.solver));
  return may_leave ? kNewton + 1 : kDescent;
}

void check_columns(const LinearParams& params, Index cols, std::size_t classes, bool few, std::size_t cap_bytes) {
  base::check_tables(column_bytes(cols, all_vectors(params, classes, few)), cap_bytes,
                     "the weights of " + std::to_string(cols) + " columns and the solver's vectors",
                     ", or leave out columns that hold nothing");
}

}  // namespace dcsvm::linear

namespace dcsvm {

double linear_tables_mb(const LinearParams& params, Index rows, Index features, Index stored, Index classes) {
  const auto k = static_cast<std::size_t>(classes);
  const bool few = linear::small(stored + rows);
  const Index cols = features + 1, of_each = 1 + linear::solver_vectors(params, few);
  const linear::Form form = linear::form_of(params.solver, k);
  double bytes = linear::column_bytes(cols, linear::all_vectors(params, k, few));
  if (form == linear::Form::rows) bytes = linear::column_bytes(cols, linear::vectors_of(params.solver, k) * of_each);
  if (form == linear::Form::softmax) bytes += linear::softmax_bytes(rows, cols, classes, stored + rows);
  return bytes / 1048576.0;
}

}  // namespace dcsvm
