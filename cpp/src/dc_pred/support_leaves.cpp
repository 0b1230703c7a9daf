#include "dc_pred/support_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr Index kSupportBlock = 2048;  // support vectors at a time
constexpr Index kQueries = 64;  // rows at a time

}  // namespace

void need_two_classes(std::size_t n_classes) {
  if (n_classes > 2) throw ParameterError("landmarks: \"support\" needs two classes or a regression");
}

namespace {

bool one_expansion(const svm::ModelData& model) { return !model.clustered() && model.expansions.size() == 1; }

}  // namespace

bool can_expand(const svm::ModelData& model) { return model.classes.size() <= 2 && one_expansion(model); }

void check_expansion(const svm::ModelData& model) {
  need_two_classes(model.classes.size());
  if (!one_expansion(model)) throw ParameterError("landmarks: \"support\" needs an exact model, not an early one");
}

SupportExpansion::SupportExpansion(const svm::ModelData& model, const DcPredProblem& problem, std::size_t cap_bytes,
                                   base::ThreadPool& pool)
    : kernel_(model.kernel), coef_(model.sv_coef) {
  bias_ = -model.expansions[0].rho.at(0);
  const Index n = size(), d = problem.rows.d, stride = problem.rows.stride;
  const double bytes = 2.0 * static_cast<double>(n + problem.rows.n) * static_cast<double>(stride) * sizeof(float);
  if (bytes > static_cast<double>(cap_bytes)) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 64) +
                   " MB: rows and support vectors are held twice as dense float32");
  }
  values_ = base::Buffer<float>(n * stride);
  const DataView points = model.points.view();
  pool.for_range(n, 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      float* row = values_.data() + i * stride;
      std::fill(row + d, row + stride, 0.0F);
      data::copy_rows(points, nullptr, i, 1, row, stride);
      simd::ops<float>().shift_row(row, problem.shift.data(), stride, row);
    }
  });
  rows_ = {values_.data(), nullptr, n, d, stride};
  if (n > 0) cross_ = kernel_matrix::make_cross_kernel<float>(rows_.view(), nullptr, n, kernel_);
}

SupportExpansion::Weights SupportExpansion::weigh(const DcPredProblem& problem, const std::vector<Index>& members) const {
  const Index n = size(), m = static_cast<Index>(members.size()), d = problem.rows.d;
  std::vector<float> queries(m * d), block(static_cast<std::size_t>(kQueries * kSupportBlock));
  data::copy_rows(problem.rows.view(), members.data(), 0, m, queries.data(), d);
  const DataView view = dense(queries.data(), m, d);
  Weights weights{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (Index begin = 0; begin < n; begin += kSupportBlock) {
    const Index count = std::min(kSupportBlock, n - begin);
    for (Index first = 0; first < m; first += kQueries) {
      const Index rows = std::min(kQueries, m - first);
      cross_->block(view, first, rows, begin, begin + count, block.data(), kSupportBlock);
      for (Index r = 0; r < rows; ++r) {
        const float* values = block.data() + r * kSupportBlock;
        for (Index j = 0; j < count; ++j) {
          weights.size[begin + j] += std::abs(double{values[j]});
          weights.value[begin + j] += double{values[j]};
        }
      }
    }
  }
  for (Index j = 0; j < n; ++j) {
    weights.size[j] *= std::abs(coef_[j]) / static_cast<double>(m);
    weights.value[j] *= coef_[j] / static_cast<double>(m);
  }
  return weights;
}

SupportRanking SupportExpansion::rank(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
                                      base::Context& context) const {
  base::Random random(context.seed);
  const Weights weights = weigh(problem, base::sample(members, params.sample_size, random));
  std::vector<Index> order = base::index_range(size());
  const Index most = std::min(params.n_landmarks, size());
  std::partial_sort(order.begin(), order.begin() + most, order.end(), [&](Index a, Index b) {
    return weights.size[a] != weights.size[b] ? weights.size[a] > weights.size[b] : a < b;
  });
  SupportRanking ranking;
  ranking.made = true;
  ranking.total = std::accumulate(weights.value.begin(), weights.value.end(), 0.0);
  double rest = std::accumulate(weights.size.begin(), weights.size.end(), 0.0);
  for (Index m = 0; m < most && rest > params.tol; ++m) {
    const Index j = order[m];
    ranking.order.push_back(j);
    ranking.size.push_back(weights.size[j]);
    ranking.value.push_back(weights.value[j]);
    rest -= weights.size[j];
  }
  return ranking;
}

DcPredLeaf SupportExpansion::leaf(const DcPredProblem& problem, const SupportRanking& ranking, Index m) const {
  const Index stride = problem.rows.stride;
  std::vector<float> landmarks(m * stride);
  double mean = ranking.total;
  for (Index j = 0; j < m; ++j) {
    std::copy_n(rows_.row(ranking.order[j]), stride, landmarks.data() + j * stride);
    mean -= ranking.value[j];
  }
  DcPredLeaf leaf;
  leaf.basis = make_basis(std::move(landmarks), m, problem.rows.d, stride, static_cast<float>(kernel_.gamma));
  if (m > 0) leaf.coef.assign(leaf.basis.width(), 0.0F);
  for (Index j = 0; j < m; ++j) leaf.coef[j] = static_cast<float>(coef_[ranking.order[j]]);
  leaf.intercept = {static_cast<float>(bias_ + mean)};
  return leaf;
}

std::vector<Index> share_out(const std::vector<SupportRanking>& rankings, const std::vector<double>& share,
                             const std::vector<int>& depth, double budget, const std::function<double(Index)>& cost) {
  const std::size_t leaves = rankings.size();
  std::vector<double> weights;
  for (const SupportRanking& ranking : rankings) weights.insert(weights.end(), ranking.size.begin(), ranking.size.end());
  std::sort(weights.begin(), weights.end());
  std::vector<Index> counts(leaves);
  const auto heavier = [&](double least) {  // counts of weights of at least that, and what they cost
    double sum = 0;
    for (std::size_t l = 0; l < leaves; ++l) {
      const std::vector<double>& sizes = rankings[l].size;
      counts[l] = std::partition_point(sizes.begin(), sizes.end(), [&](double w) { return w >= least; }) - sizes.begin();
      sum += share[l] * (depth[l] + cost(counts[l]));
    }
    return sum;
  };
  const auto least = std::partition_point(weights.begin(), weights.end(), [&](double w) { return heavier(w) > budget; });
  heavier(least == weights.end() ? std::numeric_limits<double>::infinity() : *least);
  return counts;
}

}  // namespace dcsvm::dc_pred
