// A clustered problem small enough to write every formula out.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "dcsvm/model.hpp"
#include "svm/model/build_model.hpp"
#include "svm/model/twin.hpp"

namespace twin {

using namespace dcsvm;
using svm::ModelData;

/// Three blobs as clusters 0, 2, 3; cluster 1 is empty. Cluster 3 has one class only.
struct Case {
  Index n = 180, d = 3, k;
  Matrix train, queries;
  Fake fake;
  std::vector<int> cluster_of;
  std::vector<std::vector<int>> classes{4};
  std::vector<std::vector<double>> rho{4};
  Matrix centres;
  KernelParams kernel;
  double C = 5.0;

  bool fit_intercept;

  Case(Index n_classes, KernelType type, bool bias = true) : k(n_classes), fake(180, n_classes, 31), fit_intercept(bias) {
    kernel.type = type;
    kernel.gamma = 0.4;
    kernel.coef0 = type == KernelType::rbf ? 0.0 : 0.3;
    centres = {{2, 0, 0}, {0, 0, 0}, {-2, 1, 0}, {0, -2, 1}};
    train = twin::random_matrix(n, d, 32);
    queries = twin::random_matrix(150, d, 33);
    for (auto& q : queries) {
      for (auto& v : q) v *= 2.5;
    }
    for (Index i = 0; i < n; ++i) {
      const int c = i < k ? 0 : std::vector<int>{0, 2, 3}[i % 3];
      cluster_of.push_back(c);
      for (Index j = 0; j < d; ++j) train[i][j] += centres[c][j];
    }
    dcsvm::base::Random random(34);
    for (int c = 0; c < 4; ++c) {
      std::set<int> present;
      for (Index i = 0; i < n; ++i) {
        if (cluster_of[i] != c) continue;
        if (c == 3) fake.class_of[i] = 1;
        if (c == 2 && fake.class_of[i] == 1) fake.class_of[i] = 0;  // with 2 classes: one class as well
        present.insert(fake.class_of[i]);
      }
      if (c == 2 && k == 2) {
        for (Index i = 0; i < n; ++i) {
          if (cluster_of[i] == 2 && i % 2 == 0) fake.class_of[i] = 1;
        }
        present = {0, 1};
      }
      classes[c].assign(present.begin(), present.end());
      rho[c].resize(present.size() * (present.size() - (present.empty() ? 0 : 1)) / 2);
      for (double& r : rho[c]) r = fit_intercept ? random.uniform() - 0.5 : 0.0;
    }
    // Coefficients anew, for the classes as they are now: with bias in the pairs of each row's cluster, else in all.
    std::vector<int> all;
    for (int c = 0; c < k; ++c) all.push_back(c);
    std::fill(fake.coef.begin(), fake.coef.end(), 0.0);
    for (Index i = 0; i < n; ++i) {
      const int own = fake.class_of[i];
      for (const int other : fit_intercept ? classes[cluster_of[i]] : all) {
        if (other == own || random.uniform() < 0.4) continue;
        fake.coef[(own < other ? other - 1 : other) * n + i] = (own < other ? 1 : -1) * (random.uniform() + 0.01) * C;
      }
    }
  }

  double coef(Index i, int a, int b) const {  // signed coefficient of row i in the pair (a, b), a < b
    const int own = fake.class_of[i];
    if (own != a && own != b) return 0;
    return fake.coef[(own == a ? b - 1 : a) * n + i];
  }
  bool has(int c, int cls) const { return std::count(classes[c].begin(), classes[c].end(), cls) > 0; }
  double rho_of(int c, int a, int b) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < classes[c].size(); ++i) {
      for (std::size_t j = i + 1; j < classes[c].size(); ++j, ++next) {
        if (classes[c][i] == a && classes[c][j] == b) return rho[c][next];
      }
    }
    return 0;
  }
  double sum(int c, int a, int b, const std::vector<double>& q) const {
    double s = 0;
    for (Index i = 0; i < n; ++i) {
      if (cluster_of[i] == c && coef(i, a, b) != 0) s += coef(i, a, b) * twin::kernel(kernel, train[i], q);
    }
    return s;
  }

  svm::KernelRouter kernel_router(const DataView& x) const {
    svm::KernelRouter router;
    router.kernel = kernel;
    router.first.push_back(0);
    std::vector<Index> sample;
    for (int c = 0; c < 4; ++c) {
      double total = 0;
      const std::size_t begin = sample.size();
      for (Index i = 0; i < n && sample.size() < begin + 20; ++i) {
        if (cluster_of[i] == c) sample.push_back(i);
      }
      for (std::size_t a = begin; a < sample.size(); ++a) {
        for (std::size_t b = begin; b < sample.size(); ++b) total += twin::kernel(kernel, train[sample[a]], train[sample[b]]);
      }
      const double w = static_cast<double>(std::max<std::size_t>(1, sample.size() - begin));
      router.constant.push_back(total / (w * w));
      router.first.push_back(static_cast<Index>(sample.size()));
    }
    router.sample = data::copy_points(x, sample);
    return router;
  }
  svm::CentreRouter centre_router() const {
    svm::CentreRouter router;
    router.clusters = 4;
    router.cols = d;
    for (const auto& c : centres) router.centres.insert(router.centres.end(), c.begin(), c.end());
    return router;
  }
  template <class Router>
  Model make(const DataView& x, Router router, LevelPrediction how, Precision precision) const {
    ModelData data = svm::build_clustered(fake.solution(x), {cluster_of, classes, rho, std::move(router)});
    data.kernel = kernel;
    data.precision = precision;
    data.prediction = how;
    data.C = C;
    data.fit_intercept = fit_intercept;
    return Model(std::make_shared<const ModelData>(std::move(data)));
  }
};

}  // namespace twin
