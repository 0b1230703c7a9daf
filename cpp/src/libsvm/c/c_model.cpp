#include "c_model.hpp"

#include <algorithm>

#include "c_common/memory.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::libsvm {

using c_common::allocate;

namespace {

/// Null for an array that LIBSVM leaves out.
template <class T>
T* copy_or_null(const std::vector<T>& v) {
  if (v.empty()) return nullptr;
  T* out = allocate<T>(v.size());
  std::copy(v.begin(), v.end(), out);
  return out;
}

void copy_support_vectors(const LibsvmModel& m, svm_model& out) {
  const Index l = m.n_support();
  out.free_sv = 1;
  if (l == 0) return;
  svm_node* node = allocate<svm_node>(m.values.size() + static_cast<std::size_t>(l));
  out.SV[0] = node;  // the block belongs to the model from here on
  for (Index s = 0; s < l; ++s) {
    out.SV[s] = node;
    for (auto e = static_cast<std::size_t>(m.indptr[s]); e < static_cast<std::size_t>(m.indptr[s + 1]); ++e)
      *node++ = {m.indices[e], m.values[e]};
    *node++ = {-1, 0.0};
  }
}

void point_to_rows(const LibsvmModel& m, svm_node* const* x, svm_model& out) {
  out.sv_indices = allocate<int>(m.training_rows.size());
  for (std::size_t s = 0; s < m.training_rows.size(); ++s) {
    out.SV[s] = x[m.training_rows[s]];
    out.sv_indices[s] = static_cast<int>(m.training_rows[s]) + 1;
  }
}

template <class T>
std::vector<T> copied(const T* from, std::size_t n) {
  return from == nullptr ? std::vector<T>() : std::vector<T>(from, from + n);
}

}  // namespace

svm_model* make_c_model(const LibsvmModel& m, svm_node* const* x) {
  svm_model* out = allocate<svm_model>(1);
  try {
    const std::size_t rows = static_cast<std::size_t>(m.n_classes - 1),
                      l = x != nullptr ? m.training_rows.size() : static_cast<std::size_t>(m.n_support());
    out->param.svm_type = static_cast<int>(m.formulation);
    out->param.kernel_type = static_cast<int>(m.kernel.type);
    out->param.degree = m.kernel.degree;
    out->param.gamma = m.kernel.gamma;
    out->param.coef0 = m.kernel.coef0;
    out->sv_coef = allocate<double*>(rows);
    out->nr_class = m.n_classes;
    for (std::size_t row = 0; row < rows; ++row) {
      out->sv_coef[row] = allocate<double>(l);
      std::copy_n(m.sv_coef.begin() + static_cast<Index>(row * l), l, out->sv_coef[row]);
    }
    out->l = static_cast<int>(l);
    out->SV = allocate<svm_node*>(l);
    out->rho = allocate<double>(m.rho.size());
    std::copy(m.rho.begin(), m.rho.end(), out->rho);
    out->probA = copy_or_null(m.prob_a);
    out->probB = copy_or_null(m.prob_b);
    out->prob_density_marks = copy_or_null(m.density_marks);
    out->label = copy_or_null(m.labels);
    out->nSV = copy_or_null(m.n_sv);
    x != nullptr ? point_to_rows(m, x, *out) : copy_support_vectors(m, *out);
    return out;
  } catch (...) {
    svm_free_and_destroy_model(&out);
    throw;
  }
}

void check_c_model(const svm_model* m) {
  if (m == nullptr) throw ModelError("model: a null pointer");
  const int k = m->nr_class;
  const bool classifier = is_classifier(m->param.svm_type);
  if (!classifier && !is_regression(m->param.svm_type) && m->param.svm_type != ONE_CLASS) throw ModelError("unknown svm type");
  if (m->param.kernel_type < LINEAR || m->param.kernel_type > PRECOMPUTED) throw ModelError("unknown kernel type");
  if (k < (classifier ? 1 : 2) || k > 65535 || m->l < 0) throw ModelError("model: nr_class or l is out of range");
  const bool arrays = (m->SV != nullptr || m->l == 0) && (m->sv_coef != nullptr || k == 1) && (m->rho != nullptr || k == 1);
  if (!arrays || (classifier && (m->label == nullptr || m->nSV == nullptr))) throw ModelError("model: an array is missing");
  for (int row = 0; row + 1 < k; ++row) {
    if (m->l > 0 && m->sv_coef[row] == nullptr) throw ModelError("model: an array is missing");
  }
  for (int s = 0; s < m->l; ++s) {
    if (m->SV[s] == nullptr) throw ModelError("model: a support vector is missing");
  }
  if (!classifier) return;
  Index total = 0;
  for (int c = 0; c < k; ++c) {
    if (m->nSV[c] < 0) throw ModelError("model: nSV is negative");
    total += m->nSV[c];
  }
  if (total != m->l) throw ModelError("model: nSV does not add up to l");
}

LibsvmModel read_c_model(const svm_model& m) {
  check_c_model(&m);
  LibsvmModel out;
  const bool classifier = is_classifier(m.param.svm_type);
  const std::size_t k = static_cast<std::size_t>(m.nr_class), pairs = static_cast<std::size_t>(n_pairs(m.nr_class)),
                    l = static_cast<std::size_t>(m.l);
  out.formulation = static_cast<Formulation>(m.param.svm_type);
  out.kernel = {static_cast<KernelType>(m.param.kernel_type), m.param.degree, m.param.gamma, m.param.coef0};
  out.n_classes = m.nr_class;
  out.labels = copied(m.label, k);
  out.n_sv = copied(m.nSV, k);
  out.rho = copied(m.rho, classifier ? pairs : 1);
  out.prob_a = copied(m.probA, classifier ? pairs : 1);
  if (classifier) out.prob_b = copied(m.probB, pairs);
  out.density_marks = copied(m.prob_density_marks, 10);
  for (std::size_t row = 0; row + 1 < k; ++row) out.sv_coef.insert(out.sv_coef.end(), m.sv_coef[row], m.sv_coef[row] + l);
  const bool given = m.param.kernel_type == PRECOMPUTED;
  for (std::size_t s = 0; s < l; ++s) {
    // A training row of a precomputed kernel holds all kernel values; the model needs its serial number.
    const svm_node* end = m.SV[s] + (given ? 1 : row_length(m.SV[s]));
    for (const svm_node* node = m.SV[s]; node != end; ++node) {
      out.values.push_back(node->value);
      out.indices.push_back(node->index);
    }
    out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

}  // namespace dcsvm::libsvm
