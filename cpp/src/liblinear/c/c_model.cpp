#include "c_model.hpp"

#include <algorithm>
#include <string>

#include "c_common/memory.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::liblinear {

using c_common::allocate;
using c_common::release;

namespace {

std::size_t n_weights(const model& m) {
  return static_cast<std::size_t>(n_weight_rows(m)) * static_cast<std::size_t>(n_vectors(m));
}

}  // namespace

model* make_c_model(const LiblinearModel& m) {
  model* out = allocate<model>(1);
  try {
    out->param.solver_type = m.solver;
    out->nr_class = m.n_classes;
    out->nr_feature = static_cast<int>(m.n_features);
    out->bias = m.bias;
    out->rho = m.rho;
    out->w = allocate<double>(m.w.size());
    std::copy(m.w.begin(), m.w.end(), out->w);
    if (m.is_classifier()) {
      out->label = allocate<int>(m.labels.size());
      std::copy(m.labels.begin(), m.labels.end(), out->label);
    }
    return out;
  } catch (...) {
    destroy(&out);
    throw;
  }
}

void check_c_model(const model* m) {
  if (m == nullptr) throw ModelError("model: a null pointer");
  const int type = m->param.solver_type;
  const bool classifier = is_classifier(type);
  if (!classifier && !is_regression(type) && type != ONECLASS_SVM)
    throw ModelError("model: unknown solver type " + std::to_string(type));
  if (m->nr_feature < 0 || (classifier ? m->nr_class < 0 : m->nr_class != 2)) {
    throw ModelError("model: nr_class " + std::to_string(m->nr_class) + " or nr_feature " + std::to_string(m->nr_feature) +
                     " is out of range");
  }
  const bool label_missing = classifier && m->nr_class > 0 && m->label == nullptr;
  if (label_missing || (m->w == nullptr && n_weights(*m) > 0)) throw ModelError("model: an array is missing");
}

LiblinearModel read_c_model(const model& m) {
  check_c_model(&m);
  LiblinearModel out;
  out.solver = m.param.solver_type;
  out.n_classes = m.nr_class;
  if (out.is_classifier() && m.nr_class > 0) out.labels.assign(m.label, m.label + m.nr_class);
  out.n_features = m.nr_feature;
  out.bias = m.bias;
  if (out.is_one_class()) out.rho = m.rho;
  if (m.w != nullptr) out.w.assign(m.w, m.w + n_weights(m));
  return out;
}

void free_content(model* m) noexcept {
  if (m == nullptr) return;
  release(m->w);
  release(m->label);
}

void destroy(model** m) noexcept {
  if (m == nullptr || *m == nullptr) return;
  free_content(*m);
  release(*m);
}

}  // namespace dcsvm::liblinear
