#include "dc_pred/leaf_training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/stop_reason.hpp"
#include "base/vectors.hpp"
#include "clustering/weighted_kmeans.hpp"
#include "data/read.hpp"
#include "dc_pred/leaf_fit.hpp"
#include "dc_pred/pseudo_landmarks.hpp"
#include "dc_pred/refine_landmarks.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "least_squares/ridge.hpp"
#include "svm/problems/solve_binary.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr int kLandmarkRounds = 15;                // of Lloyd
constexpr double kGammaScales[] = {1.0, 0.25, 0.0625};  // tried in each leaf

/// The coefficient of a row.
using Coefficient = std::pair<Index, double>;

/// For each of n rows the sum of its squared coefficients, times a power of two that keeps the largest from leaving the range of
/// a double: only ratios count. Throws DataError.
std::vector<double> sums_of_squares(const std::vector<Coefficient>& coefficients, Index n) {
  double most = 0;
  for (const auto& [row, value] : coefficients) {
    if (!std::isfinite(value))
      throw DataError("X: the coefficients of a leaf overflow (infinity or NaN); scale the features or choose another kernel");
    most = std::max(most, std::abs(value));
  }
  std::vector<double> sums(n, 0.0);
  if (most == 0) return sums;
  const int exponent = std::ilogb(most);
  for (const auto& [row, value] : coefficients) {
    const double scaled = std::scalbn(value, -exponent);
    sums[row] += scaled * scaled;
  }
  return sums;
}

class LeafTraining {
 public:
  LeafTraining(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
               base::Context& context, const Progress& progress)
      : problem_(problem), params_(params), context_(context), progress_(progress), random_(context.seed) {
    const auto n = static_cast<Index>(members.size()), stride = problem.rows.stride;
    values_ = base::Buffer<float>(n * stride);
    norms_ = base::Buffer<float>(n);
    for (Index i = 0; i < n; ++i) {
      const Index row = members[i];
      std::copy_n(problem.rows.row(row), stride, values_.data() + i * stride);
      norms_[i] = problem.rows.norms[row];
      upper_.push_back(problem.upper[row]);
      class_of_.push_back(problem.class_of[row]);
      if (problem.regression()) targets_.push_back(problem.targets[row]);
    }
    rows_ = {values_.data(), norms_.data(), n, problem.rows.d, stride};
  }

  LeafOutcome run() {
    LeafOutcome outcome;
    // Rows weigh as much as their squared coefficients.
    std::vector<double> weight = sums_of_squares(problem_.regression() ? local_ridge(outcome) : local_model(outcome), rows_.n);
    outcome.n_support = std::count_if(weight.begin(), weight.end(), [](double w) { return w > 0; });
    if (outcome.n_support == 0) std::fill(weight.begin(), weight.end(), 1.0);  // a leaf needs landmarks
    std::vector<float> landmarks = clustering::weighted_kmeans(rows_, weight, params_.n_landmarks, kLandmarkRounds, random_);
    const Index m = static_cast<Index>(landmarks.size()) / rows_.stride;
    if (!problem_.regression()) set_targets();
    const float gamma = refine(landmarks);
    LeafBasis basis = make_basis(std::move(landmarks), m, rows_.d, rows_.stride, gamma);
    std::vector<Index> support;
    for (Index i = 0; i < rows_.n; ++i) {
      if (weight[i] > 0) support.push_back(i);
    }
    add_pseudo(params_.pseudo, params_.n_pseudo, rows_, support, random_, basis);
    outcome.leaf = fit(std::move(basis));
    return outcome;
  }

