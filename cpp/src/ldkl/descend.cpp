// Steps are Adam's (Kingma, Ba: Adam: A Method for Stochastic Optimization, ICLR 2015) with a rate that falls to 0; the sharpness
// of the gates grows from 1 in equal ratios. The order of the rows is drawn anew for each pass.
#include "ldkl/descend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::ldkl {

namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kFirstDecay = 0.9, kSecondDecay = 0.999, kTiny = 1e-12;  // Adam's, and against 0 / 0
constexpr Index kWholeRows = 1024;  // rows of a block of the last pass over all of them

/// Box and Muller; std::normal_distribution differs between standard libraries.
double normal(base::Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(kTwoPi * random.uniform());
}

void shuffle(std::vector<Index>& order, base::Random& random) {
  for (auto i = static_cast<Index>(order.size()); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

class Descender {
 public:
  Descender(const Rows& rows, const Shape& shape, const LdklParams& params, base::Context& context)
      : shape_(shape),
        params_(params),
        context_(context),
        batch_(std::min<Index>(params.batch_size, rows.size())),
        bytes_(checked_bytes(rows)),
        tree_(rows, shape, params.sigma, std::max(batch_, std::min(kWholeRows, rows.size()))),
        order_(rows.size()),
        first_(size(), 0.0),
        second_(size(), 0.0),
        random_(context.seed) {
    std::iota(order_.begin(), order_.end(), Index{0});
    out_.vectors.resize(size());
    const double scale = 1 / std::sqrt(static_cast<double>(shape.cols));
    for (double& p : out_.vectors) p = scale * normal(random_);
    out_.bytes = bytes_;
  }

  Descent run(Index problem, Index problems) {
    const Index n = static_cast<Index>(order_.size()), batches = (n + batch_ - 1) / batch_, steps = batches * params_.n_passes;
    for (Index t = 0; t < steps && !out_.cancelled; ++t) {
      const Index b = t % batches, begin = n * b / batches, end = n * (b + 1) / batches;
      if (b == 0) shuffle(order_, random_);
      const double loss = step(t, static_cast<double>(t) / static_cast<double>(steps), begin, end);
      if (b + 1 == batches) ++out_.n_passes;
      out_.cancelled = cancelled(problem, problems, loss / static_cast<double>(end - begin));
    }
    judge();
    return std::move(out_);
  }

 private:
  Index size() const { return shape_.vectors() * shape_.cols; }

  std::size_t checked_bytes(const Rows& rows) const {
    const double vectors = static_cast<double>(shape_.vectors()), cols = static_cast<double>(shape_.cols);
    const auto block = static_cast<double>(std::max(batch_, std::min(kWholeRows, rows.size())));
    const double bytes = 8.0 * vectors * (3 * cols + block);
    if (bytes > static_cast<double>(context_.cap_bytes)) {
      throw CapError("cache_size: a tree of depth " + std::to_string(shape_.depth) + " over " + std::to_string(shape_.cols - 1) +
                     " features needs " + std::to_string(static_cast<long long>(bytes / 1048576.0) + 1) + " MB to be trained, " +
                     std::to_string(context_.cap_bytes / 1048576) + " MB are left; raise cache_size, or lower depth");
    }
    return static_cast<std::size_t>(bytes);
  }

  double penalty_of(Index vector) const {
    if (vector < shape_.nodes()) return params_.lambda_w;
    return vector < 2 * shape_.nodes() ? params_.lambda_v : params_.lambda_theta;
  }

  /// Step t on rows [begin, end) of the order; the loss before it.
  double step(Index t, double done, Index begin, Index end) {
    const double sharpness = std::pow(params_.sharpness, done), factor = 1.0 / static_cast<double>(end - begin);
    const double loss = tree_.losses(order_.data() + begin, end - begin, out_.vectors.data(), sharpness, factor, *context_.pool);
    const auto power = static_cast<double>(t + 1);
    const double first = 1 / (1 - std::pow(kFirstDecay, power)), second = 1 / (1 - std::pow(kSecondDecay, power));
    const double rate = params_.learning_rate * (1 - done);
    each_gradient([&](Index k, const double* g) {
      const double penalty = penalty_of(k);
      double *p = out_.vectors.data() + k * shape_.cols, *m = first_.data() + k * shape_.cols,
             *q = second_.data() + k * shape_.cols;
      for (Index j = 0; j < shape_.cols; ++j) {
        const double slope = g[j] + penalty * p[j];
        m[j] += (1 - kFirstDecay) * (slope - m[j]);
        q[j] += (1 - kSecondDecay) * (slope * slope - q[j]);
        p[j] -= rate * first * m[j] / (std::sqrt(second * q[j]) + kTiny);
      }
    });
    return loss;
  }

  /// use(k, the gradient by vector k) for all; from several threads.
  template <class Use>
  void each_gradient(const Use& use) {
    context_.pool->for_range(shape_.vectors(), tree_.grain(), [&](Index begin, Index end, int) {
      std::vector<double> g(shape_.cols);
      for (Index k = begin; k < end; ++k) {
        std::fill(g.begin(), g.end(), 0.0);
        tree_.gradient(k, g.data());
        use(k, g.data());
      }
    });
  }

  /// Objective and gradient over all rows, at the last sharpness.
  void judge() {
    const auto n = static_cast<Index>(order_.size());
    std::iota(order_.begin(), order_.end(), Index{0});
    std::vector<double>& gradient = first_;  // no longer needed
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double loss = 0;
    for (Index begin = 0; begin < n; begin += kWholeRows) {
      const Index count = std::min(kWholeRows, n - begin);
      loss += tree_.losses(order_.data() + begin, count, out_.vectors.data(), params_.sharpness, 1.0 / static_cast<double>(n),
                           *context_.pool);
      each_gradient([&](Index k, const double* g) {
        for (Index j = 0; j < shape_.cols; ++j) gradient[k * shape_.cols + j] += g[j];
      });
    }
    double penalties = 0, norm2 = 0;
    for (Index e = 0; e < size(); ++e) {
      const double penalty = penalty_of(e / shape_.cols), p = out_.vectors[e], g = gradient[e] + penalty * p;
      penalties += penalty / 2 * p * p;
      norm2 += g * g;
    }
    out_.smooth_objective = loss / static_cast<double>(n) + penalties;
    out_.gradient_norm = std::sqrt(norm2);
    if (!std::isfinite(out_.smooth_objective) || !std::isfinite(norm2)) {
      throw ParameterError(
          "learning_rate: the tree's training diverged (its objective is not finite); lower learning_rate or sigma, or scale X");
    }
  }

  bool cancelled(Index problem, Index problems, double loss) {
    context_.pool->poll();
    if (context_.monitor == nullptr) return false;
    if (!context_.monitor->due()) return context_.monitor->cancelled();
    Progress now;
    now.phase = "tree";
    now.done = problem;
    now.total = problems;
    now.n_iter = out_.n_passes;
    now.objective = loss;
    now.active = static_cast<Index>(order_.size());
    return context_.monitor->progress(now, true);
  }

  Shape shape_;
  const LdklParams& params_;
  base::Context& context_;
  Index batch_;
  std::size_t bytes_;
  SmoothTree tree_;
  std::vector<Index> order_;
  std::vector<double> first_, second_;  // Adam's moments
  base::Random random_;
  Descent out_;
};

}  // namespace

Descent descend(const Rows& rows, const Shape& shape, const LdklParams& params, Index problem, Index problems,
                base::Context& context) {
  return Descender(rows, shape, params, context).run(problem, problems);
}

}  // namespace dcsvm::ldkl
