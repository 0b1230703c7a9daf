#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "data/output.hpp"
#include "data/predict_call.hpp"
#include "dcsvm/explain.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "svm/explanation/pair_coefficients.hpp"
#include "svm/prediction/queries.hpp"
#include "svm/prediction/support_kernel.hpp"

namespace dcsvm {

void nearest_support(const Model& model, const DataView& x, Index k, const NearestSupport& out, const PredictOptions& options) {
  const svm::ModelData& m = svm::data_for_queries(model, x);
  svm::check_one_model(m, "nearest_support_vectors");
  if (k < 1) throw ParameterError("k must be at least 1, got " + std::to_string(k));
  const auto n_sv = static_cast<Index>(m.support.size());
  const Index pairs = m.n_pairs();
  const std::vector<svm::Segment> segments = svm::segments_of(m, 0, m.expansions.size());
  const double work = static_cast<double>(rows_of(x)) * static_cast<double>(n_sv);
  data::run_prediction(x, work, options, [&](base::ThreadPool& pool) {
    const auto kernel = svm::support_kernel<double>(m, svm::PackedSupport::kWhole);
    constexpr Index kGrain = 8;
    pool.for_range(rows_of(x), kGrain, [&](Index first, Index last, int) {
      std::vector<double> values(n_sv), contributions(n_sv);
      std::vector<Index> found;
      for (Index row = first; row < last; ++row) {
        for (Index begin = 0; begin < n_sv; begin += kernel_matrix::kPoints) {
          const Index end = std::min(n_sv, begin + kernel_matrix::kPoints);
          kernel->block(x, row, 1, begin, end, values.data() + begin, kernel_matrix::kPoints);
        }
        for (Index pair = 0; pair < pairs; ++pair) {
          double total = 0.0;
          found.clear();
          for (const svm::Segment& segment : segments) {
            svm::each_pair(m, segment, [&](Index its, const double* coef) {
              if (its != pair) return;
              for (Index i = segment.begin; i < segment.end; ++i) {
                const double contribution = coef[i - segment.begin] * values[i];
                if (!std::isfinite(contribution)) data::overflow(row);
                if (coef[i - segment.begin] == 0.0) continue;  // it is a support vector of another pair
                contributions[i] = contribution;
                total += std::abs(contribution);
                found.push_back(i);
              }
            });
          }
          const auto larger = [&](Index a, Index b) {
            const double of_a = std::abs(contributions[a]), of_b = std::abs(contributions[b]);
            return of_a > of_b || (of_a == of_b && a < b);
          };
          const Index count = std::min(k, static_cast<Index>(found.size()));
          std::partial_sort(found.begin(), found.begin() + count, found.end(), larger);
          for (Index t = 0; t < k; ++t) {
            const Index at = (row * k + t) * pairs + pair;
            out.indices[at] = t < count ? found[t] : -1;
            out.contributions[at] = t < count ? contributions[found[t]] : 0.0;
            out.shares[at] = t < count && total > 0.0 ? std::abs(contributions[found[t]]) / total : 0.0;
          }
        }
      }
    });
  });
}

}  // namespace dcsvm
