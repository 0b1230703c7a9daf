#include "dc_pred/model_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "base/vectors.hpp"
#include "data/check.hpp"
#include "data/point_store.hpp"
#include "dc_pred/learn.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr Index kMaxDepth = 12;
constexpr Index kRowsPerLeaf = 64;     // at least, in a candidate
constexpr Index kMaxLandmarks = 256;   // of a leaf of a candidate
constexpr Index kRowsPerSupportLeaf = 16;  // likewise, of support vectors: trees then grow as deep as leaves of 32 rows allow
constexpr double kDeepLeaf = 8;        // support vectors of a leaf, at most: times those of an even share of the budget
constexpr double kMargin = 0.98;  // of a budget: a tree of other rows with the same numbers is a little deeper at most
constexpr double kRounding = 1 + 1e-9;
constexpr int kLonger = 5;  // times the steps of `refine`, for the chosen candidate
constexpr int kMostSteps = 1000;  // that this makes of them
constexpr double kNone = std::numeric_limits<double>::infinity();  // the error of no model

struct Candidate {
  Index leaves = 1, m = 0, p = 0;
  Landmarks landmarks = Landmarks::kmeans;
};

class Selection {
 public:
  Selection(const SelectionTask& task, const DcPredParams& params) : task_(task), params_(params) {}

  DcPredModel run() {
    const std::vector<Candidate> nominal = candidates();
    if (nominal.empty()) {
      std::ostringstream text;
      text.precision(6);
      text << "budget must allow two landmarks: at least " << std::ceil(10 * cost(2, 0)) / 10 << ", got " << task_.budget;
      throw ParameterError(text.str());
    }
    if (!task_.error) return train(task_.centres ? nominal.front() : support_candidates().front(), true);
    Best centres, support;
    if (task_.centres) {
      for (const Candidate& c : measured(nominal)) consider(c, params_, centres);
      DcPredParams longer = params_;
      longer.refine = std::max(params_.refine, std::min(kLonger * params_.refine, kMostSteps));
      if (longer.refine > params_.refine) consider(Candidate(centres.candidate), longer, centres);
    }
    if (task_.support) {
      try {
        for (const Candidate& c : support_candidates()) consider(c, params_, support);
      } catch (const CapError&) {
        if (!task_.centres) throw;
      }
    }
    const Best& best = !task_.centres || support.judged() < centres.judged() ? support : centres;
    DcPredModel on_all_rows = train(best.candidate, true, best.params);
    const bool worse = !affordable(on_all_rows) || task_.error(on_all_rows).whole > best.error;
    return worse && on_all_rows.report().stop_reason != StopReason::cancelled ? best.model : on_all_rows;
  }

 private:
  /// Of one kind of landmarks, those considered so far.
  struct Best {
    DcPredModel model;
    Candidate candidate;
    DcPredParams params;
    double error = kNone;
    std::array<double, 2> least{kNone, kNone};  // error on a half of the held-out rows
    std::array<double, 2> other{kNone, kNone};  // of the same model, on the other half

    double judged() const { return (other[0] + other[1]) / 2; }
  };

  void consider(const Candidate& c, const DcPredParams& params, Best& best) {
    DcPredModel model = train(c, false, params);
    if (!affordable(model)) return;
    const HeldOutError error = task_.error(model);
    for (const int h : {0, 1}) {
      if (!(error.half[h] < best.least[h])) continue;
      best.least[h] = error.half[h];
      best.other[h] = error.half[1 - h];
    }
    if (!best.model.empty() && !(error.whole < best.error)) return;
    best.model = std::move(model);
    best.error = error.whole;
    best.candidate = c;
    best.params = params;
  }

  double cost(Index m, Index p) const { return leaf_cost(m, p, task_.d, task_.outputs, params_.pseudo); }
  bool affordable(const DcPredModel& model) const { return model.cost() <= task_.budget * kRounding; }

  /// The most landmarks of a leaf, each with `ratio` pseudo landmarks, that cost at most `budget`; 0: not even two.
  Index most_landmarks(double budget, Index ratio) const {
    Index most = 0;
    for (Index m = 2; m <= kMaxLandmarks && cost(m, ratio * m) <= budget; ++m) most = m;
    return most;
  }

