#include "svm/prediction/route.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "data/output.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"
#include "svm/prediction/decide.hpp"
#include "svm/prediction/sums.hpp"

namespace dcsvm::svm {

namespace {

/// Both routers in one form: score_c(x) = constant_c + sum_{j in [first_c, first_{c+1})} weight_j K(x, s_j).
template <class T>
struct Scores {
  PackedSupport::Values<T> kernel;
  std::vector<Index> first;
  std::vector<double> weight;
  std::vector<double> constant;
  std::vector<int> eligible;  ///< ascending
};

std::vector<int> eligible_clusters(const ModelData& model, const std::vector<Index>& first) {
  std::vector<int> clusters;
  for (std::size_t c = 0; c < model.expansions.size(); ++c) {
    if (!model.expansions[c].classes.empty() && first[c] < first[c + 1]) clusters.push_back(static_cast<int>(c));
  }
  if (clusters.empty()) throw ModelError("model: no cluster has training points to predict from");
  return clusters;
}

template <class T>
Scores<T> kernel_scores(const ModelData& model, const KernelRouter& router) {
  Scores<T> s;
  s.first = router.first;
  s.constant = router.constant;
  s.eligible = eligible_clusters(model, s.first);
  s.weight.resize(s.first.back());
  for (std::size_t c = 0; c + 1 < s.first.size(); ++c) {
    const double w = static_cast<double>(s.first[c + 1] - s.first[c]);
    std::fill(s.weight.begin() + s.first[c], s.weight.begin() + s.first[c + 1], -2.0 / w);
  }
  s.kernel = model.packed.get<T>(PackedSupport::kRouter, [&]() -> PackedSupport::Values<T> {
    if (router.kernel.type == KernelType::precomputed)
      return kernel_matrix::given_kernel<T>({router.sample.values64.begin(), router.sample.values64.end()}, model.n_train);
    return kernel_matrix::points_kernel<T>(router.sample.view(), router.kernel);
  });
  return s;
}

/// |x - m_c|^2 - |x|^2 up to a constant = |m_c - m|^2 + 2 m'(m_c - m) - 2 x'(m_c - m) with m the mean of the centres: fewer
/// digits are lost when the data lies far from the origin.
Scores<double> centre_scores(const ModelData& model, const CentreRouter& router) {
  const Index k = router.clusters, d = router.cols;
  std::vector<double> mean(d, 0.0), shifted(router.centres);
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) mean[j] += router.centres[c * d + j] / static_cast<double>(k);
  }
  Scores<double> s;
  s.first.resize(k + 1);
  for (Index c = 0; c <= k; ++c) s.first[c] = c;
  s.weight.assign(k, -2.0);
  s.constant.assign(k, 0.0);
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) {
      double& v = shifted[c * d + j];
      v -= mean[j];
      s.constant[c] += v * (v + 2.0 * mean[j]);
    }
  }
  KernelParams linear;
  linear.type = KernelType::linear;
  s.eligible = eligible_clusters(model, s.first);
  s.kernel = kernel_matrix::points_kernel<double>(dense(shifted.data(), k, d), linear);
  return s;
}

template <class T>
std::vector<int> nearest(const Scores<T>& s, const DataView& x, base::ThreadPool& pool) {
  const auto dot = simd::ops<T>().dot;
  const Index n = rows_of(x), n_points = s.kernel->size(), n_clusters = static_cast<Index>(s.constant.size());
  std::vector<int> cluster_of(n);
  std::vector<std::vector<T>> tiles(pool.size());
  pool.for_range(n, query_grain(n), [&](Index begin, Index end, int worker) {
    auto& tile = tiles[worker];
    tile.resize(std::max(tile.size(), static_cast<std::size_t>((end - begin) * kernel_matrix::kPoints)));
    std::vector<double> score((end - begin) * n_clusters);
    for (Index r = 0; r < end - begin; ++r) std::copy(s.constant.begin(), s.constant.end(), score.begin() + r * n_clusters);
    for (Index from = 0; from < n_points; from += kernel_matrix::kPoints) {
      const Index to = std::min(n_points, from + kernel_matrix::kPoints);
      s.kernel->block(x, begin, end - begin, from, to, tile.data(), kernel_matrix::kPoints);
      for (const int c : s.eligible) {
        const Index a = std::max(from, s.first[c]), b = std::min(to, s.first[c + 1]);
        if (a >= b) continue;
        for (Index r = 0; r < end - begin; ++r) {
          score[r * n_clusters + c] += dot(tile.data() + r * kernel_matrix::kPoints + (a - from), s.weight.data() + a, b - a);
        }
      }
    }
    for (Index r = 0; r < end - begin; ++r) {
      int best = s.eligible.front();
      for (const int c : s.eligible) {
        if (!std::isfinite(score[r * n_clusters + c])) data::overflow(begin + r);
        if (score[r * n_clusters + c] < score[r * n_clusters + best]) best = c;
      }
      cluster_of[begin + r] = best;
    }
  });
  return cluster_of;
}

}  // namespace

std::vector<int> route(const ModelData& model, const DataView& x, base::ThreadPool& pool) {
  if (const auto* centres = std::get_if<CentreRouter>(&model.router)) {
    return nearest(centre_scores(model, *centres), x, pool);
  }
  const auto& router = std::get<KernelRouter>(model.router);
  return model.precision == Precision::single_ ? nearest(kernel_scores<float>(model, router), x, pool)
                                               : nearest(kernel_scores<double>(model, router), x, pool);
}

}  // namespace dcsvm::svm
