// dcsvm/linear.hpp: prediction. Rows are read once, where they are.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "linear/model_data.hpp"
#include "linear/training.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace linear {

double label_of(const LinearData& m, const double* dec) {
  if (is_regression(m.solver)) return dec[0];
  if (!is_classifier(m.solver)) return dec[0] > 0 ? 1.0 : -1.0;  // one_class
  const auto k = static_cast<Index>(m.classes.size());
  if (k == 2 && m.places.empty()) return m.classes[n_vectors(m) == 1 ? dec[0] < 0 : dec[0] < dec[1]];
  if (k == 2) {  // by the first vector in LIBLINEAR's order
    const bool in_order = m.places[0] == 0;
    if (n_vectors(m) == 1) return m.classes[in_order ? !(dec[0] > 0) : dec[0] < 0];
    return m.classes[in_order ? !(dec[0] > 0) : dec[1] > 0];
  }
  Index best = 0;
  for (Index c = 1; c < k; ++c) {
    if (dec[c] > dec[best] || (dec[c] == dec[best] && !m.places.empty() && m.places[c] < m.places[best])) best = c;
  }
  return m.classes[best];
}

namespace {

/// dec[k] += value * w[k] over the stored values of a row.
template <class T, class I>
void add_row(const T* values, const I* columns, Index n, const double* w, Index vectors, double* dec) {
  if (vectors == 1) {
    double s0 = 0, s1 = 0;
    Index t = 0;
    for (; t + 2 <= n; t += 2) {
      s0 += static_cast<double>(values[t]) * w[columns[t]];
      s1 += static_cast<double>(values[t + 1]) * w[columns[t + 1]];
    }
    if (t < n) s0 += static_cast<double>(values[t]) * w[columns[t]];
    dec[0] += s0 + s1;
    return;
  }
  for (Index t = 0; t < n; ++t) {
    const double v = static_cast<double>(values[t]);
    const double* row = w + static_cast<Index>(columns[t]) * vectors;
    for (Index k = 0; k < vectors; ++k) dec[k] += v * row[k];
  }
}

template <class T>
void add_sparse(const CsrView& x, Index i, const double* w, Index vectors, double* dec) {
  const Index begin = data::row_begin(x, i), n = data::row_begin(x, i + 1) - begin;
  const T* values = static_cast<const T*>(x.values) + begin;
  if (x.index_type == IndexType::int32) {
    add_row(values, static_cast<const std::int32_t*>(x.indices) + begin, n, w, vectors, dec);
  } else {
    add_row(values, static_cast<const std::int64_t*>(x.indices) + begin, n, w, vectors, dec);
  }
}

/// by_class: the weights of one vector next to each other. row: room for a row whose values are not next to each other.
template <class T>
void add_dense(const DenseView& x, Index i, const double* by_class, Index vectors, std::vector<T>& row, double* dec) {
  const T* values = static_cast<const T*>(x.data) + i * x.row_stride;
  if (x.col_stride != 1) {
    row.resize(x.cols);
    for (Index j = 0; j < x.cols; ++j) row[j] = values[j * x.col_stride];
    values = row.data();
  }
  for (Index k = 0; k < vectors; ++k) dec[k] += simd::ops<T>().dot(values, by_class + k * x.cols, x.cols);
}

/// The weights of one vector next to each other: empty where they are so already, or X is sparse.
std::vector<double> weights_by_class(const LinearData& m, const DataView& x) {
  const Index vectors = n_vectors(m);
  std::vector<double> out;
  if (vectors == 1 || !std::holds_alternative<DenseView>(x)) return out;
  out.resize(m.n_features * vectors);
  for (Index j = 0; j < m.n_features; ++j) {
    for (Index k = 0; k < vectors; ++k) out[k * m.n_features + j] = m.w[j * vectors + k];
  }
  return out;
}

/// Calls use(row, decisions) for every row; from several threads.
void decide(const LinearData& m, const DataView& x, base::ThreadPool& pool,
            const std::function<void(Index, const double*)>& use) {
  const Index vectors = n_vectors(m);
  const double* w = m.w.data();
  const double* bias = m.bias >= 0 && vectors > 0 ? w + m.n_features * vectors : nullptr;
  const std::vector<double> turned = weights_by_class(m, x);
  const double* by_class = turned.empty() ? w : turned.data();
  pool.for_range(rows_of(x), products::kLinePiece, [&](Index begin, Index end, int) {
    std::vector<double> dec(vectors), row64;
    std::vector<float> row32;
    for (Index i = begin; i < end; ++i) {
      for (Index k = 0; k < vectors; ++k) dec[k] = (bias != nullptr ? m.bias * bias[k] : 0.0) - m.rho;
      if (const auto* csr = std::get_if<CsrView>(&x)) {
        if (csr->scalar == ScalarType::float32) {
          add_sparse<float>(*csr, i, w, vectors, dec.data());
        } else {
          add_sparse<double>(*csr, i, w, vectors, dec.data());
        }
      } else {
        const auto& dense = std::get<DenseView>(x);
        if (dense.scalar == ScalarType::float32) {
          add_dense(dense, i, by_class, vectors, row32, dec.data());
        } else {
          add_dense(dense, i, by_class, vectors, row64, dec.data());
        }
      }
      use(i, dec.data());
    }
  });
}

void probabilities_of(const LinearData& m, const double* dec, double* out) {
  const auto k = static_cast<Index>(m.classes.size());
  const auto sigmoid = [](double z) { return 1.0 / (1.0 + std::exp(-z)); };
  if (k == 2) {
    out[0] = sigmoid(dec[0]);
    out[1] = 1.0 - out[0];
    return;
  }
  double sum = 0;
  switch (form_of(m.solver, m.classes.size())) {
    case Form::softmax: {
      const double most = *std::max_element(dec, dec + k);
      for (Index c = 0; c < k; ++c) sum += out[c] = std::exp(dec[c] - most);
      for (Index c = 0; c < k; ++c) out[c] /= sum;
      return;
    }
    case Form::rows:
      for (Index c = 0; c < k; ++c) sum += out[c] = sigmoid(dec[c]);
      for (Index c = 0; c < k; ++c) out[c] = k == 1 ? 1.0 : out[c] / sum;
      return;
    case Form::crammer_singer:
    case Form::one_class: break;  // have no probabilities
  }
}

void run(const LinearModel& model, const DataView& x, const PredictOptions& options,
         const std::function<void(const LinearData&, Index, const double*)>& use) {
  const LinearData& m = data::data_for(model, x);
  if (n_vectors(m) == 0) throw DataError("the model has no classes: it was trained without rows");
  // One stored value costs about as much as a tenth of a kernel value.
  const double work = 0.1 * static_cast<double>(data::stored_values(x)) * static_cast<double>(n_vectors(m));
  data::run_prediction(x, work, options,
                       [&](base::ThreadPool& pool) { decide(m, x, pool, [&](Index i, const double* dec) { use(m, i, dec); }); });
}

}  // namespace

}  // namespace linear

void decision_function(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options) {
  linear::run(model, x, options, [out](const linear::LinearData& m, Index i, const double* dec) {
    const Index k = linear::n_vectors(m);
    std::copy(dec, dec + k, out + i * k);
  });
}

void predict(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options) {
  linear::run(model, x, options,
              [out](const linear::LinearData& m, Index i, const double* dec) { out[i] = linear::label_of(m, dec); });
}

void predict_proba(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options) {
  if (!model.empty() && !has_probabilities(model.solver()))
    throw DataError("the model has no probabilities: train with logistic, l1_logistic, logistic_dual or multinomial");
  linear::run(model, x, options, [out](const linear::LinearData& m, Index i, const double* dec) {
    linear::probabilities_of(m, dec, out + i * static_cast<Index>(m.classes.size()));
  });
}

}  // namespace dcsvm
