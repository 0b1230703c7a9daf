#include "prediction.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "c_common/exceptions.hpp"
#include "c_common/matrix.hpp"
#include "c_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/linear.hpp"
#include "node_rows.hpp"

namespace dcsvm::liblinear {

namespace {

/// A classifier that was trained on no rows can be saved, but has nothing to say.
void check_for_prediction(const model* m) {
  check_c_model(m);
  if (m->nr_class == 0) throw ModelError("model: it has no class, because it was trained on no rows");
}

void decide(const model& m, const feature_node* x, double* dec) {
  const Index k = n_vectors(m), rows = n_weight_rows(m);
  std::fill_n(dec, k, 0.0);
  for (; x->index != -1; ++x) {
    if (x->index < 1) throw DataError("x: index " + std::to_string(x->index) + ": indices start at 1");
    if (x->index > rows) continue;
    const double* w = m.w + (static_cast<Index>(x->index) - 1) * k;
    for (Index c = 0; c < k; ++c) dec[c] += w[c] * x->value;
  }
  if (m.param.solver_type == ONECLASS_SVM) dec[0] -= m.rho;
}

double label_of(const model& m, const double* dec) {
  if (is_regression(m.param.solver_type)) return dec[0];
  if (m.param.solver_type == ONECLASS_SVM) return dec[0] > 0 ? 1 : -1;
  if (m.nr_class == 2) return m.label[dec[0] > 0 ? 0 : 1];  // Crammer and Singer's model too: by its first vector
  return m.label[std::max_element(dec, dec + m.nr_class) - dec];
}

/// Decision values become probabilities. p: nr_class values, of which the first n_vectors are decisions.
void estimate(const model& m, double* p) {
  const Index k = n_vectors(m);
  if (m.param.solver_type == DCSVM_MULTINOMIAL && k > 1) {
    const double most = *std::max_element(p, p + k);
    for (Index c = 0; c < k; ++c) p[c] = std::exp(p[c] - most);
  } else {
    for (Index c = 0; c < k; ++c) p[c] = 1 / (1 + std::exp(-p[c]));
  }
  if (m.nr_class == 2) {
    p[1] = 1.0 - p[0];
    return;
  }
  double sum = 0;
  for (Index c = 0; c < k; ++c) sum += p[c];
  for (Index c = 0; c < k; ++c) p[c] /= sum;
}

/// The features of library_model: at least one, since the library refuses data without columns.
Index features_of(const model& m, bool with_bias) { return std::max<Index>(1, with_bias ? m.nr_feature : n_weight_rows(m)); }

/// The struct as the library's model. Columns count the bias's as a feature when `with_bias` is false.
LinearModel library_model(const model& m, bool with_bias) {
  LiblinearModel parts = read_c_model(m);
  std::vector<double> classes(parts.labels.begin(), parts.labels.end());
  const Index features = features_of(m, with_bias);
  const Index given = with_bias ? parts.n_features : parts.n_rows();
  parts.w.insert(parts.w.begin(), static_cast<std::size_t>((features - given) * n_vectors(m)), 0.0);
  return make_linear_model(solver_of(parts.solver), std::move(classes), features, with_bias ? parts.bias : -1, parts.rho,
                           std::move(parts.w));
}

void predict_view(const model& m, const LinearModel& library, const DataView& x, bool probability, double* labels, double* values,
                  const dcsvm_call* call) {
  if (probability && !has_probabilities(m.param.solver_type)) {
    throw ParameterError(
        "probability: only models of logistic regression (solvers 0, 6, 7 and DCSVM_MULTINOMIAL) have probabilities");
  }
  const Index l = rows_of(x), k = n_vectors(m), width = probability ? m.nr_class : k;
  std::vector<double> own;
  double* dec = values;
  if (dec == nullptr || width != k) {
    own.resize(static_cast<std::size_t>(l * k));
    dec = own.data();
  }
  PredictOptions options;
  options.n_threads = call != nullptr ? call->n_threads : 0;
  options.interrupted = c_common::make_interrupted(call);
  decision_function(library, x, dec, options);
  for (Index i = 0; i < l; ++i) {
    if (labels != nullptr) labels[i] = label_of(m, dec + i * k);
    if (!probability || values == nullptr) continue;
    double* p = values + i * width;
    if (p != dec + i * k) std::copy_n(dec + i * k, k, p);
    estimate(m, p);
  }
}

/// Leaves out the entries in columns that the model does not have. `copy` holds the result.
CsrView narrow(const CsrView& x, Index cols, Rows& copy) {
  const auto* indptr = static_cast<const std::int64_t*>(x.indptr);
  const auto* indices = static_cast<const std::int32_t*>(x.indices);
  const auto* values = static_cast<const double*>(x.values);
  copy.cols = cols;
  copy.indptr.reserve(static_cast<std::size_t>(x.rows) + 1);
  copy.values.reserve(static_cast<std::size_t>(indptr[x.rows] - indptr[0]));
  copy.indices.reserve(copy.values.capacity());
  for (Index i = 0; i < x.rows; ++i) {
    const auto* end = std::lower_bound(indices + indptr[i], indices + indptr[i + 1], cols);
    copy.indices.insert(copy.indices.end(), indices + indptr[i], end);
    copy.values.insert(copy.values.end(), values + indptr[i], values + (end - indices));
    copy.indptr.push_back(static_cast<std::int64_t>(copy.values.size()));
  }
  return copy.view();
}

/// The columns of the model: more are left out, and those that are missing are 0.
DataView fit(const DataView& x, Index cols, Rows& copy) {
  const Index l = rows_of(x);
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    if (csr->cols > cols) return narrow(*csr, cols, copy);
    CsrView out = *csr;
    out.cols = cols;
    return out;
  }
  DenseView out = std::get<DenseView>(x);
  if (out.cols >= cols) {
    out.cols = cols;
    return out;
  }
  const auto* values = static_cast<const double*>(out.data);
  copy.values.assign(static_cast<std::size_t>(l * cols), 0.0);
  for (Index i = 0; i < l; ++i) std::copy_n(values + i * out.cols, out.cols, copy.values.data() + i * cols);
  return dense(copy.values.data(), l, cols);
}

}  // namespace

