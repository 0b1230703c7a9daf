// Every allocation of trainings and of cross-validation fails once, and every write of saves, checkpoints and block caches:
// std::bad_alloc or FileError, nothing is lost or left behind, and the next call works. Model files and predictions:
// model_files.cpp. The other families: families.cpp. The C libraries: c_libraries.cpp.
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "dcsvm/dcsvm.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "faults/fail_each.hpp"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using test::chosen;
using test::fail_each;
using test::Fault;
using test::names_in;
using test::Operation;
using test::succeeds;
using training::Data;

namespace {

TrainParams small_rbf() {
  TrainParams params = training::rbf(4, 10);
  params.cache_size = 50;
  return params;
}

std::vector<Operation> trainings(const Data& data, const Data& three, const std::string& folder) {
  std::vector<Operation> all;
  const auto add = [&](const std::string& name, const Data& on, const std::function<void(TrainParams&)>& change,
                       const TrainInputs& inputs = {}) {
    TrainParams params = small_rbf();
    change(params);
    all.push_back({name, [&on, params, inputs] { return training::train(on, params, inputs).n_features() > 0; }});
  };
  add("smo", data, [](TrainParams&) {});
  add("dc", data, [](TrainParams& p) { p.solver = SolverType::dc, p.n_levels = 1; });
  add("early", data, [](TrainParams& p) { p.solver = SolverType::dc, p.early_level = 1; });
  add("regression", data, [](TrainParams& p) { p.formulation = Formulation::epsilon_svr; });
  add("nu_svc with probability", three, [](TrainParams& p) {
    p.formulation = Formulation::nu_svc;
    p.nu = 0.2;
    p.probability = true;
  });
  TrainInputs kept;
  kept.checkpoint = folder + "/checkpoint";
  kept.checkpoint_interval = 1e-9;
  all.push_back({"checkpoint", [&data, kept] {
                   try {
                     return training::train(data, small_rbf(), kept).n_features() > 0;
                   } catch (const std::bad_alloc&) {  // the last state stays, for the next call
                     std::filesystem::remove(kept.checkpoint);
                     throw;
                   }
                 }});
  all.push_back({"cross_validate", [&three] {
                   std::vector<double> out(static_cast<std::size_t>(three.n));
                   return cross_validate(three.view(), three.y.data(), small_rbf(), 3, out.data()).n_fits == 3;
                 }});
  return all;
}

}  // namespace

TEST_CASE("every allocation fails once: trainings and cross-validation") {
  const test::TemporaryFolder folder;
  const Data data = training::checkerboard(300, 1), three = training::blobs(120, 3, 3, 2);
  for (const Operation& operation : trainings(data, three, folder / ""))
    fail_each<std::bad_alloc>(Fault::allocation, operation, folder / "");
}

TEST_CASE("every write and every flush to the disk fails once") {
  const test::TemporaryFolder folder;
  const std::string model_path = folder / "model", data_path = folder / "data";
  const Data data = training::checkerboard(300, 1);
  const Model model = training::train(data, small_rbf());
  save_svmlight(data_path, data.view(), data.y.data());
  save_model(model, model_path);
  const std::string bytes = files::read_file(model_path), text = files::read_file(data_path);
  LowRankParams low_rank;
  low_rank.kernel.gamma = 4;
  low_rank.gamma_rule = GammaRule::value;
  low_rank.n_landmarks = 10;
  low_rank.n_threads = 1;
  BlockOptions blocks;
  blocks.memory_mb = 0.1;
  blocks.cache = folder / "blocks";
  blocks.keep_cache = false;
  TrainInputs kept;
  kept.checkpoint = folder / "checkpoint";
  kept.checkpoint_interval = 1e-9;
  const std::vector<Operation> operations{
      {"save",
       [&] {
         save_model(model, model_path);
         return true;
       }},
      {"save data",
       [&] {
         save_svmlight(data_path, data.view(), data.y.data());
         return true;
       }},
  };
  for (const Operation& operation : operations) {
    fail_each<FileError>(Fault::write, operation, folder / "");
    CHECK(files::read_file(model_path) == bytes);
    CHECK(files::read_file(data_path) == text);
  }
  // These keep whole state for the next call, which then does its work.
  const std::vector<Operation> resumable{
      {"checkpoint", [&] { return training::train(data, small_rbf(), kept).n_features() > 0; }},
      {"blocks", [&] { return train_low_rank_file(data_path, low_rank, blocks).n_features() > 0; }},
  };
  for (const Operation& operation : resumable) {
    CAPTURE(operation.name);
    REQUIRE(operation.run());
    const auto before = names_in(folder / "");
    test::arm(Fault::write, 0);
    REQUIRE(operation.run());
    const long calls = test::disarm();
    for (const long k : chosen(calls)) {
      CAPTURE(k);
      test::arm(Fault::write, k);
      const bool done = succeeds<FileError>(operation);
      test::disarm();
      if (!done) CHECK(operation.run());
      CHECK(names_in(folder / "") == before);
    }
  }
}
