// dcsvm::Model: questions answered from ModelData.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/array_size.hpp"
#include "base/require_model.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/model.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm {

namespace {

using base::require_model;

/// Row-major dense copy of the store.
template <class T>
void widen(const data::PointStore& p, const std::vector<T>& values, std::vector<double>& out) {
  if (!p.sparse) {
    out.assign(values.begin(), values.end());
    return;
  }
  out.assign(base::array_size(p.rows, p.cols), 0.0);
  for (Index i = 0; i < p.rows; ++i) {
    for (std::int64_t e = p.indptr[i]; e < p.indptr[i + 1]; ++e) {
      out[i * p.cols + p.indices[e]] = static_cast<double>(values[e]);
    }
  }
}

/// visit(expansion, position in its rho, position in Model::rho) for each rho that the model has.
template <class Visit>
void each_rho(const svm::ModelData& m, Visit&& visit) {
  for (std::size_t c = 0; c < m.expansions.size(); ++c) {
    const std::vector<int>& classes = m.expansions[c].classes;
    std::size_t own = 0;
    for (std::size_t a = 0; a < classes.size(); ++a) {
      for (std::size_t b = a + 1; b < classes.size(); ++b) {
        visit(c, own++,
              c * static_cast<std::size_t>(m.n_pairs()) +
                  static_cast<std::size_t>(data::pair_index(classes[a], classes[b], m.n_classes())));
      }
    }
  }
}

}  // namespace

Index Model::n_features() const { return require_model(data_).n_features; }
Index Model::n_train() const { return require_model(data_).n_train; }
Formulation Model::formulation() const { return require_model(data_).formulation; }
double Model::nu() const { return require_model(data_).nu; }
double Model::epsilon() const { return require_model(data_).epsilon; }
const std::vector<double>& Model::classes() const { return require_model(data_).classes; }
bool Model::clustered() const { return require_model(data_).clustered(); }
const KernelParams& Model::kernel() const { return require_model(data_).kernel; }
const Report& Model::report() const { return require_model(data_).report; }
const Calibration& Model::calibration() const { return require_model(data_).calibration; }
LevelPrediction Model::prediction() const { return require_model(data_).prediction; }
Precision Model::precision() const { return require_model(data_).precision; }
const std::vector<Index>& Model::support() const { return require_model(data_).support; }
const std::vector<double>& Model::sv_coef() const { return require_model(data_).sv_coef; }

Model Model::with_prediction(LevelPrediction how) const {
  const svm::ModelData& m = require_model(data_);
  if (!m.clustered()) throw DataError("prediction: only a model trained with early_level has more than one way to predict");
  auto copy = std::make_shared<svm::ModelData>(m);
  if (how != copy->prediction) copy->calibration = {};
  copy->prediction = how;
  return Model(std::move(copy));
}

Model Model::with_precision(Precision precision) const {
  auto copy = std::make_shared<svm::ModelData>(require_model(data_));
  copy->precision = precision;
  return Model(std::move(copy));
}

std::vector<Index> Model::n_support_per_class() const {
  const svm::ModelData& m = require_model(data_);
  std::vector<Index> count(m.classes.empty() ? 1 : m.classes.size(), 0);
  for (const int c : m.sv_class) ++count[c];
  return count;
}

std::vector<double> Model::rho() const {
  const svm::ModelData& m = require_model(data_);
  std::vector<double> rho(base::array_size(m.n_pairs(), static_cast<Index>(m.expansions.size())), 0.0);
  each_rho(m, [&](std::size_t expansion, std::size_t own, std::size_t all) { rho[all] = m.expansions[expansion].rho[own]; });
  return rho;
}

Model Model::with_coefficients(std::vector<double> sv_coef, const std::vector<double>& rho) const {
  const svm::ModelData& m = require_model(data_);
  const auto check = [](const char* name, const std::vector<double>& values, std::size_t size) {
    if (values.size() != size) {
      throw DataError(std::string(name) + " must have " + std::to_string(size) + " entries, got " +
                      std::to_string(values.size()));
    }
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      throw DataError(std::string(name) + " must be finite");
    }
  };
  check("sv_coef", sv_coef, m.sv_coef.size());
  check("rho", rho, static_cast<std::size_t>(m.n_pairs()) * m.expansions.size());
  auto copy = std::make_shared<svm::ModelData>(m);
  copy->sv_coef = std::move(sv_coef);
  each_rho(m, [&](std::size_t expansion, std::size_t own, std::size_t all) { copy->expansions[expansion].rho[own] = rho[all]; });
  return Model(std::move(copy));
}

std::vector<double> Model::alpha() const {
  const svm::ModelData& m = require_model(data_);
  std::vector<double> alpha(base::array_size(m.n_pairs(), m.n_train), 0.0);
  add_alpha(alpha.data());
  return alpha;
}

void Model::add_alpha(double* zeros) const {
  const svm::ModelData& m = require_model(data_);
  const Index k = m.n_classes();
  const Index n_sv = static_cast<Index>(m.support.size());
  if (m.classes.empty()) {
    for (Index s = 0; s < n_sv; ++s) zeros[m.support[s]] = m.sv_coef[s];
    return;
  }
  for (Index s = 0; s < n_sv; ++s) {
    const Index c = m.sv_class[s];
    for (Index other = 0; other < k; ++other) {
      if (other == c) continue;
      const Index pair = data::pair_index(std::min(c, other), std::max(c, other), k);
      const double coef = m.sv_coef[data::coef_row(c, other) * n_sv + s];
      zeros[pair * m.n_train + m.support[s]] = c < other ? coef : 0.0 - coef;  // below 0 where nu_svc divided by r < 0
    }
  }
}

DataView Model::support_view() const { return require_model(data_).points.view(); }

std::vector<double> Model::support_vectors() const {
  const svm::ModelData& m = require_model(data_);
  std::vector<double> out;
  if (m.points.scalar == ScalarType::float32) {
    widen(m.points, m.points.values32, out);
  } else {
    widen(m.points, m.points.values64, out);
  }
  return out;
}

}  // namespace dcsvm
