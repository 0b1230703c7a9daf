// The multinomial preconditioner against the matrices that it stands for, class by class.
#include "linear_fit/multinomial_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "products/lane_pass.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear_fit::MultinomialPreconditioner;
using linear_fit::MultinomialProblem;

namespace {

constexpr Index kExamples = 60, kLabels = 3;

/// A problem, the probabilities of its rows, and a vector to solve for.
struct PreconditionerCase {
  HandmadeMatrix m;
  MultinomialProblem problem;
  Index width = products::lane_width<float>(kLabels);
  base::Buffer<float> p{kExamples * width, 0.0F};
  std::vector<double> r;

  PreconditionerCase(Index features, double bias, double scale, base::ThreadPool& pool)
      : m(kExamples, features, 0.5, bias, pool) {
    for (double& v : m.x) v *= scale;
    scaled = std::make_unique<products::Matrix>(DenseView{m.x.data(), ScalarType::float64, kExamples, features, features, 1},
                                                bias, kAmpleCap, pool);
    problem.x = problem.exact_x = scaled.get();
    problem.classes = kLabels;
    base::Random random(4);
    for (Index i = 0; i < kExamples; ++i) {
      problem.class_of.push_back(static_cast<int>(random.below(kLabels)));
      problem.C.push_back(i % 7 == 2 ? 0.0 : 0.5 + random.uniform());
      double sum = 0, drawn[kLabels];
      for (double& d : drawn) sum += d = 0.05 + random.uniform();
      for (Index k = 0; k < kLabels; ++k) p[i * width + k] = static_cast<float>(drawn[k] / sum);
    }
    r = random_values(problem.cols(), width, 1.0, 9);
  }

  /// Row j of class k's matrix times v, both by plain sums; only_diagonal: of its diagonal.
  double times(Index j, Index k, const std::vector<double>& v, bool only_diagonal) const {
    double sum = problem.of(j).l2 * v[j * width + k];
    for (Index i = 0; i < kExamples; ++i) {
      const double one = static_cast<double>(p[i * width + k]), curve = problem.C[i] * one * (1.0 - one);
      double own = 0, dot = 0;
      scaled->each(i, [&](Index l, double x) {
        if (l == j) own = x;
        if (l == j || !only_diagonal) dot += x * v[l * width + k];
      });
      sum += curve * own * dot;
    }
    return sum;
  }

  /// The largest |M solve(r) - r|, against the largest |r|.
  double error(bool only_diagonal, base::ThreadPool& pool) const {
    MultinomialPreconditioner M(problem, width);
    M.set(p, pool);
    std::vector<double> out(r.size(), 0.0);
    M.solve(r, out, pool);
    double worst = 0;
    for (Index j = 0; j < problem.cols(); ++j) {
      for (Index k = 0; k < kLabels; ++k) {
        worst = std::max(worst, std::abs(times(j, k, out, only_diagonal) - r[j * width + k]));
      }
    }
    return worst;
  }

  std::unique_ptr<products::Matrix> scaled;
};

}  // namespace

TEST_CASE("multinomial preconditioner: with few columns it solves with each class's matrix, with more with its diagonal") {
  base::ThreadPool pool(2);
  for (const double bias : {-1.0, 1.0}) {
    CHECK(PreconditionerCase(8, bias, 1.0, pool).error(false, pool) < 1e-5);  // sums in float
    CHECK(PreconditionerCase(60, bias, 1.0, pool).error(true, pool) < 1e-5);
  }
}

TEST_CASE("multinomial preconditioner: a free bias, whose column has no penalty, and rows far apart in size") {
  base::ThreadPool pool(1);
  PreconditionerCase free(5, 1.0, 1.0, pool);
  free.problem.regularize_bias = false;
  CHECK(free.error(false, pool) < 1e-5);
  // Squares of 1e25 leave the range of float: the sums are formed again in double, as exact as the sum of float probabilities.
  PreconditionerCase far(5, -1.0, 1e25, pool);
  CHECK(far.error(false, pool) < 1e-7);
  PreconditionerCase far_and_wide(60, -1.0, 1e25, pool);
  CHECK(far_and_wide.error(true, pool) < 1e-7);
}