  /// For every other depth of a balanced tree: no pseudo landmarks, and two for each landmark.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> found;
    for (Index depth = 0; depth <= kMaxDepth; depth += 2) {
      const Index leaves = Index{1} << depth;
      if (depth > 0 && task_.n < kRowsPerLeaf * leaves) break;
      for (const Index ratio : {0, 2}) {
        if (ratio > 0 && params_.pseudo == PseudoLandmarks::none) continue;
        const Index m = most_landmarks(task_.budget - static_cast<double>(depth), ratio);
        if (m >= 2) found.push_back({leaves, m, ratio * m});
      }
    }
    return found;
  }

  /// For every other depth: as many support vectors as the budget allows in the whole tree.
  std::vector<Candidate> support_candidates() const {
    const auto most = static_cast<Index>(std::min(kDeepLeaf * task_.budget / cost(1, 0), 1e9));
    std::vector<Candidate> found;
    for (Index depth = 0; depth <= kMaxDepth; depth += 2) {
      const Index leaves = Index{1} << depth;
      if (depth > 0 && (task_.n < kRowsPerSupportLeaf * leaves || static_cast<double>(depth) > task_.budget)) break;
      found.push_back({leaves, std::max<Index>(most, 2), 0, Landmarks::support});
    }
    return found;
  }

  /// What a tree of so many leaves costs: levels that a row walks, and the share of rows that meet landmarks.
  struct TreeCost {
    double depth, share;
  };
  TreeCost measure(Candidate c) const {
    c.p = 0;
    DcPredParams quick = params_;
    quick.refine = 0;
    const DcPredModel model = train(c, false, quick);
    const double depth = model.report().depth;
    return {depth, (model.cost() - depth) / cost(c.m, 0)};
  }

  /// The candidates with as many landmarks as the measured cost of their trees allows, and with two thirds of them.
  std::vector<Candidate> measured(const std::vector<Candidate>& nominal) const {
    std::map<Index, TreeCost> tree_of;  // by leaves
    std::vector<Candidate> found;
    for (Candidate c : nominal) {
      const Index ratio = c.p / c.m;
      if (c.leaves > 1) {
        if (tree_of.count(c.leaves) == 0) tree_of[c.leaves] = measure(c);
        const auto [depth, share] = tree_of[c.leaves];
        // A balanced tree whose leaves all have landmarks will be one on all rows too.
        const bool balanced = std::exp2(depth) == static_cast<double>(c.leaves) && share >= 1 / kRounding;
        c.m = most_landmarks((task_.budget * (balanced ? 1 : kMargin) - depth) / std::max(share, 1e-3), ratio);
      }
      if (c.m >= 2) found.push_back({c.leaves, c.m, ratio * c.m});
      if (ratio == 0 && c.m > 2) found.push_back({c.leaves, std::max<Index>(2, 2 * c.m / 3), 0});
    }
    return found;
  }

  DcPredModel train(const Candidate& c, bool all_rows) const { return train(c, all_rows, params_); }
  DcPredModel train(const Candidate& c, bool all_rows, DcPredParams params) const {
    params.n_leaves = c.leaves;
    params.n_landmarks = c.m;
    params.n_pseudo = c.p;
    params.landmarks = c.landmarks;
    return task_.train(params, all_rows);
  }

  const SelectionTask& task_;
  const DcPredParams& params_;
};

}  // namespace

namespace {

constexpr Index kHeldOut = 5;  // a fifth of the rows of the trials is held out
constexpr Index kMostTrialRows = 30000;  // most rows of the trials

/// Some of the rows.
struct Part {
  Part(const DataView& x, const double* y, const double* sample_weight, std::vector<Index> rows) {
    std::sort(rows.begin(), rows.end());
    points = data::copy_points(x, rows);
    for (const Index i : rows) {
      targets.push_back(y[i]);
      if (sample_weight != nullptr) weights.push_back(sample_weight[i]);
    }
  }
  const double* weight() const { return weights.empty() ? nullptr : weights.data(); }

