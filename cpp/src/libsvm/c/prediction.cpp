#include "prediction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "c_common/exceptions.hpp"
#include "c_common/matrix.hpp"
#include "c_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/predict.hpp"

namespace dcsvm::libsvm {

namespace {

/// One row as an array, so that a product with a support vector is one pass over the support vector's nodes.
class Query {
 public:
  explicit Query(const svm_node* x) : x_(x) {
    const Extent extent = measure(&x, 1);
    constexpr int kDense = 1 << 20;  // larger: look each index up
    for (const svm_node* node = x; node->index != -1; ++node) norm2_ += node->value * node->value;
    end_ = x + extent.entries;
    if (extent.largest >= kDense) return;
    values_.assign(static_cast<std::size_t>(extent.largest) + 1, 0.0);
    for (const svm_node* node = x; node != end_; ++node) values_[node->index] = node->value;
  }

  double dot(const svm_node* sv) const {
    double sum = 0;
    for (; sv->index != -1; ++sv) sum += sv->value * value(sv->index);
    return sum;
  }
  /// |x - sv|^2: entries of x that sv does not have add the rest of |x|^2.
  double distance2(const svm_node* sv) const {
    double sum = 0, shared = 0;
    for (; sv->index != -1; ++sv) {
      const double v = value(sv->index), d = v - sv->value;
      sum += d * d;
      shared += v * v;
    }
    return sum + std::max(0.0, norm2_ - shared);
  }

 private:
  double value(int index) const {
    if (!values_.empty()) return static_cast<std::size_t>(index) < values_.size() ? values_[index] : 0.0;
    const auto* node = std::lower_bound(x_, end_, index, [](const svm_node& n, int i) { return n.index < i; });
    return node != end_ && node->index == index ? node->value : 0.0;
  }

  const svm_node* x_;
  const svm_node* end_;
  double norm2_ = 0;
  std::vector<double> values_;
};

double power(double base, int times) {
  double result = 1.0;
  for (; times > 0; times /= 2, base *= base) {
    if (times % 2 == 1) result *= base;
  }
  return result;
}

std::vector<double> kernel_values(const svm_model& m, const svm_node* x) {
  std::vector<double> k(m.l);
  const svm_parameter& p = m.param;
  if (p.kernel_type == PRECOMPUTED) {
    std::vector<int> serials;
    serials.reserve(k.size());
    for (int s = 0; s < m.l; ++s) serials.push_back(serial_number(m.SV[s], s));
    return copy_kernel(&x, 1, serials).values;
  }
  const Query query(x);
  for (int s = 0; s < m.l; ++s) {
    const svm_node* sv = m.SV[s];
    switch (p.kernel_type) {
      case LINEAR: k[s] = query.dot(sv); break;
      case POLY: k[s] = power(p.gamma * query.dot(sv) + p.coef0, p.degree); break;
      case RBF: k[s] = std::exp(-p.gamma * query.distance2(sv)); break;
      case SIGMOID: k[s] = std::tanh(p.gamma * query.dot(sv) + p.coef0); break;
      default: break;  // PRECOMPUTED is above; other numbers were refused with the model
    }
  }
  return k;
}

/// The label that most pairs vote for, ties to the lower class.
int vote(const svm_model& m, const double* dec, std::vector<int>& votes) {
  votes.assign(m.nr_class, 0);
  for (int i = 0; i < m.nr_class; ++i) {
    for (int j = i + 1; j < m.nr_class; ++j) ++votes[*dec++ > 0 ? i : j];
  }
  return m.label[std::max_element(votes.begin(), votes.end()) - votes.begin()];
}

/// The label or value that follows from one row's decision values.
double label_of(const svm_model& m, const double* dec, std::vector<int>& votes) {
  if (is_classifier(m.param.svm_type)) return vote(m, dec, votes);
  return m.param.svm_type == ONE_CLASS ? (dec[0] > 0 ? 1.0 : -1.0) : dec[0];
}

void decide(const svm_model& m, const std::vector<double>& k, double* dec) {
  if (!is_classifier(m.param.svm_type)) {
    *dec = std::inner_product(k.begin(), k.end(), m.sv_coef[0], 0.0 - m.rho[0]);
    return;
  }
  std::vector<Index> start(static_cast<std::size_t>(m.nr_class) + 1, 0);
  for (int c = 0; c < m.nr_class; ++c) start[static_cast<std::size_t>(c) + 1] = start[c] + m.nSV[c];
  const double* rho = m.rho;
  for (Index i = 0; i < m.nr_class; ++i) {
    for (Index j = i + 1; j < m.nr_class; ++j) {
      const auto sum = [&](Index own, const double* coef) {
        return std::inner_product(k.begin() + start[own], k.begin() + start[own + 1], coef + start[own], 0.0);
      };
      *dec++ = sum(i, m.sv_coef[j - 1]) + sum(j, m.sv_coef[i]) - *rho++;
    }
  }
}

using AddIndices = std::function<void(std::vector<int>& indices)>;

/// The struct as a model of the library whose classes are 0, 1, ... in the struct's order.
class Batch {
 public:
  /// add_queries appends the queries' indices, when there are few among many.
  Batch(const svm_model& m, LibsvmModel copy, const Extent& queries, const AddIndices& add_queries)
      : m_(m), parts_(std::move(copy)) {
    LibsvmModel& parts = parts_;
    std::iota(parts.labels.begin(), parts.labels.end(), 0);
    if (m.param.kernel_type == PRECOMPUTED) {
      // The caller gathers K(x, sv): the model's rows are its support vectors.
      for (int s = 0; s < m.l; ++s) serials_.push_back(static_cast<int>(parts.values[s]));
      std::iota(parts.values.begin(), parts.values.end(), 1.0);
      model_ = from_libsvm(parts, std::max(1, m.l));
      return;
    }
    extent_ = queries;
    extent_.add(measure(m.SV, m.l));
    if (extent_.is_wide()) {
      std::vector<int> indices(parts.indices.begin(), parts.indices.end());
      add_queries(indices);
      extent_.narrow(std::move(indices));
    }
    for (auto& index : parts.indices) index = static_cast<std::int32_t>(extent_.column(index)) + 1;
    model_ = from_libsvm(parts, extent_.columns());
  }

