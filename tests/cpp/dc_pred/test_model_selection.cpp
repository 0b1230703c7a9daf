// What a budget chooses, with trainings that only say what they would cost and how much they would err.
#include "dc_pred/model_selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "dc_pred/model_data.hpp"
#include "dc_pred/support_leaves.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using namespace dcsvm::dc_pred;

namespace {

struct Trained {
  Index leaves, m, p;
  int refine;
  bool all_rows;
  Landmarks landmarks;
};

/// The same on both halves of the held-out rows.
HeldOutError even(double error) { return {error, {error, error}}; }

struct Trainings {
  std::function<double(const Trained&)> error = [](const Trained&) { return 0.1; };
  std::function<double(const Trained&)> cost = [](const Trained&) { return 5.0; };
  std::function<HeldOutError(const Trained&)> held_out;  ///< null: error on both halves
  StopReason stop_reason = StopReason::converged;
  int refine = 7;
  bool centres = true, support = false;
  std::vector<Trained> seen;

  /// What the chosen model was.
  Trained choose(double budget, Index n) {
    SelectionTask task;
    task.budget = budget;
    task.n = n;
    task.d = 10;
    task.train = [&](const DcPredParams& params, bool all_rows) {
      seen.push_back({params.n_leaves, params.n_landmarks, params.n_pseudo, params.refine, all_rows, params.landmarks});
      auto data = std::make_shared<DcPredData>();
      data->report.n_support = static_cast<Index>(seen.size()) - 1;  // which training it was
      data->report.depth = std::log2(static_cast<double>(params.n_leaves));
      data->report.cost = cost(seen.back());
      data->report.stop_reason = stop_reason;
      return DcPredModel(std::move(data));
    };
    task.centres = centres;
    task.support = support;
    task.error = [&](const DcPredModel& model) {
      const Trained& which = seen[model.report().n_support];
      return held_out ? held_out(which) : even(error(which));
    };
    DcPredParams params;
    params.pseudo = PseudoLandmarks::none;
    params.refine = refine;
    return seen[select_model(task, params).report().n_support];
  }
};

}  // namespace

TEST_CASE("the candidate that errs least is trained on all rows") {
  Trainings trainings;
  trainings.error = [](const Trained& t) { return t.leaves == 4 ? 0.1 : 0.3; };
  const Trained chosen = trainings.choose(20, 2000);
  CHECK(chosen.all_rows);
  CHECK(chosen.leaves == 4);
  CHECK(chosen.refine == 7);
  for (const Trained& t : trainings.seen) CHECK((t.refine == 7 || ((t.refine == 0 || t.refine == 35) && !t.all_rows)));
}

TEST_CASE("the chosen candidate takes more steps where they help, and refine = 0 stays 0") {
  Trainings trainings;
  trainings.error = [](const Trained& t) { return t.leaves == 4 && t.refine == 35 ? 0.1 : t.leaves == 4 ? 0.2 : 0.3; };
  const Trained chosen = trainings.choose(20, 2000);
  CHECK(chosen.all_rows);
  CHECK(chosen.leaves == 4);
  CHECK(chosen.refine == 35);
  Trainings dear;  // only fewer steps are within the budget
  dear.error = trainings.error;
  dear.cost = [](const Trained& t) { return t.refine == 35 ? 21.0 : 19.0; };
  CHECK(dear.choose(20, 2000).refine == 7);
  Trainings plain;
  plain.refine = 0;
  CHECK(plain.choose(20, 2000).refine == 0);
  for (const Trained& t : plain.seen) CHECK(t.refine == 0);
}

TEST_CASE("fewer landmarks may win; all rows may do worse, unless they were cancelled") {
  Trainings trainings;
  trainings.error = [](const Trained& t) { return t.all_rows ? 0.9 : 0.05 * static_cast<double>(t.m); };
  const Trained chosen = trainings.choose(30, 100);
  Index most = 0;
  for (const Trained& t : trainings.seen) most = std::max(most, t.m);
  CHECK_FALSE(chosen.all_rows);
  CHECK(chosen.m == 2 * most / 3);
  Trainings cancelled;
  cancelled.error = [](const Trained& t) { return t.all_rows ? 0.5 : 0.1; };
  cancelled.stop_reason = StopReason::cancelled;
  CHECK(cancelled.choose(30, 100).all_rows);
}

