// Training through the public interface, certified from alpha alone.
#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_pool.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::certify;
using training::Data;

namespace {

std::vector<double> uppers(const Data& data, double C) { return std::vector<double>(data.n, C); }

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("every kernel, solver and precision, with and without bias: alpha certifies itself") {
  const Data data = training::blobs(300, 4, 2, 1, 1.5);
  for (const KernelType type : {KernelType::linear, KernelType::poly, KernelType::rbf, KernelType::sigmoid}) {
    for (const bool bias : {true, false}) {
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
          TrainParams params = training::rbf(type == KernelType::sigmoid ? 0.05 : 0.5, 2.0);
          params.kernel.type = type;
          params.kernel.coef0 = type == KernelType::poly ? 1.0 : 0.0;
          params.fit_intercept = bias;
          params.precision = precision;
          params.solver = solver;
          params.n_levels = 2;
          const Model model = training::train(data, params);
          const Report& report = model.report();
          const auto c = certify(data, model, 0, 10, 11, uppers(data, 2.0), bias);
          CAPTURE(static_cast<int>(type));
          CAPTURE(bias);
          CAPTURE(static_cast<int>(solver));
          CHECK(report.stop_reason == StopReason::converged);
          CHECK(report.violation < 1e-3);
          CHECK(c.feasible);
          CHECK(c.violation < (precision == Precision::single_ ? 2e-3 : 1e-3));  // float values of a cubic kernel
          if (bias) CHECK(std::abs(c.balance) < 1e-9);
          CHECK(report.objective == doctest::Approx(c.objective).epsilon(1e-5));
          CHECK(report.solver == (solver == SolverType::smo ? "smo" : "dc"));
          CHECK(report.n_support == static_cast<Index>(model.support().size()));
          CHECK(report.n_kernel_values > 0);
          CHECK(report.peak_cache_bytes > 0);
          CHECK(report.seconds.at("total") > 0);
          CHECK(report.levels.empty() == (solver == SolverType::smo));
          if (!bias) CHECK(model.rho() == std::vector<double>{0.0});
          // Free support vectors lie on their margin: this ties rho and the decision's sign to alpha.
          const auto alpha = model.alpha(), dec = training::decisions(model, data.view());
          for (Index i = 0; i < data.n; ++i) {
            const double sign = data.y[i] == 10 ? 1 : -1;
            if (alpha[i] > 0 && alpha[i] < 2.0) CHECK(std::abs(sign * dec[i] - 1) < 2e-3);
          }
        }
      }
    }
  }
}

TEST_CASE("multi-class is one pair at a time") {
  const Data data = training::blobs(240, 3, 4, 2, 1.5);
  for (const bool bias : {true, false}) {
    for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
      TrainParams params = training::rbf(0.7, 3.0);
      params.fit_intercept = bias;
      params.solver = solver;
      params.n_levels = 1;
      params.tol = 1e-5;
      params.precision = Precision::double_;
      const Model model = training::train(data, params);
      CHECK(model.classes() == std::vector<double>{10, 11, 12, 13});
      const auto alpha = model.alpha(), rho = model.rho(), dec = training::decisions(model, data.view());
      double objective = 0;
      Index pair = 0;
      for (int a = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++pair) {
          std::vector<Index> members;
          for (Index i = 0; i < data.n; ++i) {
            if (data.y[i] == 10 + a || data.y[i] == 10 + b) members.push_back(i);
          }
          const Data two = data.rows(members);
          TrainParams alone = params;
          alone.solver = SolverType::smo;
          const Model single = training::train(two, alone);
          objective += single.report().objective;
          CHECK(rho[pair] == doctest::Approx(single.rho()[0]).epsilon(1e-3));
          const auto c = certify(data, model, pair, 10 + a, 10 + b, uppers(data, 3.0), bias);
          CHECK(c.feasible);
          CHECK(c.violation < 1e-5);
          const auto expected = training::decisions(single, data.view());
          double worst = 0;
          for (Index i = 0; i < data.n; ++i) worst = std::max(worst, std::abs(dec[i * 6 + pair] - expected[i]));
          CHECK(worst < 1e-3);
        }
      }
      CHECK(model.report().objective == doctest::Approx(objective).epsilon(1e-7));
      std::vector<double> labels(data.n);
      predict(model, data.view(), labels.data());
      Index right = 0;
      for (Index i = 0; i < data.n; ++i) right += labels[i] == data.y[i];
      CHECK(right > data.n / 2);
    }
  }
}

