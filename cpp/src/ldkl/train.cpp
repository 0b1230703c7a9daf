// dcsvm/ldkl.hpp: training.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "base/stop_reason.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "ldkl/descend.hpp"
#include "ldkl/fit_weights.hpp"
#include "ldkl/labels.hpp"
#include "ldkl/params.hpp"
#include "ldkl/path.hpp"
#include "ldkl/scaling.hpp"

namespace dcsvm {

namespace ldkl {

namespace {

class Training {
 public:
  Training(const DataView& x, const double* y, const LdklParams& params, const LdklInputs& inputs, const Hooks& hooks)
      : params_(params),
        call_(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds),
        x_(x),
        labels_(checked_labels(y, inputs)),
        scaled_(x, labels_.rows, params.standardise, call_.context) {
    const Index d = cols_of(x), problems = labels_.problems();
    model_.n_features = d;
    model_.sigma = params.sigma;
    model_.classes = labels_.classes;
    model_.depth = depth_for(params, static_cast<Index>(labels_.rows.size()), d, problems);
    const std::size_t data = scaled_.bytes();
    // The trees of the model: what they all take is known before the first one is trained.
    const double all =
        8.0 * static_cast<double>(problems) * static_cast<double>(model_.shape().vectors()) * static_cast<double>(d + 1);
    base::check_tables(all, call_.context.cap_bytes, "the trees of all classes");
    call_.context.cap_bytes -= std::min(call_.context.cap_bytes, data);
    report_.seconds["data"] = base::seconds_since(call_.monitor.start());
    report_.peak_cache_bytes = static_cast<std::int64_t>(data);
  }

  LdklData run() {
    const Index problems = labels_.problems();
    for (Index p = 0; p < problems; ++p) train_problem(p, problems);
    finish(problems);
    return std::move(model_);
  }

 private:
  /// Checks X as well.
  LdklLabels checked_labels(const double* y, const LdklInputs& inputs) {
    if (cols_of(x_) >= data::kMostColumns) throw DataError("X has more than 2^31 - 2 columns");
    data::check_data(x_, call_.pool);
    return make_labels(y, rows_of(x_), params_, inputs.sample_weight);
  }

  void train_problem(Index p, Index problems) {
    const Shape shape = model_.shape();
    if (call_.monitor.cancelled()) {
      report_.stop_reason = StopReason::cancelled;
      duals_.push_back(0);
      penalties_.push_back(0);
      return append(std::vector<double>(shape.vectors() * shape.cols, 0.0), shape);
    }
    const std::vector<double> y = labels_.signs(p);
    const Rows rows{&scaled_.matrix(), y.data(), labels_.weight.data()};
    base::Context context = call_.context;
    context.seed += static_cast<std::uint64_t>(p) << 32;
    auto start = base::Clock::now();
    Descent tree = descend(rows, shape, params_, p, problems, context);
    report_.seconds["tree"] += base::seconds_since(start);
    report_.smooth_objective += tree.smooth_objective;
    report_.gradient_norm = std::max(report_.gradient_norm, tree.gradient_norm);
    report_.n_passes += tree.n_passes;
    tree_bytes_ = tree.bytes;
    start = base::Clock::now();
    if (tree.cancelled) {
      report_.stop_reason = StopReason::cancelled;
      duals_.push_back(0);  // the only bound that is known
      penalties_.push_back(norm_penalty({tree.vectors.begin(), tree.vectors.begin() + shape.nodes() * shape.cols}));
    } else {
      WeightsFit fit = fit_weights(rows, shape, tree.vectors.data(), params_, p, problems, context);
      std::copy(fit.w.begin(), fit.w.end(), tree.vectors.begin());
      report_.stop_reason = base::worse(report_.stop_reason, fit.stop_reason);
      report_.n_iter += fit.n_iter;
      report_.dual_objective += fit.dual_objective;
      duals_.push_back(fit.dual_objective);
      penalties_.push_back(norm_penalty(fit.w));
    }
    report_.seconds["weights"] += base::seconds_since(start);
    append(std::move(tree.vectors), shape);
  }

  double norm_penalty(const std::vector<double>& w) const {
    double norm2 = 0;
    for (const double v : w) norm2 += v * v;
    return params_.lambda_w / 2 * norm2;
  }

  /// The vectors of one tree, in the caller's units, behind those of the trees before.
  void append(std::vector<double> vectors, const Shape& shape) {
    scaled_.to_caller(vectors.data(), shape.vectors());
    const auto w_end = vectors.begin() + shape.nodes() * shape.cols, v_end = w_end + shape.nodes() * shape.cols;
    model_.w.insert(model_.w.end(), vectors.begin(), w_end);
    model_.v.insert(model_.v.end(), w_end, v_end);
    model_.theta.insert(model_.theta.end(), v_end, vectors.end());
  }

  /// Objective and gap of what the model decides for the caller's own rows: in the units of these, which the solver's copy of X
  /// has not, a sum may lose digits, and a row near the border of two nodes may take the other path.
  void finish(Index problems) {
    const Index n = rows_of(x_), m = static_cast<Index>(labels_.rows.size());
    std::vector<double> dec(n * problems);
    decide(model_, x_, call_.pool, {dec.data(), nullptr});
    for (Index p = 0; p < problems; ++p) {
      double loss = 0;
      for (Index r = 0; r < m; ++r) {
        const double y = labels_.class_of[r] == p ? 1.0 : -1.0;
        loss += labels_.weight[r] * std::max(0.0, 1 - y * dec[labels_.rows[r] * problems + p]);
      }
      const double objective = penalties_[p] + loss / static_cast<double>(m);
      report_.objective += objective;
      if (objective > 0) report_.violation = std::max(report_.violation, (objective - duals_[p]) / objective);
    }
    if (report_.stop_reason == StopReason::converged && report_.violation > params_.tol)
      report_.stop_reason = StopReason::stagnated;
    base::name_end(report_, &call_.monitor);
    report_.depth = model_.depth;
    report_.cost = cost_of(model_.depth, model_.n_features, problems);
    report_.peak_cache_bytes += static_cast<std::int64_t>(tree_bytes_);
    report_.seconds["total"] = base::seconds_since(call_.monitor.start());
    report_.isa = simd::active_isa();
    report_.n_threads = call_.pool.size();
    model_.report = std::move(report_);
  }

  const LdklParams& params_;
  base::Call call_;
  const DataView& x_;
  LdklLabels labels_;
  ScaledRows scaled_;
  LdklData model_;
  LdklReport report_;
  std::vector<double> duals_, penalties_;  // of each problem: a lower bound of its objective; lambda_w / 2 |W|^2
  std::size_t tree_bytes_ = 0;
};

}  // namespace

}  // namespace ldkl

LdklModel train_ldkl(const DataView& x, const double* y, const LdklParams& params, const LdklInputs& inputs, const Hooks& hooks) {
  ldkl::check_params(params);
  ldkl::Training training(x, y, params, inputs, hooks);
  return LdklModel(std::make_shared<const ldkl::LdklData>(training.run()));
}

}  // namespace dcsvm
