// Every allocation of loading, saving and prediction fails once, for every kind of model: std::bad_alloc, the file that was there
// stays as it was, and the next call works.
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dcsvm/any_model.hpp"
#include "dcsvm/dcsvm.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "doctest/doctest.h"
#include "faults/fail_each.hpp"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using test::fail_each;
using test::Fault;
using training::Data;

namespace {

LowRankModel low_rank(const Data& data) {
  LowRankParams params;
  params.n_landmarks = 10;
  return train_low_rank(data.view(), data.y.data(), params);
}

DcPredModel dc_pred(const Data& data) {
  DcPredParams params;
  params.kernel.gamma = 1;
  params.gamma_rule = GammaRule::value;
  return train_dc_pred(data.view(), data.y.data(), params);
}

LdklModel tree(const Data& data) {
  LdklParams params;
  params.depth = 2;
  params.n_passes = 1;
  return train_ldkl(data.view(), data.y.data(), params);
}

/// The kinds of AnyModel, by name; support vector machines in several forms.
std::vector<std::pair<std::string, AnyModel>> models(const Data& data) {
  TrainParams early = training::rbf(4, 10), probability = training::rbf(1, 1);
  early.solver = SolverType::dc;
  early.early_level = 1;
  probability.probability = true;
  std::vector<std::pair<std::string, AnyModel>> all;
  all.emplace_back("pairs", training::train(data, training::rbf(4, 10)));
  all.emplace_back("early", training::train(data, early));
  all.emplace_back("probability", training::train(data, probability));
  all.emplace_back("low rank", low_rank(data));
  all.emplace_back("dc_pred", dc_pred(data));
  all.emplace_back("ls_svm", train_ls_svm(data.view(), data.y.data(), LsSvmParams()));
  all.emplace_back("linear", train_linear(data.view(), data.y.data(), LinearParams()));
  all.emplace_back("ldkl", tree(data));
  return all;
}

bool predicts(const AnyModel& any, const Data& data) {
  std::vector<double> labels(static_cast<std::size_t>(data.n));
  std::visit([&](const auto& model) { predict(model, data.view(), labels.data()); }, any);
  return labels.back() != 0;
}

/// Saves, loads and predicts; the file at `path` holds `any` before and after.
void fail_file(const AnyModel& any, const Data& data, const std::string& folder) {
  const std::string path = folder + "model", bytes = model_to_bytes(any);
  const auto done = [](auto&& call) {
    return [call] {
      call();
      return true;
    };
  };
  save_model(any, path);
  fail_each<std::bad_alloc>(Fault::allocation, {"save", done([&] { save_model(any, path); })}, folder);
  CHECK(files::read_file(path) == bytes);
  fail_each<std::bad_alloc>(Fault::allocation, {"load", [&] { return load_any_model(path).index() == any.index(); }}, folder);
  CHECK(model_to_bytes(load_any_model(path)) == bytes);
  fail_each<std::bad_alloc>(Fault::allocation, {"bytes", done([&] { any_model_from_bytes(model_to_bytes(any)); })}, folder);
  fail_each<std::bad_alloc>(Fault::allocation, {"predict", [&] { return predicts(any, data); }}, folder);
}

}  // namespace

TEST_CASE("every allocation fails once: loading, saving and prediction by models of every kind") {
  const test::TemporaryFolder folder;
  const Data data = training::checkerboard(200, 1), three = training::blobs(150, 3, 3, 2);
  for (const Data* each : {&data, &three}) {
    for (const auto& [its_name, model] : models(*each)) {
      const std::string& name = its_name;  // lambdas may not capture bindings in C++17
      CAPTURE(name);
      fail_file(model, *each, folder / "");
    }
  }
}

TEST_CASE("every allocation fails once: reports that older files have in binary fields") {
  const test::TemporaryFolder folder;
  const std::string path = std::string(DCSVM_SOURCE_DIR) + "/tests/golden/v1-sparse.dcsvm";
  fail_each<std::bad_alloc>(Fault::allocation, {"load", [&] { return load_model(path).n_features() > 0; }}, folder / "");
}

TEST_CASE("every allocation fails once: a damaged model file") {
  const test::TemporaryFolder folder;
  const std::string whole = model_to_bytes(training::train(training::checkerboard(100, 1), training::rbf(4, 10)));
  const std::string path = folder / "damaged";
  test::write_text(path, whole.substr(0, whole.size() - 1));
  const auto refused = [&] {
    try {
      load_any_model(path);
    } catch (const ModelError&) {
      return true;
    }
    return false;
  };
  fail_each<std::bad_alloc>(Fault::allocation, {"load", refused}, folder / "");
}

TEST_CASE("every allocation fails once: text models of LIBSVM and LIBLINEAR, and svmlight data") {
  const test::TemporaryFolder folder;
  const Data data = training::blobs(150, 3, 3, 2);
  const LibsvmModel svm = to_libsvm(training::train(data, training::rbf(4, 10)));
  const LiblinearModel linear = to_liblinear(train_linear(data.view(), data.y.data(), LinearParams()));
  const std::string svm_path = folder / "svm", linear_path = folder / "linear", data_path = folder / "data";
  save_libsvm_model(svm, svm_path);
  save_liblinear_model(linear, linear_path);
  save_svmlight(data_path, data.view(), data.y.data());
  const auto bytes = [&] { return files::read_file(svm_path) + files::read_file(linear_path) + files::read_file(data_path); };
  const std::string before = bytes();
  const std::vector<test::Operation> operations{
      {"save", [&] { return save_libsvm_model(svm, svm_path), true; }},
      {"save linear", [&] { return save_liblinear_model(linear, linear_path), true; }},
      {"save data", [&] { return save_svmlight(data_path, data.view(), data.y.data()), true; }},
      {"load", [&] { return load_model(svm_path).n_features() > 0; }},
      {"load linear", [&] { return load_as<LinearModel>(linear_path).n_features() > 0; }},
      {"load data", [&] { return load_svmlight(data_path).y.size() == data.y.size(); }},
  };
  for (const test::Operation& operation : operations) {
    fail_each<std::bad_alloc>(Fault::allocation, operation, folder / "");
    CHECK(bytes() == before);
  }
}