TEST_CASE("a weight of 2 is the row twice, a weight of 0 no row, class weights multiply") {
  const Data data = training::blobs(150, 3, 2, 3, 2.0);
  base::Random random(4);
  std::vector<double> weight;
  std::vector<Index> expanded;
  for (Index i = 0; i < data.n; ++i) {
    weight.push_back(static_cast<double>(random.below(3)));
    for (Index copy = 0; copy < static_cast<Index>(weight.back()); ++copy) expanded.push_back(i);
  }
  TrainInputs inputs;
  inputs.sample_weight = weight.data();
  for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
    TrainParams params = training::rbf(0.6, 1.5);
    params.tol = 1e-5;
    params.precision = Precision::double_;
    params.solver = solver;
    params.n_levels = 1;
    const Model weighted = training::train(data, params, inputs), copied = training::train(data.rows(expanded), params);
    CHECK(weighted.report().objective == doctest::Approx(copied.report().objective).epsilon(1e-6));
    CHECK(largest_difference(training::decisions(weighted, data.view()), training::decisions(copied, data.view())) < 1e-3);
    auto upper = uppers(data, 1.5);
    for (Index i = 0; i < data.n; ++i) upper[i] *= weight[i];
    const auto c = certify(data, weighted, 0, 10, 11, upper, true);
    CHECK(c.feasible);
    CHECK(c.violation < 1e-5);

    TrainParams factors = params;
    factors.class_weight = {{11, 3.0}};
    std::vector<double> by_row;
    for (const double y : data.y) by_row.push_back(y == 11 ? 3.0 : 1.0);
    TrainInputs same;
    same.sample_weight = by_row.data();
    CHECK(training::train(data, factors).alpha() == training::train(data, params, same).alpha());

    TrainParams balanced = params;
    balanced.balanced = true;
    const auto ten = static_cast<double>(std::count(data.y.begin(), data.y.end(), 10.0)), n = static_cast<double>(data.n);
    factors.class_weight = {{10, n / (2 * ten)}, {11, n / (2 * (n - ten))}};
    CHECK(training::train(data, balanced).alpha() == training::train(data, factors).alpha());
  }
}

TEST_CASE("a precomputed kernel gives the model of the kernel that it was computed from") {
  const Data data = training::blobs(200, 3, 3, 5, 1.5);
  TrainParams params = training::rbf(0.8, 2.0);
  params.precision = Precision::double_;
  params.tol = 1e-6;
  Data given = data;
  given.d = data.n;
  given.x.clear();
  for (Index i = 0; i < data.n; ++i) {
    for (Index j = 0; j < data.n; ++j) given.x.push_back(training::kernel(params.kernel, &data.x[3 * i], &data.x[3 * j], 3));
  }
  TrainParams pre = params;
  pre.kernel.type = KernelType::precomputed;
  const Model a = training::train(data, params), b = training::train(given, pre);
  CHECK(a.report().objective == doctest::Approx(b.report().objective).epsilon(1e-9));
  CHECK(largest_difference(training::decisions(a, data.view()), training::decisions(b, given.view())) < 1e-4);
  CHECK(largest_difference(a.alpha(), b.alpha()) < 1e-2);
}

TEST_CASE("storage does not matter: C, Fortran, strided, CSR, float32") {
  const Data data = training::blobs(300, 5, 2, 6);
  TrainParams params = training::rbf(0.5, 1.0);
  const Model c = training::train(data, params);
  std::vector<double> f(data.x.size()), gaps(data.x.size() * 4, 777.0);
  std::vector<float> single(data.x.begin(), data.x.end());
  std::vector<std::int64_t> indices, indptr{0};
  for (Index i = 0; i < data.n; ++i) {
    for (Index k = 0; k < 5; ++k) {
      f[k * data.n + i] = data.x[i * 5 + k];
      gaps[i * 20 + k * 2] = data.x[i * 5 + k];
      indices.push_back(k);
    }
    indptr.push_back(5 * (i + 1));
  }
  const CsrView csr{data.x.data(),    ScalarType::float64, indices.data(), indptr.data(),
                    IndexType::int64, IndexType::int64,    data.n,         5};
  for (const DataView& view : {DataView(DenseView{f.data(), ScalarType::float64, data.n, 5, 1, data.n}),
                               DataView(DenseView{gaps.data(), ScalarType::float64, data.n, 5, 20, 2}),
                               DataView(dense(single.data(), data.n, 5)), DataView(csr)}) {
    CHECK(train(view, data.y.data(), params).alpha() == c.alpha());
  }
}

TEST_CASE("the same model on 1, 2 and 5 threads: smo, dc, early; two classes and three") {
  for (const int classes : {2, 3}) {
    const Data data = training::blobs(2500, 3, classes, 7, 2.0);
    for (const int kind : {0, 1, 2}) {
      TrainParams params = training::rbf(1.0, 2.0);
      params.solver = kind == 0 ? SolverType::smo : SolverType::dc;
      params.n_levels = 2;
      params.sample_size = 200;
      params.cache_size = 8;
      if (kind == 2) params.early_level = 1;
      params.n_threads = 1;
      const Model one = training::train(data, params);
      for (const int threads : {2, 5}) {
        params.n_threads = threads;
        const Model several = training::train(data, params);
        CAPTURE(kind);
        CAPTURE(threads);
        CHECK(several.alpha() == one.alpha());
        CHECK(several.rho() == one.rho());
        CHECK(several.report().objective == one.report().objective);
        CHECK(several.report().n_iter == one.report().n_iter);
        CHECK(several.report().n_threads == base::ThreadPool(threads).size());
        CHECK(training::decisions(several, data.view()) == training::decisions(one, data.view()));
      }
    }
  }
}

