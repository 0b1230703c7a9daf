#include "ldkl/fit_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "ldkl/path.hpp"
#include "optimise/dual_step.hpp"

namespace dcsvm::ldkl {

namespace {

constexpr Index kRows = 512;             // of one piece of parallel work
constexpr std::int64_t kPasses = 1000, kSteps = 10000000;  // limits of the default max_iter
constexpr Index kPoll = 4096;            // steps between two looks at Ctrl-C
constexpr double kBetweenGaps = 1.25;    // passes between two computations of the gap grow by this factor

/// Each row's path and factors, and the weights that meet them.
class FixedTree {
 public:
  FixedTree(const Rows& rows, const Shape& shape, const double* vectors, double sigma, base::ThreadPool& pool)
      : rows_(rows),
        shape_(shape),
        leaf_(rows.size()),
        local_(rows.size() * (shape.depth + 1)),
        norm2_(rows.size()),
        w_(shape.nodes() * shape.cols, 0.0) {
    const double* v = vectors + shape.nodes() * shape.cols;
    const double* theta = vectors + 2 * shape.nodes() * shape.cols;
    pool.for_range(rows.size(), kRows, [&](Index begin, Index end, int) {
      PathOfRow path(shape, sigma);
      for (Index i = begin; i < end; ++i) {
        path.walk(v, theta, [&](const double* vector) { return rows.x->dot(i, vector); });
        leaf_[i] = path.leaf();
        std::copy(path.local(), path.local() + shape.depth + 1, local_.begin() + i * (shape.depth + 1));
        double squares = 0;
        each(i, [&](Index, double t) { squares += t * t; });
        norm2_[i] = squares * rows.x->norm2(i);
      }
    });
  }

  /// visit(node, factor) from the leaf to the root.
  template <class Visit>
  void each(Index i, const Visit& visit) const {
    const double* t = local_.data() + i * (shape_.depth + 1);
    Index node = leaf_[i];
    for (Index level = shape_.depth; level >= 0; --level, node = (node - 1) / 2) visit(node, t[level]);
  }
  double decision(Index i) const {
    double sum = 0;
    each(i, [&](Index node, double t) { sum += t * rows_.x->dot(i, w_.data() + node * shape_.cols); });
    return sum;
  }
  /// W += a times row i's blocks.
  void add(Index i, double a) {
    each(i, [&](Index node, double t) { rows_.x->add(i, a * t, w_.data() + node * shape_.cols); });
  }
  double norm2(Index i) const { return norm2_[i]; }
  std::vector<double>& w() { return w_; }

 private:
  Rows rows_;
  Shape shape_;
  std::vector<Index> leaf_;
  std::vector<double> local_, norm2_, w_;
};

class WeightsSolver {
 public:
  WeightsSolver(const Rows& rows, const Shape& shape, const double* vectors, const LdklParams& params, base::Context& context)
      : rows_(rows),
        params_(params),
        context_(context),
        tree_(rows, shape, vectors, params.sigma, *context.pool),
        max_iter_(params.max_iter > 0 ? params.max_iter : std::max<std::int64_t>(kPasses, kSteps / rows.size())),
        cost_(rows.size()),
        alpha_(rows.size(), 0.0) {
    const double unit = 1 / (params.lambda_w * static_cast<double>(rows.size()));
    for (Index i = 0; i < rows.size(); ++i) cost_[i] = unit * rows.weight[i];
  }

  WeightsFit run(Index problem, Index problems) {
    base::Random random(context_.seed + 1);
    std::vector<Index> order(rows_.size());
    std::iota(order.begin(), order.end(), Index{0});
    double next_gap = 1;
    bool stopped = false;
    while (!stopped) {
      for (Index i = rows_.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      pass(order);
      ++out_.n_iter;
      const bool last = out_.n_iter >= max_iter_;
      stopped = cancelled(problem, problems);
      if (!stopped && !last && static_cast<double>(out_.n_iter) < next_gap) continue;
      next_gap = kBetweenGaps * static_cast<double>(out_.n_iter);
      find_gap();
      if (out_.violation <= params_.tol) {
        out_.stop_reason = StopReason::converged;
        break;
      }
      out_.stop_reason = stopped ? StopReason::cancelled : StopReason::max_iter;
      stopped = stopped || last;
    }
    out_.w = std::move(tree_.w());
    return std::move(out_);
  }

 private:
  void pass(const std::vector<Index>& order) {
    for (Index at = 0; at < rows_.size(); ++at) {
      const Index i = order[at];
      if (at % kPoll == 0) context_.pool->poll();
      if (tree_.norm2(i) <= 0) {  // its decision is 0 whatever W is
        alpha_[i] = cost_[i];
        continue;
      }
      const double slope = rows_.y[i] * tree_.decision(i) - 1;
      const double next = optimise::dual_minimum(alpha_[i], slope, tree_.norm2(i), cost_[i]);
      if (next != alpha_[i]) tree_.add(i, rows_.y[i] * (next - alpha_[i]));
      alpha_[i] = next;
    }
  }

  void find_gap() {
    std::vector<double> loss(rows_.size());
    context_.pool->for_range(rows_.size(), kRows, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) loss[i] = cost_[i] * std::max(0.0, 1 - rows_.y[i] * tree_.decision(i));
    });
    double norm2 = 0;
    for (const double w : tree_.w()) norm2 += w * w;
    const double primal = norm2 / 2 + std::accumulate(loss.begin(), loss.end(), 0.0);
    const double dual = std::accumulate(alpha_.begin(), alpha_.end(), 0.0) - norm2 / 2;
    out_.objective = params_.lambda_w * primal;
    out_.dual_objective = params_.lambda_w * dual;
    // What was gained from W = 0 is less than the objective where C is too small, or the tree too poor, for much of a fit.
    const double gained = std::accumulate(cost_.begin(), cost_.end(), 0.0) - dual;
    out_.violation = primal > dual ? (primal - dual) / std::min(primal, gained) : 0.0;
    if (!std::isfinite(out_.violation)) throw DataError("X: the objective of the weights overflows: scale X");
  }

  bool cancelled(Index problem, Index problems) {
    if (context_.monitor == nullptr) return false;
    if (!context_.monitor->due()) return context_.monitor->cancelled();
    find_gap();
    Progress now;
    now.phase = "weights";
    now.done = problem;
    now.total = problems;
    now.n_iter = out_.n_iter;
    now.objective = out_.objective;
    now.violation = out_.violation;
    now.active = rows_.size();
    return context_.monitor->progress(now, true);
  }

  Rows rows_;
  const LdklParams& params_;
  base::Context& context_;
  FixedTree tree_;
  std::int64_t max_iter_;
  std::vector<double> cost_, alpha_;
  WeightsFit out_;
};

}  // namespace

WeightsFit fit_weights(const Rows& rows, const Shape& shape, const double* vectors, const LdklParams& params, Index problem,
                       Index problems, base::Context& context) {
  return WeightsSolver(rows, shape, vectors, params, context).run(problem, problems);
}

}  // namespace dcsvm::ldkl
