// Gradients of the decisions. For a kernel of x'y the gradient of K(x, y) by x is slope y, for one of |x - y| it is slope
// (y - x).
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "data/predict_call.hpp"
#include "data/read.hpp"
#include "dcsvm/explain.hpp"
#include "kernel_functions/all.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"
#include "svm/explanation/kernels_that.hpp"
#include "svm/explanation/pair_coefficients.hpp"
#include "svm/prediction/queries.hpp"

namespace dcsvm {

namespace svm {
namespace {

kernels::Gradient gradient_of(const KernelParams& kernel) {
  return kernels::with_kernel(kernel, [&](const auto& k) -> kernels::Gradient {
    if constexpr (std::decay_t<decltype(k)>::kGradient) {
      return k.gradient();
    } else {
      const std::string of = kernel.type == KernelType::precomputed
                                 ? "a precomputed kernel is given in numbers, which have no derivative by the features"
                                 : std::string("it is not formed for kernel ") + name_of(kernel.type);
      throw ParameterError("decision_gradient: " + of + ". Train with kernel " +
                           kernels_that([](const auto& other) { return other.kGradient; }));
    }
  });
}

/// sum[j] += sum_i weights[i] points[begin + i][j] for i in [0, m).
class Points {
 public:
  explicit Points(const ModelData& model) : store_(model.points) {}

  void add(const std::vector<double>& weights, Index begin, Index m, double* sum) const {
    if (store_.sparse) {
      store_.scalar == ScalarType::float32 ? add_sparse(store_.values32, weights, begin, m, sum)
                                           : add_sparse(store_.values64, weights, begin, m, sum);
    } else {
      store_.scalar == ScalarType::float32 ? add_dense(store_.values32, weights, begin, m, sum)
                                           : add_dense(store_.values64, weights, begin, m, sum);
    }
  }

 private:
  template <class T>
  void add_dense(const std::vector<T>& values, const std::vector<double>& weights, Index begin, Index m, double* sum) const {
    std::vector<const T*> rows(m);
    for (Index i = 0; i < m; ++i) rows[i] = values.data() + (begin + i) * store_.cols;
    simd::ops<T>().accumulate(weights.data(), rows.data(), m, 0, store_.cols, sum);
  }
  template <class T>
  void add_sparse(const std::vector<T>& values, const std::vector<double>& weights, Index begin, Index m, double* sum) const {
    for (Index i = 0; i < m; ++i) {
      for (auto t = store_.indptr[begin + i]; t < store_.indptr[begin + i + 1]; ++t) {
        sum[store_.indices[t]] += weights[i] * static_cast<double>(values[t]);
      }
    }
  }

  const data::PointStore& store_;
};

/// Queries of one tile of slopes: fewer where their gradients would take much memory.
Index gradients_together(Index gradient) {
  constexpr Index kMost = 16, kMostNumbers = Index{1} << 21;  // 16 MB for each thread
  return std::clamp<Index>(kMostNumbers / gradient, 1, kMost);
}

}  // namespace
}  // namespace svm

void decision_gradient(const Model& model, const DataView& x, double* out, const PredictOptions& options) {
  const svm::ModelData& m = svm::data_for_queries(model, x);
  svm::check_one_model(m, "decision_gradient");
  const kernels::Gradient slope = svm::gradient_of(m.kernel);
  const Index d = m.n_features, pairs = m.n_pairs();
  const std::vector<svm::Segment> segments = svm::segments_of(m, 0, m.expansions.size());
  const svm::Points points(m);
  const double work = static_cast<double>(rows_of(x)) * static_cast<double>(m.support.size());
  data::run_prediction(x, work, options, [&](base::ThreadPool& pool) {
    const auto kernel = kernel_matrix::points_kernel<double>(m.points.view(), slope.kernel);
    pool.for_range(rows_of(x), svm::gradients_together(pairs * d), [&](Index first, Index last, int worker) {
      const Index n = last - first;
      std::vector<double> slopes(n * kernel_matrix::kPoints), query(d), weights;
      std::vector<double> sums(n * pairs * d), totals(n * pairs);
      for (const svm::Segment& segment : segments) {
        for (Index begin = segment.begin; begin < segment.end; begin += kernel_matrix::kPoints) {
          if (worker == 0) pool.poll();
          if (pool.failed()) return;
          const Index count = std::min(kernel_matrix::kPoints, segment.end - begin);
          kernel->block(x, first, n, begin, begin + count, slopes.data(), kernel_matrix::kPoints);
          weights.resize(count);
          for (Index r = 0; r < n; ++r) {
            svm::each_pair(m, segment, [&](Index pair, const double* coef) {
              const double* values = slopes.data() + r * kernel_matrix::kPoints;
              for (Index i = 0; i < count; ++i) {
                weights[i] = coef[begin - segment.begin + i] * slope(values[i]);
                totals[r * pairs + pair] += weights[i];
              }
              points.add(weights, begin, count, sums.data() + (r * pairs + pair) * d);
            });
          }
        }
      }
      for (Index r = 0; r < n; ++r) {
        data::copy_rows(x, nullptr, first + r, 1, query.data(), d);
        for (Index pair = 0; pair < pairs; ++pair) {
          const double* sum = sums.data() + (r * pairs + pair) * d;
          const double of_query = slope.of_difference ? totals[r * pairs + pair] : 0.0;
          for (Index j = 0; j < d; ++j) out[((first + r) * d + j) * pairs + pair] = sum[j] - of_query * query[j];
        }
      }
    });
  });
}

}  // namespace dcsvm
