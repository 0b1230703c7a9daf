// What a budget chooses, with trainings that only say what they would cost and how much they would err.
#include "dc_pred/model_selection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "dc_pred/model_data.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using namespace dcsvm::dc_pred;

namespace {

struct Trained {
  Index leaves, m, p;
  int refine;
  bool all_rows;
};

struct Trainings {
  std::function<double(const Trained&)> error = [](const Trained&) { return 0.1; };
  std::function<double(const Trained&)> cost = [](const Trained&) { return 5.0; };
  StopReason stop_reason = StopReason::converged;
  int refine = 7;
  std::vector<Trained> seen;

  /// What the chosen model was.
  Trained choose(double budget, Index n) {
    SelectionTask task;
    task.budget = budget;
    task.n = n;
    task.d = 10;
    task.train = [&](const DcPredParams& params, bool all_rows) {
      seen.push_back({params.n_leaves, params.n_landmarks, params.n_pseudo, params.refine, all_rows});
      auto data = std::make_shared<DcPredData>();
      data->report.n_support = static_cast<Index>(seen.size()) - 1;  // which training it was
      data->report.depth = std::log2(static_cast<double>(params.n_leaves));
      data->report.cost = cost(seen.back());
      data->report.stop_reason = stop_reason;
      return DcPredModel(std::move(data));
    };
    task.error = [&](const DcPredModel& model) { return error(seen[model.report().n_support]); };
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
  CHECK(refused({14.0}).rfind("budget", 0) == 0);
}
