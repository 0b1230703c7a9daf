// Every allocation of a call of the C libraries fails once: DCSVM_NO_MEMORY, no model and no file is left behind, and the next
// call works.
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dcsvm/liblinear/linear_extra.h"
#include "dcsvm/libsvm/svm_extra.h"
#include "doctest/doctest.h"
#include "faults/fail_each.hpp"
#include "files/file.hpp"
#include "files/temporary_folder.hpp"
#include "svm/training.hpp"

namespace {

using dcsvm::test::Operation;
using training::Data;

/// Rows as arrays of nodes: Node is svm_node or feature_node.
template <class Node>
struct Nodes {
  explicit Nodes(const Data& data) : y(data.y) {
    const auto n = static_cast<std::size_t>(data.n), d = static_cast<std::size_t>(data.d);
    nodes.reserve(n * (d + 1));
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < d; ++k) nodes.push_back({static_cast<int>(k) + 1, data.x[i * d + k]});
      nodes.push_back({-1, 0});
    }
    for (std::size_t i = 0; i < n; ++i) rows.push_back(nodes.data() + i * (d + 1));
  }
  int size() const { return static_cast<int>(rows.size()); }

  std::vector<double> y;
  std::vector<Node> nodes;
  std::vector<Node*> rows;
};

/// Where calls report to.
struct Call {
  Call() { call.error = error.data(), call.error_size = error.size(), call.n_threads = 2; }
  std::array<char, 200> error{};
  dcsvm_call call{};
};

/// DCSVM_OK as true, DCSVM_NO_MEMORY as false; anything else is a failure of the test.
bool is_done(int code, const Call& to) {
  INFO(to.error.data());
  if (code == DCSVM_NO_MEMORY) CHECK(std::string_view(to.error.data()) == "out of memory");
  CHECK((code == DCSVM_OK || code == DCSVM_NO_MEMORY));
  return code == DCSVM_OK;
}

/// A call that gives a model, which `destroy` frees.
template <class M>
std::function<bool()> gives(const Call& to, const std::function<int(M**)>& make, void (*destroy)(M**)) {
  return [&to, make, destroy] {
    M* model = nullptr;
    const bool done = is_done(make(&model), to);
    CHECK((model != nullptr) == done);
    destroy(&model);
    return done;
  };
}

void fail_all(const std::vector<Operation>& operations, const std::string& folder) {
  for (const Operation& operation : operations)
    dcsvm::test::fail_each<std::bad_alloc>(dcsvm::test::Fault::allocation, operation, folder);
}

}  // namespace

TEST_CASE("every allocation fails once: the C library of LIBSVM") {
  const dcsvm::test::TemporaryFolder folder;
  const std::string path = folder / "model";
  Nodes<svm_node> rows(training::blobs(120, 3, 3, 2));
  const svm_problem problem{rows.size(), rows.y.data(), rows.rows.data()};
  svm_parameter param{};
  param.kernel_type = RBF;
  param.gamma = 1, param.cache_size = 10, param.eps = 1e-3, param.C = 1, param.shrinking = 1, param.probability = 1;
  svm_set_print_string_function(dcsvm_svm_print_null);
  Call to;
  svm_model* model = nullptr;
  REQUIRE(dcsvm_svm_train(&problem, &param, &model, &to.call) == DCSVM_OK);
  REQUIRE(dcsvm_svm_save_model(path.c_str(), model, 17, &to.call) == DCSVM_OK);
  const std::string bytes = dcsvm::files::read_file(path);
  std::vector<double> labels(rows.y.size()), values(3 * rows.y.size());
  const std::vector<Operation> operations{
      {"train",
       gives<svm_model>(
           to, [&](svm_model** m) { return dcsvm_svm_train(&problem, &param, m, &to.call); }, svm_free_and_destroy_model)},
      {"load",
       gives<svm_model>(
           to, [&](svm_model** m) { return dcsvm_svm_load_model(path.c_str(), m, &to.call); }, svm_free_and_destroy_model)},
      {"save", [&] { return is_done(dcsvm_svm_save_model(path.c_str(), model, 17, &to.call), to); }},
      {"cross-validation", [&] { return is_done(dcsvm_svm_cross_validation(&problem, &param, 3, labels.data(), &to.call), to); }},
      {"predict",
       [&] {
         return is_done(dcsvm_svm_predict(model, rows.size(), rows.rows.data(), 1, labels.data(), values.data(), &to.call), to);
       }},
  };
  fail_all(operations, folder / "");
  CHECK(dcsvm::files::read_file(path) == bytes);
  svm_free_and_destroy_model(&model);
  svm_set_print_string_function(nullptr);
}

TEST_CASE("every allocation fails once: the C library of LIBLINEAR") {
  const dcsvm::test::TemporaryFolder folder;
  const std::string path = folder / "model";
  Nodes<feature_node> rows(training::blobs(120, 3, 3, 2));
  const problem data{rows.size(), 3, rows.y.data(), rows.rows.data(), -1};
  set_print_string_function(dcsvm_linear_print_null);
  Call to;
  std::vector<double> labels(rows.y.size()), values(3 * rows.y.size());
  for (const int solver : {L2R_LR, L2R_L2LOSS_SVC_DUAL, L1R_L2LOSS_SVC, MCSVM_CS, L2R_L1LOSS_SVR_DUAL, ONECLASS_SVM}) {
    CAPTURE(solver);
    parameter param{};
    param.solver_type = solver;
    param.eps = 0.01, param.C = 1, param.p = 0.1, param.nu = 0.5, param.regularize_bias = 1;
    model* trained = nullptr;
    REQUIRE(dcsvm_linear_train(&data, &param, &trained, &to.call) == DCSVM_OK);
    REQUIRE(dcsvm_linear_save_model(path.c_str(), trained, &to.call) == DCSVM_OK);
    const std::string bytes = dcsvm::files::read_file(path);
    const auto train_it = [&](model** m) { return dcsvm_linear_train(&data, &param, m, &to.call); };
    const auto load_it = [&](model** m) { return dcsvm_linear_load_model(path.c_str(), m, &to.call); };
    const std::vector<Operation> operations{
        {"train", gives<model>(to, train_it, free_and_destroy_model)},
        {"load", gives<model>(to, load_it, free_and_destroy_model)},
        {"save", [&] { return is_done(dcsvm_linear_save_model(path.c_str(), trained, &to.call), to); }},
        {"cross-validation",
         [&] { return is_done(dcsvm_linear_cross_validation(&data, &param, 3, labels.data(), &to.call), to); }},
        {"predict",
         [&] {
           return is_done(dcsvm_linear_predict(trained, rows.size(), rows.rows.data(), 0, labels.data(), values.data(), &to.call),
                          to);
         }},
    };
    fail_all(operations, folder / "");
    CHECK(dcsvm::files::read_file(path) == bytes);
    free_and_destroy_model(&trained);
  }
  set_print_string_function(nullptr);
}
