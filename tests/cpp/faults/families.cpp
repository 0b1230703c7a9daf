// Every allocation of trainings of the families besides svm fails once: std::bad_alloc, nothing is lost or left behind, and the
// next call works. Support vector machines and cross-validation: faults.cpp.
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/dc_pred.h"
#include "dcsvm/dcsvm.hpp"
#include "dcsvm/linear_path.hpp"
#include "dcsvm/ridge.hpp"
#include "doctest/doctest.h"
#include "faults/fail_each.hpp"
#include "files/temporary_folder.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using test::fail_each;
using test::Fault;
using test::Operation;
using training::Data;

namespace {

/// params with the kernel exp(-|x - y|^2) and two threads.
template <class Params>
Params with_rbf(Params params) {
  params.kernel.gamma = 1;
  params.gamma_rule = GammaRule::value;
  params.n_threads = 2;
  return params;
}

void add_low_rank(std::vector<Operation>& all, const Data& data) {
  for (const auto features : {LowRankFeatures::nystrom, LowRankFeatures::rks, LowRankFeatures::fastfood}) {
    auto params = with_rbf(LowRankParams());
    params.features = features;
    params.n_landmarks = 10;
    all.push_back({"low rank " + std::to_string(static_cast<int>(features)),
                   [&data, params] { return train_low_rank(data.view(), data.y.data(), params).n_features() > 0; }});
  }
  auto params = with_rbf(LowRankParams());
  params.n_landmarks = 10;
  auto greedy = params;
  greedy.landmarks = LandmarkChoice::greedy;
  all.push_back({"low rank, greedy landmarks",
                 [&data, greedy] { return train_low_rank(data.view(), data.y.data(), greedy).n_features() > 0; }});
  all.push_back({"low_rank_path",
                 [&data, params] { return low_rank_path(data.view(), data.y.data(), params, {1.0, 10.0}).models.size() == 2; }});
}

void add_kernel_methods(std::vector<Operation>& all, const Data& data) {
  const auto dc_pred = with_rbf(DcPredParams());
  all.push_back({"dc_pred", [&data, dc_pred] { return train_dc_pred(data.view(), data.y.data(), dc_pred).n_features() > 0; }});
  all.push_back(
      {"dc_pred ridge", [&data, dc_pred] { return train_dc_pred_ridge(data.view(), data.y.data(), dc_pred).n_features() > 0; }});
  all.push_back({"compress", [&data, dc_pred, model = training::train(data, training::rbf(1, 1))] {
                   return compress(model, data.view(), dc_pred).n_features() > 0;
                 }});
  for (const auto method :
       {LsMethod::nystrom, LsMethod::kaczmarz, LsMethod::matching_pursuit, LsMethod::kaczmarz_mp, LsMethod::exact}) {
    auto params = with_rbf(LsSvmParams());
    params.method = method;
    all.push_back({"ls_svm " + std::to_string(static_cast<int>(method)),
                   [&data, params] { return train_ls_svm(data.view(), data.y.data(), params).n_features() > 0; }});
  }
  for (const auto solver : {RidgeSolver::automatic, RidgeSolver::cg}) {
    auto params = with_rbf(RidgeParams());
    params.solver = solver;
    all.push_back({"ridge " + std::to_string(static_cast<int>(solver)),
                   [&data, params] { return train_ridge(data.view(), data.y.data(), params).n_features() > 0; }});
  }
  for (const auto solver : {SolverType::rand, SolverType::cascade}) {
    auto params = training::rbf(1, 1);
    params.solver = solver;
    all.push_back({"sampled " + std::to_string(static_cast<int>(solver)),
                   [&data, params] { return training::train(data, params).n_features() > 0; }});
  }
}

void add_trees(std::vector<Operation>& all, const Data& data) {
  LdklParams params;
  params.depth = 2;
  params.n_passes = 1;
  params.n_threads = 2;
  all.push_back({"ldkl", [&data, params] { return train_ldkl(data.view(), data.y.data(), params).n_features() > 0; }});
}

void add_linear(std::vector<Operation>& all, const Data& data) {
  LinearParams params;
  params.n_threads = 2;
  for (const auto solver : {LinearSolver::logistic, LinearSolver::squared_hinge_dual, LinearSolver::squared_hinge,
                            LinearSolver::hinge_dual, LinearSolver::crammer_singer, LinearSolver::l1_squared_hinge,
                            LinearSolver::l1_logistic, LinearSolver::logistic_dual, LinearSolver::svr_squared}) {
    params.solver = solver;
    all.push_back({"linear " + std::to_string(static_cast<int>(solver)),
                   [&data, params] { return train_linear(data.view(), data.y.data(), params).n_features() > 0; }});
  }
  params.solver = LinearSolver::logistic;
  LinearPathOptions path;
  path.folds = liblinear_folds(data.n, 3);
  path.start_C = 64;
  all.push_back(
      {"linear_path", [&data, params, path] { return linear_path(data.view(), data.y.data(), params, path).best_C > 0; }});
}

}  // namespace