TEST_CASE("the byte cap holds for smo, dc and early, for two classes and several") {
  for (const int classes : {2, 5}) {
    const Data data = classes == 2 ? training::checkerboard(6000, 8) : training::blobs(6000, 3, classes, 8, 2.5);
    for (const int kind : {0, 1, 2}) {
      for (const double cache : {1.0, 3.0, 12.0}) {
        TrainParams params = training::rbf(4.0, 2.0);
        params.solver = kind == 0 ? SolverType::smo : SolverType::dc;
        params.n_levels = 2;
        params.sample_size = 200;
        params.tol = 1e-2;
        params.cache_size = cache;
        if (kind == 2) params.early_level = 1;
        CAPTURE(classes);
        CAPTURE(kind);
        CAPTURE(cache);
        const Model model = training::train(data, params);
        CHECK(model.report().stop_reason == StopReason::converged);
        CHECK(model.report().peak_cache_bytes > 0);
        CHECK(static_cast<double>(model.report().peak_cache_bytes) <= cache * 1048576.0);
      }
    }
  }
  TrainParams params = training::rbf(4.0, 2.0);
  params.cache_size = 0.02;
  const Data data = training::checkerboard(6000, 8);
  const auto text = training::message_of<CapError>([&] { training::train(data, params); });
  CHECK(text.rfind("cache_size", 0) == 0);
  CHECK(text.find("MB") != std::string::npos);
}

TEST_CASE("a cache_size that a message names is enough, also for pairs that have a part of it") {
  for (const int classes : {2, 3}) {
    const Data data = training::blobs(60000 * classes, 2, classes, 7);
    TrainParams params = training::rbf(4.0, 2.0);
    params.shrinking = false;
    params.max_iter = 20;
    params.cache_size = 1;
    const auto text = training::message_of<CapError>([&] { training::train(data, params); });
    CAPTURE(text);
    const auto number = text.find("at least ");
    REQUIRE(number != std::string::npos);
    params.cache_size = std::stod(text.substr(number + 9));
    const Model model = training::train(data, params);
    CHECK(model.report().stop_reason == StopReason::max_iter);
    CHECK(static_cast<double>(model.report().peak_cache_bytes) <= params.cache_size * 1048576.0);
  }
}

TEST_CASE("large pairs that share rows are the pairs solved alone, within the cap, on any threads") {
  const Data data = training::blobs(6900, 3, 3, 9, 2.5);
  TrainParams params = training::rbf(2.0, 1.0);
  params.tol = 1e-3;
  params.cache_size = 40;  // the whole matrix would take 190 MB
  const Model model = training::train(data, params);
  CHECK(model.report().stop_reason == StopReason::converged);
  CHECK(static_cast<double>(model.report().peak_cache_bytes) <= 40 * 1048576.0);
  params.n_threads = 5;
  const Model several = training::train(data, params);
  CHECK(several.alpha() == model.alpha());
  CHECK(several.rho() == model.rho());
  double objective = 0;
  Index pair = 0;
  for (int a = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b, ++pair) {
      std::vector<Index> members;
      for (Index i = 0; i < data.n; ++i) {
        if (data.y[i] == 10 + a || data.y[i] == 10 + b) members.push_back(i);
      }
      REQUIRE(members.size() > 4200);
      const Data two = data.rows(members);
      const Model single = training::train(two, params);
      objective += single.report().objective;
      CHECK(model.rho()[pair] == doctest::Approx(single.rho()[0]).epsilon(0.01));
    }
  }
  CHECK(model.report().objective == doctest::Approx(objective).epsilon(5e-6));
}

TEST_CASE("several threads of the host train and predict at once") {
  const Data data = training::blobs(700, 3, 3, 10, 2.0);
  TrainParams params = training::rbf(1.0, 2.0);
  params.solver = SolverType::dc;
  params.n_levels = 1;
  const Model alone = training::train(data, params);
  const auto dec = training::decisions(alone, data.view());
  std::vector<int> same(4, 0);
  std::vector<std::thread> hosts;
  for (std::size_t t = 0; t < same.size(); ++t) {
    hosts.emplace_back([&, t] {
      const Model model = training::train(data, params);
      same[t] = model.alpha() == alone.alpha() && training::decisions(model, data.view()) == dec &&
                training::decisions(alone, data.view()) == dec;
    });
  }
  for (auto& host : hosts) host.join();
  for (const int s : same) CHECK(s == 1);
}