 private:
  /// Moves the landmarks and chooses this leaf's gamma, which it returns: under a very local kernel a dozen landmarks would leave
  /// most of the leaf uncovered. (Eq. (5) approximates the kernel by features of any gamma.)
  float refine(std::vector<float>& landmarks) {
    const auto own = static_cast<float>(problem_.kernel.gamma);
    if (params_.refine == 0 || problem_.kernel.type != KernelType::rbf) return own;
    RefineProblem problem;
    problem.rows = rows_;
    problem.outputs = outputs_;
    problem.targets = targets_.data();
    problem.C = upper_.data();
    problem.fit_intercept = params_.fit_intercept;
    problem.squared = problem_.regression();
    double best = std::numeric_limits<double>::infinity(), gamma = problem_.kernel.gamma;
    std::vector<float> start = landmarks;
    for (const double scale : kGammaScales) {
      std::vector<float> trial = landmarks;
      problem.gamma = problem_.kernel.gamma * scale;
      const double value = refine_landmarks(problem, (params_.refine + 3) / 4, *context_.pool, trial);
      if (!(value < best)) continue;
      best = value;
      gamma = problem.gamma;
      start = std::move(trial);
    }
    problem.gamma = gamma;
    landmarks = std::move(start);
    refine_landmarks(problem, params_.refine, *context_.pool, landmarks);
    return static_cast<float>(gamma);
  }

  /// alpha of the leaf's C-SVM, one against one.
  std::vector<Coefficient> local_model(LeafOutcome& outcome) {
    const auto k = static_cast<Index>(problem_.classes.size());
    const auto members = svm::points_by_class(class_of_, k);
    const auto source = kernel_matrix::make_kernel_rows<float>(rows_.view(), problem_.kernel, *context_.pool);
    std::vector<Coefficient> alpha;
    qp::Options options;
    options.tol = params_.tol;
    for (int a = 0; a < k; ++a) {
      for (int b = a + 1; b < k; ++b) {
        if (members[a].empty() || members[b].empty()) continue;
        svm::BinaryProblem pair = svm::make_pair_problem(a, members[a], b, members[b], upper_, nullptr);
        const auto subset = kernel_matrix::make_subset(*source, pair.points);
        const auto solution = svm::solve_c_svc(*subset, pair, params_.fit_intercept, options, context_, progress_);
        for (std::size_t i = 0; i < pair.points.size(); ++i) alpha.emplace_back(pair.points[i], pair.beta[i]);
        outcome.violation = std::max(outcome.violation, solution.violation);
        outcome.stop_reason = base::worse(outcome.stop_reason, solution.stop_reason);
      }
    }
    return alpha;
  }

  /// alpha of the leaf's kernel ridge regression (Eq. 2) on the targets minus their weighted mean.
  std::vector<Coefficient> local_ridge(LeafOutcome& outcome) {
    const auto rounded = kernel_matrix::make_kernel_rows<float>(rows_.view(), problem_.kernel, *context_.pool);
    const auto exact = kernel_matrix::make_kernel_rows<double>(rows_.view(), problem_.kernel, *context_.pool);
    std::vector<double> centred = targets_, lambda;
    if (params_.fit_intercept) {
      const double mean = std::inner_product(upper_.begin(), upper_.end(), targets_.begin(), 0.0) /
                          std::accumulate(upper_.begin(), upper_.end(), 0.0);
      for (double& y : centred) y -= mean;
    }
    for (const double C : upper_) lambda.push_back(1 / (2 * C));
    least_squares::RidgeTask task{centred.data(), lambda.data()};
    task.tol = params_.tol;
    const least_squares::RidgeSolution solution = least_squares::solve_ridge({rounded.get(), *exact}, task, context_);
    outcome.stop_reason = solution.stop_reason;
    for (const double r : solution.residual) outcome.violation = std::max(outcome.violation, std::abs(r));
    std::vector<Coefficient> alpha;
    alpha.reserve(solution.alpha.size());
    for (const double a : solution.alpha) alpha.emplace_back(static_cast<Index>(alpha.size()), a);
    return alpha;
  }

  void set_targets() {
    outputs_ = problem_.classes.size() == 2 ? 1 : static_cast<Index>(problem_.classes.size());
    targets_.assign(outputs_ * rows_.n, -1.0);
    for (Index o = 0; o < outputs_; ++o) {
      for (Index i = 0; i < rows_.n; ++i) {
        if (class_of_[i] == o) targets_[o * rows_.n + i] = 1.0;
      }
    }
  }

