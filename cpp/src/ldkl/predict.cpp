// dcsvm/ldkl.hpp: prediction. A row's cost is that of its path.
#include <algorithm>
#include <cmath>
#include <vector>

#include "data/output.hpp"
#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "ldkl/model_data.hpp"
#include "ldkl/path.hpp"
#include "products/row_operations.hpp"

namespace dcsvm {

namespace ldkl {

namespace {

constexpr Index kQueries = 256;  // of one piece of parallel work

/// Inner products of one row of the caller's X, whose values are T, with vectors of its features and a constant.
template <class T>
class DenseRow {
 public:
  explicit DenseRow(const DenseView& x) : x_(x), copy_(x.col_stride == 1 ? 0 : x.cols) {}

  void move_to(Index i) {
    values_ = static_cast<const T*>(x_.data) + i * x_.row_stride;
    if (x_.col_stride == 1) return;
    for (Index j = 0; j < x_.cols; ++j) copy_[j] = values_[j * x_.col_stride];
    values_ = copy_.data();
  }
  double operator()(const double* vector) const { return simd::ops<T>().dot(values_, vector, x_.cols) + vector[x_.cols]; }

 private:
  const DenseView& x_;
  std::vector<T> copy_;
  const T* values_ = nullptr;
};

template <class T, class Column>
class SparseRow {
 public:
  explicit SparseRow(const CsrView& x) : x_(x) {}

  void move_to(Index i) {
    begin_ = data::row_begin(x_, i);
    size_ = data::row_begin(x_, i + 1) - begin_;
  }
  double operator()(const double* vector) const {
    const auto* values = static_cast<const T*>(x_.values) + begin_;
    const auto* columns = static_cast<const Column*>(x_.indices) + begin_;
    return products::sparse_dot(values, columns, size_, vector) + vector[x_.cols];
  }

 private:
  const CsrView& x_;
  Index begin_ = 0, size_ = 0;
};

/// Calls fn(row, decisions of problem 0, 1, ...) for rows [begin, end).
template <class Row, class Use>
void decide_rows(const LdklData& m, Row row, Index begin, Index end, const Use& use) {
  const Index problems = n_problems(m), wide = m.shape().nodes() * m.shape().cols, narrow = m.shape().inner() * m.shape().cols;
  PathOfRow path(m.shape(), m.sigma);
  std::vector<double> dec(problems);
  for (Index i = begin; i < end; ++i) {
    row.move_to(i);
    for (Index p = 0; p < problems; ++p) {
      path.walk(m.v.data() + p * wide, m.theta.data() + p * narrow, row);
      dec[p] = path.decision(m.w.data() + p * wide, row);
      if (!std::isfinite(dec[p])) data::overflow(i);
    }
    use(i, dec.data());
  }
}

template <class Use>
void decide_some(const LdklData& m, const DataView& view, Index begin, Index end, const Use& use) {
  if (const auto* x = std::get_if<DenseView>(&view)) {
    if (x->scalar == ScalarType::float32) return decide_rows(m, DenseRow<float>(*x), begin, end, use);
    return decide_rows(m, DenseRow<double>(*x), begin, end, use);
  }
  const auto& x = std::get<CsrView>(view);
  const bool narrow = x.index_type == IndexType::int32;
  if (x.scalar == ScalarType::float32) {
    if (narrow) return decide_rows(m, SparseRow<float, std::int32_t>(x), begin, end, use);
    return decide_rows(m, SparseRow<float, std::int64_t>(x), begin, end, use);
  }
  if (narrow) return decide_rows(m, SparseRow<double, std::int32_t>(x), begin, end, use);
  return decide_rows(m, SparseRow<double, std::int64_t>(x), begin, end, use);
}

double label_of(const LdklData& m, const double* dec) {
  if (m.classes.size() == 2) return m.classes[dec[0] < 0 ? 1 : 0];
  return m.classes[std::max_element(dec, dec + m.classes.size()) - dec];
}

void run(const LdklModel& model, const DataView& x, const PredictOptions& options, const data::Output& out) {
  const LdklData& m = data::data_for(model, x);
  // One stored value costs about as much as a tenth of a kernel value.
  const double work = 0.1 * static_cast<double>(data::stored_values(x)) * model.cost();
  data::run_prediction(x, work, options, [&](base::ThreadPool& pool) { decide(m, x, pool, out); });
}

}  // namespace

void decide(const LdklData& m, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  const Index problems = n_problems(m);
  pool.for_range(rows_of(x), kQueries, [&](Index begin, Index end, int) {
    decide_some(m, x, begin, end, [&](Index i, const double* dec) {
      if (out.decisions != nullptr) std::copy(dec, dec + problems, out.decisions + i * problems);
      if (out.labels != nullptr) out.labels[i] = label_of(m, dec);
    });
  });
}

}  // namespace ldkl

void decision_function(const LdklModel& model, const DataView& x, double* out, const PredictOptions& options) {
  ldkl::run(model, x, options, {out, nullptr});
}

void predict(const LdklModel& model, const DataView& x, double* out, const PredictOptions& options) {
  ldkl::run(model, x, options, {nullptr, out});
}

}  // namespace dcsvm
