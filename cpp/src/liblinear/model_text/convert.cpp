// Between dcsvm's linear models and LIBLINEAR's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

#include "dcsvm/errors.hpp"
#include "dcsvm/parameter_range.hpp"
#include "liblinear/model_text/text.hpp"

namespace dcsvm {

namespace {

/// The same model with class order[c] in place c.
LiblinearModel reorder(LiblinearModel m, const std::vector<std::size_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return m;
  const std::vector<int> labels = m.labels;
  for (std::size_t c = 0; c < order.size(); ++c) m.labels[c] = labels[order[c]];
  if (m.n_weights() == 1) {  // two classes: a positive decision is for the first
    for (double& w : m.w) w = 0.0 - w;  // a weight of 0 stays 0 and does not become -0
    return m;
  }
  std::vector<double> row(order.size());
  for (std::size_t begin = 0; begin < m.w.size(); begin += row.size()) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = m.w[begin + order[c]];
    std::copy(row.begin(), row.end(), m.w.begin() + static_cast<Index>(begin));
  }
  return m;
}

}  // namespace

LiblinearModel to_liblinear(const LinearModel& model) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  LiblinearModel out;
  // Of two classes the multinomial model is the logistic one: one vector, and the same probabilities.
  const bool is_logistic = model.solver() == LinearSolver::multinomial && model.classes().size() == 2;
  out.solver = liblinear_number(is_logistic ? LinearSolver::logistic : model.solver());
  if (out.solver < 0) {
    throw DataError(std::string("model: LIBLINEAR's files have no number for the solver ") + name_of(model.solver()) + " of " +
                    std::to_string(model.classes().size()) + " classes; save it in dcsvm's own format");
  }
  out.n_features = model.n_features();
  out.bias = model.bias();
  out.rho = model.rho();
  out.w = model.w();
  for (const double label : model.classes()) {
    constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    if (label != std::trunc(label) || label < low || label > high) {
      std::ostringstream text;
      text << "LIBLINEAR's labels are ints, the model has a class " << label;
      throw DataError(text.str());
    }
  }
  out.labels.assign(model.classes().begin(), model.classes().end());
  if (out.is_classifier()) out.n_classes = static_cast<int>(out.labels.size());
  const std::vector<int>& places = model.places();
  std::vector<std::size_t> order(out.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!places.empty()) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  } else if (order.size() == 2) {
    std::swap(order[0], order[1]);  // LIBLINEAR decides a tie for its second class, the model for the lower one
  }
  return reorder(std::move(out), order);
}

LinearModel from_liblinear(const LiblinearModel& model) {
  liblinear::check_liblinear(model);
  if (model.is_classifier() && model.n_classes == 0) throw ModelError("model: a classifier that was trained on no rows");
  std::vector<std::size_t> order(model.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return model.labels[a] < model.labels[b]; });
  LiblinearModel ascending = reorder(model, order);
  if (std::adjacent_find(ascending.labels.begin(), ascending.labels.end()) != ascending.labels.end()) {
    throw ModelError("model: label names a class twice");
  }
  std::vector<int> places;
  places.reserve(order.size());
  for (const std::size_t place : order) places.push_back(static_cast<int>(place));
  return make_linear_model(linear_solver(model.solver), {ascending.labels.begin(), ascending.labels.end()}, model.n_features,
                           model.bias, model.rho, std::move(ascending.w), std::move(places));
}

}  // namespace dcsvm
