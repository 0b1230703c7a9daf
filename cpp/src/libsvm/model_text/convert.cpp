// Between dcsvm's models and LIBSVM's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/interrupts.hpp"
#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/kernel_traits.hpp"
#include "libsvm/model_text/text.hpp"
#include "svm/model/check.hpp"
#include "svm/model/model_data.hpp"
#include "svm/prediction/single_error.hpp"

namespace dcsvm {

namespace {

using data::coef_row;
using data::pair_index;
using data::PointStore;
using svm::ModelData;

[[noreturn]] void fail(const std::string& what) { throw ModelError("model: " + what); }

/// The same model with class order[c] in place c.
LibsvmModel reorder(const LibsvmModel& m, const std::vector<int>& order) {
  if (std::is_sorted(order.begin(), order.end())) return m;
  const Index k = m.n_classes, l = m.n_support();
  LibsvmModel out;
  out.formulation = m.formulation;
  out.kernel = m.kernel;
  out.n_classes = m.n_classes;
  std::vector<Index> start(k, 0), from;
  for (Index c = 1; c < k; ++c) start[c] = start[c - 1] + m.n_sv[c - 1];
  for (const int c : order) {
    out.labels.push_back(m.labels[c]);
    out.n_sv.push_back(m.n_sv[c]);
    for (Index s = start[c]; s < start[c] + m.n_sv[c]; ++s) {
      from.push_back(s);
      out.values.insert(out.values.end(), m.values.begin() + m.indptr[s], m.values.begin() + m.indptr[s + 1]);
      out.indices.insert(out.indices.end(), m.indices.begin() + m.indptr[s], m.indices.begin() + m.indptr[s + 1]);
      out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
      if (!m.training_rows.empty()) out.training_rows.push_back(m.training_rows[s]);
    }
  }
  out.sv_coef.resize(m.sv_coef.size());
  Index to = 0;
  for (Index own = 0; own < k; ++own) {
    for (Index left = out.n_sv[own]; left > 0; --left, ++to) {
      for (Index other = 0; other < k; ++other) {
        if (other == own) continue;
        const Index o = order[own], p = order[other];
        const double sign = (o < p) == (own < other) ? 1.0 : -1.0;
        out.sv_coef[coef_row(own, other) * l + to] = sign * m.sv_coef[coef_row(o, p) * l + from[to]] + 0.0;  // no -0
      }
    }
  }
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j) {
      const Index a = order[i], b = order[j];
      const std::size_t pair = static_cast<std::size_t>(pair_index(std::min(a, b), std::max(a, b), k));
      const double sign = a < b ? 1.0 : -1.0;
      out.rho.push_back(sign * m.rho[pair] + 0.0);
      if (!m.prob_a.empty()) out.prob_a.push_back(m.prob_a[pair]);  // for the other class, f and B change their signs
      if (!m.prob_b.empty()) out.prob_b.push_back(sign * m.prob_b[pair] + 0.0);
    }
  }
  return out;
}

template <class T>
void copy_values(const data::PointStore& p, const std::vector<T>& values, base::Interrupts& interrupts, LibsvmModel& out) {
  for (Index s = 0; s < p.rows; ++s) {
    interrupts.poll();
    const std::int64_t begin = p.sparse ? p.indptr[s] : s * p.cols, end = p.sparse ? p.indptr[s + 1] : (s + 1) * p.cols;
    for (std::int64_t e = begin; e < end; ++e) {
      const auto v = static_cast<double>(values[e]);
      if (v == 0) continue;
      out.values.push_back(v);
      out.indices.push_back(static_cast<std::int32_t>((p.sparse ? p.indices[e] : e - begin) + 1));
    }
    out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
  }
}

void copy_labels(const ModelData& m, LibsvmModel& out) {
  for (const double label : m.classes) {
    constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    if (label != std::trunc(label) || label < low || label > high) {
      throw DataError("LIBSVM's labels are ints, the model has a class " + std::to_string(label));
    }
    out.labels.push_back(static_cast<int>(label));
  }
  out.n_sv.assign(m.classes.size(), 0);
  if (is_classifier(m.formulation)) {
    for (const int c : m.sv_class) ++out.n_sv[c];
  }
}