TEST_CASE("every allocation fails once: trainings of the other families") {
  const test::TemporaryFolder folder;
  const Data data = training::blobs(150, 3, 3, 2);
  std::vector<Operation> all;
  add_low_rank(all, data);
  add_kernel_methods(all, data);
  add_trees(all, data);
  add_linear(all, data);
  for (const Operation& operation : all) fail_each<std::bad_alloc>(Fault::allocation, operation, folder / "");
}

TEST_CASE("every allocation fails once: training from a file, in blocks") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "data";
  const Data data = training::checkerboard(300, 1);
  save_svmlight(path, data.view(), data.y.data());
  auto params = with_rbf(LowRankParams());
  params.n_landmarks = 10;
  BlockOptions blocks;
  blocks.memory_mb = 0.1;
  fail_each<std::bad_alloc>(Fault::allocation,
                            {"blocks", [&] { return train_low_rank_file(path, params, blocks).n_features() > 0; }}, folder / "");
  // A cache that the caller named keeps whole state for the next call.
  blocks.cache = folder / "blocks";
  const Operation train{"blocks", [&] { return train_low_rank_file(path, params, blocks).n_features() > 0; }};
  blocks.keep_cache = true;
  REQUIRE(train.run());
  test::arm(Fault::allocation, 0);
  REQUIRE(train.run());
  const long calls = test::disarm();
  for (const long k : test::chosen(calls)) {
    CAPTURE(k);
    const long live = test::live_blocks();
    test::arm(Fault::allocation, k);
    const bool done = test::succeeds<std::bad_alloc>(train);
    test::disarm();
    CHECK(test::live_blocks() == live);
    if (!done) CHECK(train.run());
  }
}

TEST_CASE("every allocation fails once: a cache of batches that is not kept leaves its folder free for the next call") {
  const test::TemporaryFolder folder;
  const Data data = training::checkerboard(300, 1);
  auto params = with_rbf(LowRankParams());
  params.n_landmarks = 10;
  BlockOptions blocks;
  blocks.cache = folder / "blocks";
  blocks.keep_cache = false;
  const auto run = [&] {
    int left = 3;
    const auto next = [&]() -> std::optional<Batch> {
      if (left-- == 0) return std::nullopt;
      return Batch{data.view(), data.y.data()};
    };
    return train_low_rank_batches(next, params, blocks).n_features() > 0;
  };
  fail_each<std::bad_alloc>(Fault::allocation, {"batches", run}, folder / "");
}

TEST_CASE("every allocation fails once: the C interface of DC-Pred++ models") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "model";
  const Data data = training::blobs(150, 3, 3, 2);
  save_model(train_dc_pred(data.view(), data.y.data(), with_rbf(DcPredParams())), path);
  const auto load = [&] {
    char error[200] = "";
    dcsvm_predictor* first = dcsvm_predictor_load(path.c_str(), error, sizeof error);
    dcsvm_predictor* second = first != nullptr ? dcsvm_predictor_clone(first) : nullptr;
    CHECK((first != nullptr) == (error[0] == '\0'));
    const float x[3] = {1, 2, 0.5F};
    if (second != nullptr) CHECK(dcsvm_predictor_predict(first, x) == dcsvm_predictor_predict(second, x));
    const bool done = second != nullptr;
    dcsvm_predictor_free(first);
    dcsvm_predictor_free(second);
    return done;
  };
  fail_each<std::bad_alloc>(Fault::allocation, {"load", load}, folder / "");
}