TEST_CASE("support vectors are chosen where they err less, and centres at equal errors") {
  for (const double of_support : {0.25, 0.3, 0.35}) {
    Trainings trainings;
    trainings.support = true;
    trainings.error = [&](const Trained& t) {
      return t.all_rows ? 0.0 : t.landmarks == Landmarks::support && t.leaves == 16 ? of_support : 0.3;
    };
    const Trained chosen = trainings.choose(20, 400);
    CHECK((chosen.landmarks == Landmarks::support) == (of_support < 0.3));
    CHECK((chosen.landmarks == Landmarks::kmeans) == (of_support >= 0.3));
    if (of_support < 0.3) CHECK(chosen.leaves == 16);
    Index most = 0;
    for (const Trained& t : trainings.seen) most = std::max(most, t.landmarks == Landmarks::support ? t.leaves : 0);
    CHECK(most == 16);  // 64 leaves would have fewer than 16 rows each
  }
  Trainings alone;
  alone.centres = false;
  alone.support = true;
  alone.error = [](const Trained&) { return std::numeric_limits<double>::quiet_NaN(); };
  CHECK(alone.choose(20, 400).landmarks == Landmarks::support);
  for (const Trained& t : alone.seen) CHECK(t.landmarks == Landmarks::support);
}

TEST_CASE("a kind is judged on held-out rows that did not choose its candidate") {
  Trainings trainings;
  trainings.support = true;
  trainings.held_out = [](const Trained& t) {
    if (t.landmarks == Landmarks::support) return even(0.21);
    // Two lucky centres, 0.20 on average; each is chosen by the half that it happens to fit.
    if (t.leaves == 1) return HeldOutError{0.20, {0.10, 0.30}};
    return HeldOutError{0.20, {0.30, 0.10}};
  };
  CHECK(trainings.choose(20, 2000).landmarks == Landmarks::support);
}

TEST_CASE("without the memory for support vectors centres are chosen") {
  Trainings trainings;
  trainings.support = true;
  trainings.cost = [](const Trained& t) -> double {
    if (t.landmarks == Landmarks::support) throw CapError("cache_size");
    return 5.0;
  };
  CHECK(trainings.choose(20, 400).landmarks == Landmarks::kmeans);
  trainings.centres = false;
  CHECK_THROWS_AS(trainings.choose(20, 400), CapError);
}

TEST_CASE("the budget goes to the heaviest support vectors of all leaves") {
  SupportRanking light, heavy;
  for (const double w : {0.3, 0.2, 0.1}) light.size.push_back(w);
  for (const double w : {0.9, 0.8, 0.25}) heavy.size.push_back(w);
  const std::vector<SupportRanking> rankings{light, heavy};
  const auto counts = [&](double budget) {
    return share_out(rankings, {0.5, 0.5}, {1, 1}, budget, [](Index m) { return static_cast<double>(m); });
  };
  CHECK(counts(1.4) == std::vector<Index>{0, 0});
  CHECK(counts(1.5) == std::vector<Index>{0, 1});
  CHECK(counts(2.5) == std::vector<Index>{1, 2});
  CHECK(counts(2.9) == std::vector<Index>{1, 2});
  CHECK(counts(3.0) == std::vector<Index>{1, 3});
  CHECK(counts(100) == std::vector<Index>{3, 3});
  CHECK(counts(0.1) == std::vector<Index>{0, 0});  // less than the tree's own cost
}

TEST_CASE("models above the budget are not chosen") {
  Trainings trees;  // that are all too expensive
  trees.error = [](const Trained& t) { return 1 / (1 + static_cast<double>(t.leaves)); };
  trees.cost = [](const Trained& t) { return t.leaves > 1 ? 21.0 : 19.0; };
  CHECK(trees.choose(20, 2000).leaves == 1);
  Trainings last;
  last.error = [](const Trained& t) { return t.all_rows ? 0.0 : 0.1; };
  last.cost = [](const Trained& t) { return t.all_rows ? 21.0 : 19.0; };
  CHECK_FALSE(last.choose(20, 100).all_rows);
}

TEST_CASE("a budget through the public functions: classes, regression, compress; bad ones") {
  const training::Data data = training::blobs(400, 3, 3, 4);
  DcPredParams params;
  params.gamma_rule = GammaRule::scale;
  params.refine = 4;
  const DcPredModel model = train_dc_pred(data.view(), data.y.data(), params, {}, {}, {14.0});
  CHECK(model.cost() <= 14.0 * (1 + 1e-9));
  CHECK(train_dc_pred_ridge(data.view(), data.x.data(), params, {}, {}, {14.0}).cost() <= 14.0 * (1 + 1e-9));
  std::vector<Index> order(400);
  for (Index i = 0; i < 400; ++i) order[i] = 399 - i;
  CHECK_NOTHROW(train_dc_pred(data.view(), data.y.data(), params, {}, {}, {14.0, order.data()}));
  order[0] = 5;
  const auto refused = [&](const DcPredBudget& budget) {
    return training::message_of<ParameterError>([&] { train_dc_pred(data.view(), data.y.data(), params, {}, {}, budget); });
  };
  for (const DcPredBudget& budget : {DcPredBudget{14.0, order.data()}, DcPredBudget{-1.0}, DcPredBudget{2.0}})
    CHECK(refused(budget).rfind("budget", 0) == 0);
  params.landmarks = Landmarks::support;
  CHECK(refused({14.0}).rfind("landmarks", 0) == 0);  // three classes
}