/// The support vectors: dense unless that takes much more memory, because dense points predict faster.
data::PointStore points_of(const LibsvmModel& m, Index cols, Index base) {
  data::PointStore p;
  p.rows = m.n_support();
  p.cols = cols;
  constexpr double kDenseFrom = 0.1;
  const auto entries = static_cast<double>(m.values.size());
  p.sparse = entries < kDenseFrom * static_cast<double>(p.rows) * static_cast<double>(cols);
  if (!p.sparse) p.values64.assign(static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(cols), 0.0);
  if (p.sparse) p.indptr = m.indptr;
  for (Index s = 0; s < p.rows; ++s) {
    for (auto e = static_cast<std::size_t>(m.indptr[s]); e < static_cast<std::size_t>(m.indptr[s + 1]); ++e) {
      const Index column = m.indices[e] - base;
      if (p.sparse) {
        p.indices.push_back(column);
        p.values64.push_back(m.values[e]);
      } else {
        p.values64[s * cols + column] = m.values[e];
      }
    }
  }
  return p;
}

/// Single precision where its error does not matter, else double. A regression is always double: its decisions are the answers,
/// which users compare with LIBSVM's to many digits.
Precision precision_of(const LibsvmModel& m, const ModelData& data) {
  constexpr double kNegligible = 2e-6;
  return !is_regression(m.formulation) && svm::decides_in_single(data, kNegligible) ? Precision::single_ : Precision::double_;
}

void set_support(const LibsvmModel& m, ModelData& out) {
  const Index l = m.n_support();
  const bool given = m.kernel.type == KernelType::precomputed;
  for (Index s = 0; s < l; ++s) {
    const Index row = given ? static_cast<Index>(m.values[s]) - 1 : m.training_rows.empty() ? s : m.training_rows[s];
    out.support.push_back(row);
    out.n_train = std::max(out.n_train, row + 1);
  }
  svm::Expansion e;
  e.rho = m.rho;
  for (int c = 0; c < m.n_classes; ++c) {
    const bool classifier = is_classifier(m.formulation);
    const Index n = classifier ? m.n_sv[c] : c == 0 ? l : 0;
    e.classes.push_back(c);
    e.n_sv.push_back(n);
    out.sv_class.insert(out.sv_class.end(), static_cast<std::size_t>(n), c);
  }
  out.expansions.push_back(std::move(e));
}

}  // namespace

void libsvm::check_kernel(KernelType kernel) {
  if (kernel_type(kernel) != nullptr) return;
  throw ModelError(std::string("kernel ") + name_of(kernel) + ": LIBSVM has no such kernel, so its files cannot hold the model");
}

void libsvm::check_libsvm(const LibsvmModel& m) {
  const Index k = m.n_classes, l = m.n_support();
  const bool classifier = is_classifier(m.formulation);
  const auto sized = [](const auto& v, Index n, const char* name) {
    if (static_cast<Index>(v.size()) != n)
      fail(std::string(name) + " has " + std::to_string(v.size()) + " values instead of " + std::to_string(n));
  };
  if (k < 1 || (!classifier && k != 2)) fail("nr_class " + std::to_string(k) + " does not fit the svm_type");
  if (m.kernel.gamma < 0) fail("gamma is negative");
  sized(m.rho, k * (k - 1) / 2, "rho");
  sized(m.sv_coef, (k - 1) * l, "sv_coef");
  sized(m.labels, classifier ? k : 0, "label");
  sized(m.n_sv, classifier ? k : 0, "nr_sv");
  if (classifier && std::accumulate(m.n_sv.begin(), m.n_sv.end(), Index{0}) != l) fail("nr_sv does not add up to total_sv");
  if (!m.prob_a.empty()) sized(m.prob_a, classifier ? k * (k - 1) / 2 : 1, "probA");
  if (!m.prob_b.empty()) sized(m.prob_b, classifier ? k * (k - 1) / 2 : 0, "probB");
  if (!m.density_marks.empty()) sized(m.density_marks, libsvm::kDensityMarks, "prob_density_marks");
  if (!m.training_rows.empty()) sized(m.training_rows, l, "sv_indices");
  sized(m.indices, static_cast<Index>(m.values.size()), "indices");
  sized(m.values, m.indptr.back(), "values");
  for (Index s = 0; s < l; ++s) {
    if (m.indptr[s] < 0 || m.indptr[s] > m.indptr[s + 1]) fail("indptr decreases");
    for (auto e = m.indptr[s]; e < m.indptr[s + 1]; ++e) {
      const std::int32_t least = e > m.indptr[s] ? m.indices[e - 1] + 1 : 0;
      if (m.indices[e] < least) fail("indices of support vector " + std::to_string(s) + " do not ascend from 0 or more");
    }
  }
  if (m.kernel.type != KernelType::precomputed) return;
  for (Index s = 0; s < l; ++s) {
    const bool one = m.indptr[s + 1] - m.indptr[s] == 1;
    const double row = one ? m.values[m.indptr[s]] : 0;
    if (!one || m.indices[m.indptr[s]] != 0 || row < 1 || row != std::trunc(row) || row > std::numeric_limits<int>::max()) {
      fail("a support vector of a precomputed kernel is not 0:serial_number");
    }
  }
}