double predict_row(const model* m, const feature_node* x, double* dec_values) {
  check_for_prediction(m);
  if (x == nullptr) throw DataError("x: a null pointer");
  std::vector<double> own;
  if (dec_values == nullptr) {
    own.resize(static_cast<std::size_t>(n_vectors(*m)));
    dec_values = own.data();
  }
  decide(*m, x, dec_values);
  return label_of(*m, dec_values);
}

double predict_row_probability(const model* m, const feature_node* x, double* prob_estimates) {
  check_c_model(m);
  if (!has_probabilities(m->param.solver_type)) return 0;
  if (prob_estimates == nullptr) return predict_row(m, x, nullptr);
  const double label = predict_row(m, x, prob_estimates);
  estimate(*m, prob_estimates);
  return label;
}

void predict_rows(const model* m, int l, const feature_node* const* x, bool probability, double* labels, double* values,
                  const dcsvm_call* call) {
  check_for_prediction(m);
  if (l < 0 || (l > 0 && x == nullptr)) throw DataError("x: no rows");
  const Rows rows = query_rows(x, l, features_of(*m, false));
  predict_view(*m, library_model(*m, false), rows.view(), probability, labels, values, call);
}

void predict_matrix(const model* m, const dcsvm_matrix* x, bool probability, double* labels, double* values,
                    const dcsvm_call* call) {
  check_for_prediction(m);
  c_common::check_matrix(x);
  Rows copy;
  const DataView rows = fit(c_common::view(*x), features_of(*m, true), copy);
  predict_view(*m, library_model(*m, true), rows, probability, labels, values, call);
}

}  // namespace dcsvm::liblinear