  std::vector<double> sampled_kernel(const std::vector<Index>& sample) const {
    const auto n = static_cast<Index>(sample.size());
    const auto kernel = kernel_matrix::make_cross_kernel<float>(rows_.view(), sample.data(), n, problem_.kernel);
    std::vector<float> queries(n * rows_.d), block(static_cast<std::size_t>(n * n));
    data::copy_rows(rows_.view(), sample.data(), 0, n, queries.data(), rows_.d);
    kernel->block(dense(queries.data(), n, rows_.d), 0, n, 0, n, block.data(), n);
    return {block.begin(), block.end()};
  }

  /// Algorithm 1: Eq. (5) on a sample, then the linear problem on features C-bar L, L L' = W-bar; coefficients L w.
  DcPredLeaf fit(LeafBasis basis) {
    const FeatureKind kind = feature_kind(problem_.kernel, params_.pseudo);
    const Index k = basis.m + basis.p, n = rows_.n;
    const std::vector<Index> sample = base::sample(base::index_range(n), params_.sample_size, random_);
    const auto factor = weight_factor(feature_matrix(kind, basis, rows_, &sample), k, sampled_kernel(sample));
    const auto c = feature_matrix(kind, basis, rows_);
    std::vector<double> mapped(n * factor.cols, 0.0);
    for (Index i = 0; i < n; ++i) {
      double* row = mapped.data() + i * factor.cols;
      for (Index j = 0; j < k; ++j) {
        const double value = c[i * k + j];
        for (Index t = 0; t < factor.cols; ++t) row[t] += value * factor.values[j * factor.cols + t];
      }
    }
    DcPredLeaf leaf;
    leaf.coef.assign(outputs_ * basis.width(), 0.0F);
    for (Index o = 0; o < outputs_; ++o) {
      LinearFit problem{mapped.data(),         n,           factor.cols,          targets_.data() + o * n, upper_.data(),
                        params_.fit_intercept, params_.tol, problem_.regression()};
      const std::vector<double> w = fit_linear(problem);
      for (Index j = 0; j < k; ++j) {
        double beta = 0;
        for (Index t = 0; t < factor.cols; ++t) beta += factor.values[j * factor.cols + t] * w[t];
        const Index slot = j < basis.m ? j : data::padded(basis.m) + j - basis.m;
        leaf.coef[o * basis.width() + slot] = static_cast<float>(beta);
      }
      leaf.intercept.push_back(static_cast<float>(params_.fit_intercept ? w.back() : 0.0));
    }
    leaf.basis = std::move(basis);
    return leaf;
  }

  const DcPredProblem& problem_;
  const DcPredParams& params_;
  base::Context& context_;
  const Progress& progress_;
  base::Random random_;
  base::Buffer<float> values_, norms_;
  data::DenseRows rows_;
  std::vector<double> upper_, targets_;
  std::vector<int> class_of_;
  Index outputs_ = 1;
};

}  // namespace

bool is_constant(const DcPredProblem& problem, const std::vector<Index>& members) {
  return std::all_of(members.begin(), members.end(), [&](Index i) {
    return problem.regression() ? problem.targets[i] == problem.targets[members.front()]
                                : problem.class_of[i] == problem.class_of[members.front()];
  });
}

DcPredLeaf constant_leaf(const DcPredProblem& problem, const std::vector<Index>& members) {
  DcPredLeaf leaf;
  if (problem.regression()) {
    double sum = 0, weight = 0;
    for (const Index i : members) {
      sum += problem.upper[i] * problem.targets[i];
      weight += problem.upper[i];
    }
    leaf.intercept = {static_cast<float>(sum / weight)};
    return leaf;
  }
  std::vector<double> weight(problem.classes.size(), 0.0);
  for (const Index i : members) weight[problem.class_of[i]] += problem.upper[i];
  const auto heaviest = std::max_element(weight.begin(), weight.end()) - weight.begin();
  if (weight.size() == 2) {
    leaf.intercept = {heaviest == 0 ? 1.0F : -1.0F};
  } else {
    leaf.intercept.assign(weight.size(), -1.0F);
    leaf.intercept[heaviest] = 1.0F;
  }
  return leaf;
}

LeafOutcome train_leaf(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
                       base::Context& context, const Progress& progress) {
  return LeafTraining(problem, params, members, context, progress).run();
}

}  // namespace dcsvm::dc_pred
