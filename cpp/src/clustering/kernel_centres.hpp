// Cluster centres in feature space, held as groups of sampled points.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::clustering {

struct KernelCentres {
  std::vector<Index> sample;     ///< positions in the row source, grouped by centre
  std::vector<Index> first{0};   ///< size() + 1
  std::vector<double> constant;  ///< 1/w_c^2 sum_{i,j in c} K(s_i, s_j)

  Index size() const { return static_cast<Index>(constant.size()); }
  /// Appends centre c of `from`.
  void append(const KernelCentres& from, Index c);
};

/// Kernel k-means on the kernel block of `points`; holds points.size()^2 kernel values.
template <class T>
KernelCentres fit_centres(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& points, Index clusters,
                          int max_iterations, base::Random& random, base::Context& context);

/// Calls fn(i, score) for i in [0, n) in order, on the calling thread; score as for_each_score. columns: of centres.sample.
template <class T>
void score_block(const kernel_matrix::Columns<T>& columns, const KernelCentres& centres, const Index* points, Index n,
                 std::vector<T>& tile, const std::function<void(Index, const double*)>& fn);

/// Calls fn(i, score) for i in [0, n), concurrently and in no order: score[c] = constant_c - 2/w_c sum_{j in c} K(points[i],
/// s_j), which is the squared distance to centre c less K(x, x). points null: 0..n-1.
template <class T>
void for_each_score(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, const Index* points, Index n,
                    base::Context& context, const std::function<void(Index, const double*)>& fn);

/// The lowest score, ties to the lower centre; NaN scores never win over numbers.
inline std::int32_t nearest_centre(const double* score, Index k) {
  std::int32_t best = 0;
  for (Index c = 1; c < k; ++c) {
    if (score[c] < score[best] || score[best] != score[best]) best = static_cast<std::int32_t>(c);
  }
  return best;
}

}  // namespace dcsvm::clustering