  const Model& model() const { return model_; }
  bool single() const { return model_.report().precision == "single"; }
  Model in_double() const { return from_libsvm(parts_, model_.n_features(), Precision::double_); }
  const Extent& extent() const { return extent_; }
  Rows copy(const svm_node* const* x, Index n) const {
    if (m_.param.kernel_type == PRECOMPUTED) return copy_kernel(x, n, serials_);
    Extent extent = extent_;
    extent.entries = measure(x, n).entries;
    return copy_rows(x, n, extent);
  }

 private:
  const svm_model& m_;
  LibsvmModel parts_;
  Extent extent_;
  std::vector<int> serials_;
  Model model_;
};

/// The model without its support vectors, with the classes 0, 1, ...: probabilities() needs no more.
Model calibration_of(const svm_model& m) {
  std::vector<int> none(m.nr_class, 0);
  svm_model head = m;
  head.l = 0;
  if (m.nSV != nullptr) head.nSV = none.data();
  LibsvmModel parts = read_c_model(head);
  parts.kernel = {KernelType::linear};
  std::iota(parts.labels.begin(), parts.labels.end(), 0);
  return from_libsvm(parts);
}

/// Whether the model gives probabilities to svm_predict_probability.
bool has_probabilities(const svm_model& m) { return svm_check_probability_model(&m) != 0 && !is_regression(m.param.svm_type); }

/// probabilities() of n rows into `out` (n x k) and the label of each row's largest (one-class: of its decision).
void estimate(const svm_model& m, const Model& model, const double* dec, Index n, double* out, double* labels) {
  std::vector<int> votes;
  probabilities(model, dec, n, out);
  for (Index i = 0; labels != nullptr && i < n; ++i) {
    const double* p = out + i * m.nr_class;
    labels[i] = is_classifier(m.param.svm_type) ? m.label[std::max_element(p, p + m.nr_class) - p] : label_of(m, dec + i, votes);
  }
}

}  // namespace

double predict_row(const svm_model* model, const svm_node* x, double* dec_values) {
  check_c_model(model);
  const svm_model& m = *model;
  if (m.nr_class == 1) return m.label[0];
  std::vector<int> votes;
  std::vector<double> own;
  if (dec_values == nullptr) {
    own.resize(decision_columns(m));
    dec_values = own.data();
  }
  decide(m, kernel_values(m, x), dec_values);
  return label_of(m, dec_values, votes);
}

double predict_row_probability(const svm_model* model, const svm_node* x, double* prob_estimates) {
  check_c_model(model);
  const svm_model& m = *model;
  if (prob_estimates == nullptr || !has_probabilities(m)) return predict_row(model, x, nullptr);
  if (m.nr_class == 1) {
    prob_estimates[0] = 1.0;
    return m.label[0];
  }
  std::vector<double> dec(decision_columns(m));
  double label = predict_row(model, x, dec.data());
  estimate(m, calibration_of(m), dec.data(), 1, prob_estimates, &label);
  return label;
}

namespace {

/// Rows of a batch as the library takes them; `copy` holds what had to be copied.
using Fetch = std::function<DataView(const Batch&, Index begin, Index n, Rows& copy)>;

/// Computes the decision values again, with double kernel values, of rows where float's rounding might have changed a sign.
void correct_signs(const Batch& batch, const DataView& x, Index columns, double* dec, const PredictOptions& options) {
  constexpr double kClear = 1e-3;  // more than ten times the error that from_libsvm lets pass
  if (!batch.single()) return;
  std::vector<Index> unsure;
  for (Index i = 0; i < rows_of(x); ++i) {
    const double* row = dec + i * columns;
    if (std::any_of(row, row + columns, [](double v) { return std::abs(v) < kClear; })) unsure.push_back(i);
  }
  if (unsure.empty()) return;
  const Rows rows = pick_rows(x, unsure);
  std::vector<double> exact(unsure.size() * static_cast<std::size_t>(columns));
  decision_function(batch.in_double(), rows.view(), exact.data(), options);
  for (std::size_t t = 0; t < unsure.size(); ++t)
    std::copy_n(exact.data() + t * static_cast<std::size_t>(columns), columns, dec + unsure[t] * columns);
}

/// The rows that a batch predicts.
struct Queries {
  Index l;
  Extent extent;
  AddIndices add_indices;
  Fetch fetch;
};

void predict_batch(const svm_model& m, const Queries& queries, bool probability, double* labels, double* values,
                   const dcsvm_call* call) {
  const Index l = queries.l;
  const bool with_probability = probability && has_probabilities(m);
  if (m.nr_class == 1) {
    if (labels != nullptr) std::fill_n(labels, l, m.label[0]);
    if (values != nullptr && with_probability) std::fill_n(values, l, 1.0);
    return;
  }
  const Batch batch(m, read_c_model(m), queries.extent, queries.add_indices);
  const PredictOptions options{call != nullptr ? call->n_threads : 0, c_common::make_interrupted(call)};
  // As many rows at a time as keep the copies small beside the nodes.
  constexpr Index kRows = 1 << 16;
  const Index columns = decision_columns(m), step = std::max<Index>(1024, kRows * 16 / (columns + 16));
  std::vector<double> dec, proba;
  std::vector<int> votes;
  const Model sigmoid = with_probability ? calibration_of(m) : Model();
  for (Index begin = 0; begin < l; begin += step) {
    const Index n = std::min<Index>(step, l - begin);
    double* d = values != nullptr && !probability ? values + begin * columns : nullptr;
    if (d == nullptr) {
      dec.resize(n * columns);
      d = dec.data();
    }
    Rows copy;
    const DataView rows = queries.fetch(batch, begin, n, copy);
    decision_function(batch.model(), rows, d, options);
    if (!is_regression(m.param.svm_type)) correct_signs(batch, rows, columns, d, options);
    if (with_probability) {
      proba.resize(n * m.nr_class);
      double* p = values != nullptr ? values + begin * m.nr_class : proba.data();
      estimate(m, sigmoid, d, n, p, labels != nullptr ? labels + begin : nullptr);
    } else if (labels != nullptr) {
      for (Index i = 0; i < n; ++i) labels[begin + i] = label_of(m, d + i * columns, votes);
    }
  }
}

}  // namespace

void predict_rows(const svm_model* model, int l, const svm_node* const* x, bool probability, double* labels, double* values,
                  const dcsvm_call* call) {
  check_c_model(model);
  if (l < 0 || (l > 0 && x == nullptr)) throw DataError("x: no rows");
  Queries queries;
  queries.l = l;
  if (model->param.kernel_type != PRECOMPUTED) queries.extent = measure(x, l);
  queries.add_indices = [x, l](std::vector<int>& indices) { add_indices(x, l, indices); };
  queries.fetch = [x](const Batch& batch, Index begin, Index n, Rows& copy) {
    copy = batch.copy(x + begin, n);
    return copy.view();
  };
  predict_batch(*model, queries, probability, labels, values, call);
}

void predict_matrix(const svm_model* model, const dcsvm_matrix* x, bool probability, double* labels, double* values,
                    const dcsvm_call* call) {
  check_c_model(model);
  c_common::check_matrix(x);
  if (model->param.kernel_type == PRECOMPUTED) throw ParameterError("a matrix has no serial numbers, which the kernel needs");
  Queries queries;
  queries.l = x->rows;
  queries.extent.largest = x->cols;
  const auto first = x->indptr != nullptr ? x->indptr[0] : 0, last = x->indptr != nullptr ? x->indptr[x->rows] : 0;
  // A dense matrix has all its columns.
  queries.extent.entries = x->indptr != nullptr ? static_cast<Index>(last - first) : static_cast<Index>(x->rows) * x->cols;
  queries.add_indices = [x, first, last](std::vector<int>& indices) {
    for (auto e = first; e < last; ++e) indices.push_back(x->indices[e] + 1);
    for (int j = 0; x->indptr == nullptr && j < x->cols; ++j) indices.push_back(j + 1);
  };
  queries.fetch = [x](const Batch& batch, Index begin, Index n, Rows& copy) -> DataView {
    const Extent& extent = batch.extent();
    const bool same_columns = extent.base() == 1 && extent.used.empty();
    if (x->indptr == nullptr && same_columns && extent.columns() == x->cols) {
      return dense(x->values + begin * x->cols, n, x->cols);
    }
    if (x->indptr != nullptr && same_columns) {
      const auto offset = x->indptr[begin];
      copy.indptr.assign(x->indptr + begin, x->indptr + begin + n + 1);
      for (auto& at : copy.indptr) at -= offset;
      return CsrView{
          x->values + offset, ScalarType::float64, x->indices + offset, copy.indptr.data(), IndexType::int32, IndexType::int64, n,
          extent.columns()};
    }
    copy = copy_matrix(*x, begin, n, extent);
    return copy.view();
  };
  predict_batch(*model, queries, probability, labels, values, call);
}

}  // namespace dcsvm::libsvm
