// dcsvm::LinearModel: questions answered from LinearData; LIBLINEAR's numbers of the solvers.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/require_model.hpp"
#include "base/vectors.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameter_range.hpp"
#include "linear/model_data.hpp"

namespace dcsvm {

using base::require_model;

int liblinear_number(LinearSolver solver) noexcept { return traits_of(solver).liblinear; }
double default_tol(LinearSolver solver) noexcept { return traits_of(solver).tol; }

LinearSolver linear_solver(int liblinear_number) {
  for (int i = 0; i <= static_cast<int>(last_of<LinearSolver>()); ++i) {
    const auto solver = static_cast<LinearSolver>(i);
    if (liblinear_number >= 0 && traits_of(solver).liblinear == liblinear_number) return solver;
  }
  throw ParameterError("solver must be one of LIBLINEAR's numbers 0 to 7, 11, 12, 13, 21, got " +
                       std::to_string(liblinear_number));
}

LinearSolver LinearModel::solver() const { return require_model(data_).solver; }
Index LinearModel::n_features() const { return require_model(data_).n_features; }
const std::vector<double>& LinearModel::classes() const { return require_model(data_).classes; }
const std::vector<int>& LinearModel::places() const { return require_model(data_).places; }
Index LinearModel::n_vectors() const { return linear::n_vectors(require_model(data_)); }
const std::vector<double>& LinearModel::w() const { return require_model(data_).w; }
double LinearModel::bias() const { return require_model(data_).bias; }
double LinearModel::rho() const { return require_model(data_).rho; }
const LinearReport& LinearModel::report() const { return require_model(data_).report; }

Index decision_columns(const LinearModel& model) { return model.n_vectors(); }
Index probability_columns(const LinearModel& model) { return static_cast<Index>(model.classes().size()); }

LinearModel make_linear_model(LinearSolver solver, std::vector<double> classes, Index n_features, double bias, double rho,
                              std::vector<double> w, std::vector<int> places) {
  if (n_features < 0 || n_features > data::kMostColumns) {
    throw DataError("n_features must be from 0 to 2^31 - 1, got " + std::to_string(n_features));
  }
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::all_of(classes.begin(), classes.end(), finite)) throw DataError("classes must be finite numbers");
  if (!std::all_of(w.begin(), w.end(), finite)) throw DataError("w must hold finite numbers");
  if (!std::isfinite(bias) || !std::isfinite(rho)) throw DataError("bias and rho must be finite numbers");
  if (!is_classifier(solver) && !classes.empty()) throw DataError("classes: regression and one-class models have none");
  const Index vectors = linear::vectors_of(solver, classes.size()), rows = n_features + (bias >= 0 ? 1 : 0);
  const auto size = static_cast<Index>(w.size());
  if (vectors == 0 ? size != 0 : size % vectors != 0 || size / vectors != rows) {
    throw DataError("w must have " + std::to_string(rows) + " rows (features and bias) of " + std::to_string(vectors) +
                    " weights, got " + std::to_string(size) + " numbers");
  }
  std::vector<int> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t c = 0; c < sorted.size(); ++c) {
    if (sorted.size() != classes.size() || sorted[c] != static_cast<int>(c)) {
      throw DataError("places must name each of 0, 1, ..., n_classes - 1 once, or be empty");
    }
  }
  auto data = std::make_shared<linear::LinearData>();
  data->solver = solver;
  data->classes = std::move(classes);
  data->n_features = n_features;
  data->bias = bias;
  data->rho = rho;
  data->w = std::move(w);
  data->places = std::move(places);
  return LinearModel(std::move(data));
}

}  // namespace dcsvm