  data::PointStore points;
  std::vector<double> targets, weights;
};

/// The mean squared error of a regression, else the share of wrong labels.
HeldOutError mean_error(const DcPredModel& model, const Part& part, const PredictOptions& options) {
  std::vector<double> answers(part.targets.size());
  predict(model, part.points.view(), answers.data(), options);
  std::array<double, 2> sum{}, total{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const double weight = part.weights.empty() ? 1.0 : part.weights[i] + 1e-300;  // all may be 0
    const double miss = answers[i] - part.targets[i];
    sum[i % 2] += weight * (model.classes().empty() ? miss * miss : miss != 0 ? 1.0 : 0.0);
    total[i % 2] += weight;
  }
  return {(sum[0] + sum[1]) / (total[0] + total[1]), {sum[0] / total[0], sum[1] / total[1]}};
}

std::vector<Index> order_of(const DcPredBudget& budget, Index n, std::uint64_t seed) {
  std::vector<Index> order = base::index_range(n);
  if (budget.order == nullptr) {
    base::Random random(seed);
    base::shuffle(order, random);
    return order;
  }
  std::vector<Index> given(budget.order, budget.order + n), sorted = given;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != order) throw ParameterError("budget: order must name each row of X once");
  return given;
}

std::size_t n_distinct(const double* y, Index n) { return std::set<double>(y, y + n).size(); }

}  // namespace

DcPredModel select_model(const SelectionTask& task, const DcPredParams& params) { return Selection(task, params).run(); }

DcPredModel train_within(const DcPredBudget& budget, const DataView& x, const double* y, const double* sample_weight,
                         bool regression, const DcPredParams& params, const Hooks& hooks, const ExactModels& exact_models) {
  const Index n = rows_of(x);
  {
    base::Call call(params.n_threads, params.seed, 0.0, hooks);
    data::check_data(x, call.pool);
  }
  if (regression) {
    data::check_targets(y, n);
  } else {
    data::check_labels(y, n);
  }
  const std::size_t n_classes = regression ? 1 : n_distinct(y, n);
  SelectionTask task;
  task.budget = budget.cost;
  task.n = std::min(n, kMostTrialRows);  // deeper trees than trials can grow are not tried
  task.d = cols_of(x);
  task.outputs = n_classes <= 2 ? 1 : static_cast<Index>(n_classes);
  const std::vector<Index> order = order_of(budget, n, params.seed);
  const Index n_held = std::min(n, kMostTrialRows) / kHeldOut, n_kept = std::min(n - n_held, kMostTrialRows);
  const Part held(x, y, sample_weight, {order.begin(), order.begin() + n_held});
  const Part kept(x, y, sample_weight, {order.begin() + n_held, order.begin() + n_held + n_kept});
  if (n >= 2 * kHeldOut) {
    if (!regression && n_distinct(kept.targets.data(), n_kept) < n_classes)
      throw DataError("budget: too few rows of a class to hold some out; set n_leaves and n_landmarks instead");
    task.error = [&](const DcPredModel& model) { return mean_error(model, held, {params.n_threads, hooks.interrupted}); };
  }
  Hooks quiet;
  quiet.interrupted = hooks.interrupted;
  const auto exact_of = [&](bool all_rows) {
    if (exact_models.model() != nullptr) return *exact_models.model();
    return all_rows ? exact_svm(x, y, sample_weight, params, hooks)
                    : exact_svm(kept.points.view(), kept.targets.data(), kept.weight(), params, quiet);
  };
  task.centres = params.landmarks != Landmarks::support;
  task.support = params.landmarks != Landmarks::kmeans && exact_models.possible();
  Model exact;                  // of the rows that are kept
  std::vector<double> predicted;  // its own, for these rows
  task.train = [&](const DcPredParams& own, bool all_rows) {
    if (own.landmarks == Landmarks::support) {
      if (all_rows) {
        const Model whole = exact_of(true);
        return expand(whole, x, answers(whole, x, own, hooks).data(), own, hooks, budget.cost);
      }
      if (exact.empty()) {
        exact = exact_of(false);
        predicted = answers(exact, kept.points.view(), own, quiet);
      }
      return expand(exact, kept.points.view(), predicted.data(), own, quiet, budget.cost);
    }
    return all_rows ? learn(x, y, own, sample_weight, regression, hooks)
                    : learn(kept.points.view(), kept.targets.data(), own, kept.weight(), regression, quiet);
  };
  return select_model(task, params);
}

}  // namespace dcsvm::dc_pred