LibsvmModel to_libsvm(const Model& model, const std::function<bool()>& interrupted) {
  if (model.empty()) throw ModelError("model: empty: it was default-constructed, not trained or loaded");
  const ModelData& m = *model.data();
  libsvm::check_kernel(m.kernel.type);
  if (m.clustered()) throw DataError("a model that stopped early has no LIBSVM form: it predicts by clusters");
  base::Interrupts interrupts(interrupted);
  LibsvmModel out;
  out.formulation =
      m.formulation == Formulation::kernel_ridge ? Formulation::epsilon_svr : m.formulation;  // predicts in the same way
  out.kernel = m.kernel;
  out.n_classes = static_cast<int>(m.n_classes());
  copy_labels(m, out);
  out.rho = model.rho();
  out.sv_coef = m.sv_coef;
  out.training_rows = m.support;
  out.prob_a = m.calibration.a;
  out.prob_b = m.calibration.b;
  out.density_marks = m.calibration.density_marks;
  if (m.kernel.type == KernelType::precomputed) {
    for (const Index row : m.support) {
      out.indices.push_back(0);
      out.values.push_back(static_cast<double>(row + 1));
      out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
    }
  } else if (m.points.scalar == ScalarType::float32) {
    copy_values(m.points, m.points.values32, interrupts, out);
  } else {
    copy_values(m.points, m.points.values64, interrupts, out);
  }
  std::vector<int> order(out.labels.size());
  std::iota(order.begin(), order.end(), 0);
  if (!m.places.empty()) {
    std::sort(order.begin(), order.end(), [&](int a, int b) { return m.places[a] < m.places[b]; });
  } else if (out.labels == std::vector<int>{-1, 1}) {
    order = {1, 0};
  }
  return reorder(out, order);
}

Model from_libsvm(const LibsvmModel& model, Index n_features, std::optional<Precision> precision) {
  libsvm::check_libsvm(model);
  const bool classifier = is_classifier(model.formulation);
  if (classifier && model.n_classes < 2) fail("a classifier of one class");
  std::vector<int> order(model.n_classes);
  std::iota(order.begin(), order.end(), 0);
  if (classifier) {
    std::sort(order.begin(), order.end(), [&](int a, int b) { return model.labels[a] < model.labels[b]; });
  }
  const LibsvmModel m = reorder(model, order);
  ModelData out;
  out.formulation = m.formulation;
  out.kernel = m.kernel;
  out.classes.assign(m.labels.begin(), m.labels.end());
  if (classifier && !std::is_sorted(order.begin(), order.end())) out.places = std::move(order);
  out.sv_coef = m.sv_coef;
  out.calibration = {m.prob_a, m.prob_b, m.density_marks};
  set_support(m, out);
  const bool given = m.kernel.type == KernelType::precomputed;
  const Index base = given || std::find(m.indices.begin(), m.indices.end(), 0) == m.indices.end() ? 1 : 0;
  Index cols = 1;
  if (!given && !m.indices.empty())
    cols = std::max(cols, Index{*std::max_element(m.indices.begin(), m.indices.end())} + 1 - base);
  if (n_features != 0 && n_features < (given ? out.n_train : cols)) {
    throw ParameterError("n_features must be >= " + std::to_string(given ? out.n_train : cols) + ", which the model uses, got " +
                         std::to_string(n_features));
  }
  out.n_features = std::max(cols, n_features);
  if (given) out.n_features = out.n_train = std::max(out.n_train, n_features);
  out.n_train = std::max<Index>(out.n_train, 1);
  if (!given) out.points = points_of(m, out.n_features, base);
  svm::check_model(out);
  out.precision = precision ? *precision : precision_of(m, out);
  out.report.n_support = m.n_support();
  out.report.precision = out.precision == Precision::double_ ? "double" : "single";
  out.report.gamma = m.kernel.gamma;
  return Model(std::make_shared<const ModelData>(std::move(out)));
}

}  // namespace dcsvm
